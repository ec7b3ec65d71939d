"""Theorems and what is vacuous: two solvers that must agree, whole numbers, used formulas in scope"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sympy import Eq, Integer, Max, Min, Mod, Rational, ceiling, floor, sin, sqrt
from sympy.core.relational import Ge, Gt, Le, Lt, Ne

from symbolic_llm import catalogue
from symbolic_llm.architecture import Trait
from symbolic_llm.checks import order, solvers, theorems, vacuity, verify_alone
from symbolic_llm.checks.dimensions import check_dimensions
from symbolic_llm.checks.examples import Scope, holds, witness
from symbolic_llm.checks.mutants import check_mutants
from symbolic_llm.checks.order import no_less
from symbolic_llm.checks.report import check_formula, findings
from symbolic_llm.checks.rounding import check_rounding
from symbolic_llm.checks.solvers import Answer, ask_cvc5, ask_z3
from symbolic_llm.checks.steps import check_steps
from symbolic_llm.checks.theorems import check_conditions, check_theorem, proved
from symbolic_llm.checks.verdict import Finding, Verdict
from symbolic_llm.claims import Condition, Equivalence, Implication, Kind, claim_of
from symbolic_llm.cli import main
from symbolic_llm.expressions import by_flint, decide
from symbolic_llm.expressions.decide import deciders, equal, rational_zero
from symbolic_llm.expressions.exact import exact
from symbolic_llm.expressions.printing import tex, text
from symbolic_llm.expressions.relations import same_relation
from symbolic_llm.expressions.trees import tree
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_sequence, each_weight, weights_fit
from symbolic_llm.notation import (
    B,
    F,
    I_matrix,
    M,
    M_weights,
    N,
    P,
    P_embedding,
    P_total,
    T_compute,
    T_memory,
    T_step,
    W,
    d_model,
    m_token,
    n_blocks,
    n_bytes,
    n_bytes_kv,
    n_distinct,
    n_heads,
    n_vocab,
)
from symbolic_llm.steps import add_to_larger, at_most, multiply, premise, rewrite, substitute

THEOREMS = [formula.name for formula in catalogue() if formula.kind is Kind.THEOREM]


@pytest.fixture(autouse=True)
def asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers are asked, whatever they said before."""
    monkeypatch.setattr(solvers, "_remembered", lambda solver, given, text, ask: ask(text))


def formula(claim: Any, *steps: Any, **more: Any) -> Formula:
    """A formula that is not in the catalogue."""
    first = claim_of(claim).relations[0]
    more = {"unmeasured": "made for a test", "kind": claim_of(claim).kinds[0]} | more
    return Formula("tests.planted", "Planted", claim=claim, steps=steps or (premise(first, ""),), **more)


def relation(of: Any, left: Any, right: Any) -> Any:
    """A relation that SymPy does not decide."""
    return of(left, right, evaluate=False)


def where(*relations: Any) -> tuple[Condition, ...]:
    """Conditions of a planted formula."""
    return tuple(Condition(one, "planted") for one in relations)


# Two solvers


@pytest.mark.parametrize("name", THEOREMS)
def test_both_solvers_prove_every_theorem(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is asked by itself, z3 with a tenth of its steps: far from the limit, whatever the machine has to do.

    Over positive reals, which is more than is claimed, unless it rounds: that is true of whole numbers alone.
    """
    question = proved(catalogue()[name]).question
    assert question is not None
    assert "rounded_" in question.text or not question.whole
    monkeypatch.setattr(solvers, "STEPS", solvers.STEPS // 10)
    assert ask_z3(question.text).said == "unsat"
    assert ask_cvc5(question.text).said == "unsat"


def test_both_solvers_get_the_same_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Word for word, and it says what is claimed."""
    seen = []

    def recorded(ask: Callable[[str], Answer]) -> Callable[[str], Answer]:
        return lambda question: seen.append(question) or ask(question)  # type: ignore[func-returns-value]

    monkeypatch.setattr("symbolic_llm.checks.theorems.ask_z3", recorded(ask_z3))
    monkeypatch.setattr(solvers, "ask_cvc5", recorded(ask_cvc5))
    assert check_theorem(catalogue()["memory_bound_batches"]).verdict is Verdict.PROVED
    wide, one, other = seen  # of products as letters z3 finds an example, which says nothing
    assert "|B·P/F|" in wide
    assert one == other
    left, right = "(< (* (* 2.0 B P) W) (* (* P n_bytes) F))", "(< (* B (* 2.0 W)) (* F n_bytes))"
    claim = f"(assert (or (and {left} (not {right})) (and (not {left}) {right})))"
    assert one.splitlines()[-2:] == [claim, "(check-sat)"]


@pytest.mark.parametrize("said", ["sat", "unknown"])
def test_one_solver_alone_proves_nothing(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    """A theorem is undecided if cvc5 disagrees or gives up; the finding says so, and names it."""
    monkeypatch.setattr(solvers, "ask_cvc5", lambda text: Answer(said))
    finding = check_theorem(catalogue()["memory_bound_batches"])
    assert finding.verdict is Verdict.UNDECIDED
    expected = "z3 and cvc5 disagree: z3 says unsat, cvc5 says sat" if said == "sat" else "cvc5 gave up"
    assert finding.summary == expected


def test_where_z3_is_wrong_cvc5_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other way round: a z3 that finds no counterexample to anything."""
    monkeypatch.setattr("symbolic_llm.checks.theorems.ask_z3", lambda text: Answer("unsat"))
    wrong = replace(catalogue()["crossover_existence"], where=(), uses=())
    assert check_theorem(wrong).verdict is Verdict.REFUTED  # by a search, which needs no solver
    monkeypatch.setattr("symbolic_llm.checks.theorems.witness", lambda relations: None)
    finding = check_theorem(wrong)
    assert finding.verdict is Verdict.UNDECIDED
    assert finding.summary == "z3 and cvc5 disagree: z3 says unsat, cvc5 says sat"


def test_an_example_is_not_believed_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A z3 whose counterexample is none refutes nothing, and with cvc5 against it proves nothing."""
    example = dict.fromkeys(("P", "n_bytes", "B", "F", "W"), Fraction(1))
    monkeypatch.setattr("symbolic_llm.checks.theorems.ask_z3", lambda text: Answer("sat", example))
    assert check_theorem(catalogue()["memory_bound_batches"]).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(("module", "package"), solvers.NEEDED.items())
def test_without_a_solver_a_theorem_is_undecided(monkeypatch: pytest.MonkeyPatch, module: str, package: str) -> None:
    """And the finding says what to install."""
    real = solvers.find_spec
    monkeypatch.setattr(solvers, "find_spec", lambda name: None if name == module else real(name))
    (finding,) = findings(catalogue()["memory_bound_batches"], ("theorem",))
    assert finding.verdict is Verdict.UNDECIDED
    assert finding.summary == f"{package} is not installed: pip install 'symbolic-llm[check]'"


def test_a_solver_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And one that fails has said nothing."""
    endless, broken = tmp_path / "endless.py", tmp_path / "broken.py"
    endless.write_text("while True: pass", encoding="utf-8")
    broken.write_text("print('unsat'); raise SystemExit(1)", encoding="utf-8")
    monkeypatch.setattr(solvers, "MILLISECONDS", 100)
    monkeypatch.setattr(solvers, "_GRACE", 0.1)
    for program in (endless, broken):
        monkeypatch.setattr(solvers, "_PROGRAM", program)
        assert ask_cvc5("(check-sat)").said == "unknown"


def test_a_solver_is_limited_by_what_it_computes() -> None:
    """By the processor's time, which a busy machine does not shorten."""
    pytest.importorskip("resource")
    endless = "from cvc5_alone import limit; limit(1000)\nwhile True: pass"
    environment = os.environ | {"PYTHONPATH": str(solvers._PROGRAM.parent)}
    assert subprocess.run([sys.executable, "-c", endless], env=environment, check=False).returncode < 0


# x³ + y³ + z³ = 114: nobody knows whether there are such whole numbers
HOPELESS = """(declare-const x Int)(declare-const y Int)(declare-const z Int)
(assert (= (+ (* x x x) (* y y y) (* z z z)) 114))(check-sat)"""


def test_what_z3_cannot_decide_ends_by_its_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by a clock: where none is let run, it gives up all the same, and a proof is found."""
    from z3 import Solver

    limited: list[tuple[str, int]] = []
    set_to = Solver.set

    def without_clock(solver: Any, name: str, value: int) -> None:
        limited.append((name, value))
        assert ("rlimit", solvers.STEPS) in limited, "or this would not end"
        if name != "timeout":
            set_to(solver, name, value)

    monkeypatch.setattr(Solver, "set", without_clock)
    assert ask_z3(HOPELESS).said == "unknown"
    assert ask_z3("(declare-const x Real)(assert (< (* x x) 0.0))").said == "unsat"
    assert limited == [("rlimit", solvers.STEPS), ("timeout", 1000 * solvers._GRACE)] * 2
    assert solvers._GRACE >= 10 * solvers.MILLISECONDS / 1000  # of a clock, which is not what a proof waits for


def test_z3_knows_nothing_of_what_it_was_asked_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """z3 takes as many steps for a question after others as it takes first, so the limit is met alike everywhere."""
    from z3 import Solver

    steps: list[int] = []
    check = Solver.check

    def counted(solver: Any) -> Any:
        said = check(solver)
        figures = solver.statistics()
        steps.append(next(figures[i][1] for i in range(len(figures)) if figures[i][0] == "rlimit count"))
        return said

    monkeypatch.setattr(Solver, "check", counted)
    texts = [question.text for name in THEOREMS[:6] if (question := proved(catalogue()[name]).question)]
    del steps[:]
    for text_ in (*texts, *texts[::-1]):
        ask_z3(text_)
    assert steps == steps[::-1]
    assert max(steps) < solvers.STEPS / 10


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_what_a_solver_gave_up_on_is_open(solver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another time it may be decided: of a theorem, its mutants, conditions and roundings; what is decided is not."""
    proof, fits = catalogue()["step_bounds_above"], catalogue()["sequences_that_fit"]
    decided = [check_theorem(proof), check_mutants(proof, None), check_rounding(fits), check_conditions(proof)]
    assert not any(finding.open for finding in decided)
    if solver == "z3":
        for where_asked in ("theorems", "vacuity"):
            monkeypatch.setattr(f"symbolic_llm.checks.{where_asked}.ask_z3", lambda text: Answer("unknown"))
    else:
        monkeypatch.setattr(solvers, "ask_cvc5", lambda text: Answer("unknown"))
    assert check_theorem(proof).open
    assert check_conditions(_contradiction()).open
    assert check_rounding(fits).open
    with monkeypatch.context() as patch:
        patch.setattr("symbolic_llm.checks.theorems.witness", lambda relations: None)
        assert check_mutants(proof, None).open


def test_a_false_theorem_has_a_counterexample() -> None:
    """memory-bound ⟺ B < 2·B* is refuted, with numbers."""
    found = catalogue()["memory_bound_batches"]
    wrong = replace(found, claim=Equivalence(found.claim.left, Lt(B, 2 * found.claim.right.rhs)))
    finding = check_theorem(wrong)
    assert finding.verdict is Verdict.REFUTED
    assert "counterexample: " in finding.summary
    assert "P = " in finding.summary


def test_without_its_condition_a_theorem_is_false() -> None:
    """Beyond the critical context nothing follows if arithmetic were slower than reading."""
    found = catalogue()["crossover_existence"]
    assert check_theorem(found).verdict is Verdict.PROVED
    assert check_theorem(replace(found, where=(), uses=())).verdict is Verdict.REFUTED


# Order where the form does not decide


X = F / (I_matrix * W)
ROUND, LONGER = sqrt(1 + X**2), Max(1, X)


@pytest.mark.parametrize(
    ("greater", "lesser", "holds"),
    [
        (ROUND, LONGER, True),
        (sqrt(Integer(2)) * LONGER, ROUND, True),
        (Rational(3, 2) * LONGER, ROUND, True),
        (Rational(7, 5) * LONGER, ROUND, False),  # less than the root of two
        (LONGER, ROUND, False),
        (1 + X, ROUND, True),
        (ROUND, 1 + X, False),
    ],
)
def test_solvers_order_what_the_form_does_not(greater: Any, lesser: Any, holds: bool) -> None:
    """Roots and maxima; what is false is never taken for true."""
    assert (no_less(greater, lesser) is True) == holds


def test_without_both_solvers_nothing_more_is_ordered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "missing", lambda: "cvc5 is not installed")
    assert no_less(ROUND, LONGER) is None
    assert no_less(1 + X, X) is True


@pytest.mark.parametrize(
    "fault",
    [
        {"value": F / ROUND * 2},  # a factor
        {"value": F / sqrt(1 + (F / (I_matrix * F)) ** 2)},  # a letter
        {"value": F / sqrt(X**2)},  # a term
        {"bound": Rational(29, 100)},
        {"exact": I_matrix / (I_matrix / F + 1 / W)},
    ],
)
def test_a_fault_in_the_smooth_roofline_is_found(fault: dict[str, Any]) -> None:
    """The twin: as it stands it is proved."""
    known = catalogue()["smooth_attainable_flops"]
    assert check_formula(known).verdict is Verdict.PROVED
    claim = replace(known.claim, **fault)
    steps = (premise(claim.error, "the relative error"), at_most(claim.bound, "as much at most"))
    assert not check_formula(replace(known, claim=claim, steps=steps)).verdict.stands


# Products as letters


BOUNDS = Max(P * B / F, P / W) + Max(N * B / F, M / W), Max(P * B / F + N * B / F, P / W + M / W)
ALIKE = Max(P * B / F, P / W) + Max(N * B / F, N / W), Max(P * B / F + N * B / F, P / W + N / W)  # equal


SAYING: dict[str, Callable[..., Any]] = {
    "and": lambda *truths: all(truths),
    "or": lambda *truths: any(truths),
    "not": lambda truth: not truth,
    "to_real": lambda number: number,
    "+": lambda *numbers: sum(numbers),
    "-": lambda number: -number,
    "*": lambda *numbers: prod(numbers),
    "/": lambda over, under: over / under,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
    "=": lambda one, other: one == other,
}


def said(question: str, values: dict[str, Fraction]) -> bool:
    """Whether all that a question states at its end is true at these values, read word for word."""
    stated = [line for line in question.splitlines() if line.startswith(("(assert (and", "(assert (or", "(assert (<"))]
    words = iter(re.findall(r"\|[^|]*\||[()]|[^\s()]+", " ".join(stated)))

    def read(word: str) -> Any:
        if word != "(":
            return product_at(word.strip("|"), values)
        operator, arguments = next(words), []
        while (following := next(words)) != ")":
            arguments.append(read(following))
        return arguments[0] if operator == "assert" else SAYING[operator](*arguments)

    truths = [read(word) for word in words]
    return all(truths)


def product_at(name: str, values: dict[str, Fraction]) -> Fraction:
    """A number, or what a letter or a product such as B·P/F comes to."""
    sides = name.partition("/")[::2]
    above, below = (
        prod(values[one] if one in values else Fraction(one) for one in side.split("·") if one) for side in sides
    )
    return Fraction(above) / below


@pytest.mark.parametrize("name", THEOREMS)
def test_products_as_letters_only_widen_the_question(name: str) -> None:
    """With its product put back for each letter, the question is answered as it was, at drawn values."""
    drawn, (apart, plain, *_) = Random(name), theorems._questions(catalogue()[name])
    letters = re.findall(r"declare-const (\S+) ", plain.text)
    for _ in range(20):
        values = {letter.strip("|"): Fraction(drawn.randint(1, 9), drawn.randint(1, 9)) for letter in letters}
        assert said(apart.text, values) == said(plain.text, values)


def test_linear_bounds_are_proved_with_products_as_letters() -> None:
    """A linear bound that holds whatever the products are is proved with the products as letters.

    So are the bounds of steps in the catalogue; no case of it is so by chance only.
    """
    parts, whole = BOUNDS
    found = proved(formula(Implication(relation(Le, parts, T_step), relation(Le, whole, T_step))))
    assert found.finding.verdict is Verdict.PROVED
    assert found.question
    assert found.question.apart
    questions = {name: proved(catalogue()[name]).question for name in THEOREMS}
    by_products = {name for name, question in questions.items() if question and question.apart}
    assert {"mixed_step_bounds_below", "step_bounds_above", "step_bounds_below"} <= by_products
    assert "memory_bound_batches" not in by_products


def test_a_false_bound_stays_refuted() -> None:
    """The linear bounds the other way round are refuted, by an example in letters."""
    parts, whole = BOUNDS
    finding = check_theorem(formula(Implication(relation(Le, whole, T_step), relation(Le, parts, T_step))))
    assert finding.verdict is Verdict.REFUTED
    assert finding.summary.startswith("counterexample: ")
    assert "*" not in finding.summary


@pytest.mark.parametrize(
    "claim",
    [
        Equivalence(relation(Lt, P * B / F, P / W), relation(Lt, B, F / W)),
        Implication(relation(Lt, P * N, B * N), relation(Lt, P, B)),
        Implication(relation(Lt, P * B, P * F), relation(Lt, N * B, N * F)),
        Implication(relation(Le, ALIKE[1], T_step), relation(Le, ALIKE[0], T_step)),
    ],
)
def test_what_products_have_to_do_with_each_other_is_not_forgotten(claim: Any) -> None:
    """A theorem that is true only because of what products share is proved by the question as it is.

    The wider question, of products as letters, has an example, which refutes nothing.
    """
    found = proved(formula(claim))
    assert found.finding.verdict is Verdict.PROVED
    assert found.question
    assert not found.question.apart


def test_an_example_of_the_wider_question_is_not_put_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers are of products. Where solvers give up on all else, nothing is said."""
    false = formula(Implication(relation(Lt, P * N, B * N), relation(Lt, B, P)))
    monkeypatch.setattr("symbolic_llm.checks.theorems.witness", lambda relations: None)
    example = dict.fromkeys(("P", "B", "N", "B·N", "N·P"), Fraction(1))
    monkeypatch.setattr(
        "symbolic_llm.checks.theorems.ask_z3",
        lambda text: Answer(*(("sat", example) if "|B·N|" in text else ("unknown",))),
    )
    assert check_theorem(false).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(
    "side", [floor(M / F), P / (W - F), P * Max(B, N) * Max(B, W), Max(B, N) / (B + N), (B - N) * Max(B, W)]
)
def test_what_is_no_sum_of_products_is_asked_alike(side: Any) -> None:
    """Rounding, a sum below the line, a product of maxima, and one whose factor may be negative."""
    apart, plain, *_ = theorems._questions(formula(Equivalence(relation(Le, side, P * B), relation(Le, W, F))))
    drawn = Random(str(side))
    for _ in range(40):
        values = {letter: Fraction(drawn.randint(1, 9), drawn.randint(1, 9)) for letter in "PBNWFM"}
        values["rounded_1"] = Fraction(drawn.randint(-2, 9))
        assert said(apart.text, values) == said(plain.text, values)


def test_where_nothing_is_multiplied_there_is_no_other_letter() -> None:
    """Relations in which nothing is multiplied have no products, and their letters stay what they are."""
    wide, *_ = theorems._questions(formula(Implication(relation(Le, Max(B, N) - P, W), relation(Lt, W, F))))
    assert wide.apart
    assert "|" not in wide.text


# What is false


def _negative_divisor() -> Formula:
    left = relation(Lt, T_memory, T_compute)
    return formula(Implication(left, relation(Lt, T_memory / (P - P_total), T_compute / (P - P_total))))


def _squared() -> Formula:
    left = relation(Lt, T_memory - T_compute, T_step)
    return formula(Implication(left, relation(Lt, (T_memory - T_compute) ** 2, T_step**2)))


def _zero_divisor() -> Formula:
    left, square = relation(Lt, T_memory, T_compute), (P - P_total) ** 2
    return formula(Implication(left, relation(Lt, T_memory / square, T_compute / square)))


FALSE: dict[str, tuple[Callable[[], Formula], str]] = {
    "divided by something negative": (_negative_divisor, ""),
    "squared": (_squared, "counterexample: "),
    "divided by zero": (_zero_divisor, "a denominator is zero: "),
    "rounded although not whole": (
        lambda: formula(Equivalence(relation(Le, W, M / F), relation(Le, W, floor(M / F)))),
        "counterexample: ",
    ),
    "rounded the wrong way": (
        lambda: formula(Equivalence(relation(Le, B, M / F), relation(Le, B, ceiling(M / F)))),
        "counterexample: ",
    ),
    "false for whole numbers too": (
        lambda: formula(Equivalence(relation(Lt, n_blocks, n_heads), relation(Le, n_blocks + 2, n_heads))),
        "counterexample: ",
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_a_false_theorem_is_refuted(name: str) -> None:
    """With numbers that the letters can have."""
    made, said = FALSE[name]
    finding = check_theorem(made())
    assert finding.verdict is Verdict.REFUTED, finding
    assert said in finding.summary


# What is true


def _capacity_whole() -> Formula:
    room = (M - P_total * n_bytes) / (m_token * N)
    left = relation(Le, B, room)
    right = relation(Le, B, each_sequence * floor(room / each_sequence))
    return formula(Equivalence(left, right), premise(left, ""), rewrite(right, "B is whole"), where=(weights_fit,))


def test_what_is_true_of_whole_numbers_is_proved() -> None:
    """B ≤ x ⟺ B ≤ ⌊x⌋: false for fractions, proved in whole numbers, steps and all."""
    found = _capacity_whole()
    assert check_theorem(found) == Finding(
        "theorem", Verdict.PROVED, "no counterexample exists in whole numbers (z3, cvc5)"
    )
    measured = replace(found, measured_by="memory.fits", unmeasured="", uses=(catalogue()["tokens_that_fit"],))
    assert check_formula(measured).verdict is Verdict.PROVED


def test_strict_and_not_strict_are_one_for_whole_numbers() -> None:
    """The equivalence n < m ⟺ n + 1 ≤ m is proved if both are whole numbers, and refuted if they need not be."""
    claim = Equivalence(relation(Lt, n_blocks, n_heads), relation(Le, n_blocks + 1, n_heads))
    assert check_theorem(formula(claim)).verdict is Verdict.PROVED
    fractions = Equivalence(relation(Lt, W, F), relation(Le, W + 1, F))
    assert check_theorem(formula(fractions)).verdict is Verdict.REFUTED


def test_rounding_up_is_known() -> None:
    """`ceiling` to every check that meets it, as `floor` is."""
    machines = ceiling(P_total * n_bytes / M)
    found = formula(Eq(n_distinct, machines), premise(machines, ""), kind=Kind.DEFINITION)
    assert check_dimensions(found).verdict is Verdict.PROVED
    assert check_steps(found).verdict is Verdict.PROVED
    assert exact(machines, {P_total: 7, n_bytes: 2, M: 5}) == 3
    assert text(found.claim) == "n_distinct = ceiling(P_total·n_bytes/M)"
    assert r"\left\lceil" in tex(found.claim)
    assert equal(ceiling((P * W + P) / (W + 1) / F), ceiling(P / F)) is True
    assert equal(ceiling(P / F), floor(P / F)) is False
    seconds = formula(Eq(T_memory, ceiling(T_memory)), premise(T_memory, ""), kind=Kind.DEFINITION)
    assert check_dimensions(seconds).verdict is Verdict.REFUTED
    claim = Equivalence(relation(Ge, B, M / F), relation(Ge, B, ceiling(M / F)))
    assert check_theorem(formula(claim)).verdict is Verdict.PROVED


def test_rounding_is_dropped_beside_whole_numbers_only() -> None:
    """Four ways that are right, and those that are not."""
    x = M / F
    for of, rounded in ((Le, floor), (Gt, floor), (Ge, ceiling), (Lt, ceiling)):
        assert same_relation(relation(of, B, x), relation(of, B, rounded(x))) is True
        assert same_relation(relation(of, B * N + 1, x), relation(of, B * N + 1, rounded(x))) is True
        assert same_relation(relation(of, W, x), relation(of, W, rounded(x))) is False
        assert same_relation(relation(of, B / 2, x), relation(of, B / 2, rounded(x))) is False
        wrong = ceiling if rounded is floor else floor
        assert same_relation(relation(of, B, x), relation(of, B, wrong(x))) is False


def test_roots_are_multiplied_out() -> None:
    """(√h + 1)² is h + 2·√h + 1, and what is not equal is told apart or left open."""
    assert equal((sqrt(n_heads) + 1) ** 2, n_heads + 2 * sqrt(n_heads) + 1) is True
    assert equal((sqrt(n_heads) + 1) ** 2, n_heads + 2 * sqrt(n_heads) + 2) is False


# What says nothing


def _below_its_embedding() -> Formula:
    bad = relation(Lt, P, each_weight * n_vocab * d_model)
    larger = relation(Lt, P * n_bytes, each_weight * n_vocab * d_model * n_bytes)
    steps = (premise(bad, ""), multiply(n_bytes, larger, ""))
    return formula(Implication(bad, larger), *steps, where=where(bad), uses=(catalogue()["total_parameters"],))


def _between_one_and_two() -> Formula:
    given, then = relation(Lt, T_memory, T_compute), relation(Lt, n_blocks * T_memory, n_blocks * T_compute)
    steps = (premise(given, ""), multiply(n_blocks, then, ""))
    return formula(Implication(given, then), *steps, where=where(Gt(n_blocks, 1), Lt(n_blocks, 2)))


def _contradiction() -> Formula:
    given, then = relation(Lt, P, P_total), relation(Lt, P_total, P)
    contrary = where(relation(Gt, T_memory, T_compute), relation(Lt, T_memory, T_compute))
    return formula(Implication(given, then), premise(given, ""), rewrite(then, ""), where=contrary)


def _trivial() -> Formula:
    given, then = relation(Lt, T_memory, T_compute), relation(Lt, T_memory, T_compute + T_memory)
    return formula(Implication(given, then), premise(given, ""), add_to_larger(T_memory, then, ""))


def _never(left: Any, right: Any) -> Formula:
    return formula(Equivalence(left, right))


VACUOUS: dict[str, tuple[Callable[[], Formula], str]] = {
    "against a formula that it uses": (
        _below_its_embedding,
        "the conditions cannot hold together, since it builds on total_parameters",
    ),
    "for no whole number": (_between_one_and_two, "the conditions cannot hold together for whole numbers"),
    "contradictory": (_contradiction, "the conditions cannot hold together"),
    "trivial": (_trivial, "what it concludes is always true"),
    "two sides that are never true": (
        lambda: _never(relation(Lt, 2 * P, P), relation(Lt, 2 * P * n_bytes, P * n_bytes)),
        "its left side is never true",
    ),
    "two sides that are always true": (
        lambda: _never(relation(Lt, P, 2 * P), relation(Lt, P * n_bytes, 2 * P * n_bytes)),
        "its left side is always true",
    ),
    "a letter is itself": (lambda: _never(relation(Eq, P, P), relation(Eq, W, W)), "its left side is always true"),
    "a right side that is always true": (
        lambda: _never(relation(Lt, P, W), relation(Ge, n_blocks, 1)),
        "its right side is always true",
    ),
    "a premise that no whole number meets": (
        lambda: formula(Implication(relation(Eq, 2 * n_blocks, 7), relation(Lt, P, W))),
        "what it presupposes is never true for whole numbers",
    ),
    "fewer weights than an embedding has": (
        lambda: formula(
            Implication(relation(Lt, T_memory, T_compute), relation(Lt, W, F)), where=where(Lt(P, P_embedding))
        ),
        "the conditions cannot hold together: in decoders of every kind P < P_embedding fails",
    ),
    "a premise that no decoder meets": (
        lambda: formula(Implication(relation(Ge, P_embedding, P), relation(Lt, W, F))),
        "what it presupposes is never true: in decoders of every kind P_embedding ≥ P fails",
    ),
    "fewer weights stored than multiplied, of experts": (
        lambda: formula(
            Implication(relation(Lt, P_total, P), relation(Lt, W, F)), models=(Trait.EXPERTS, Trait.LATENT)
        ),
        "what it presupposes is never true: in decoders of every kind P_total < P fails",
    ),
    "a side that is true of every decoder": (
        lambda: formula(Equivalence(relation(Lt, P_embedding, P), relation(Lt, W, F))),
        "its left side is always true: in decoders of every kind ",
    ),
    "an identity for no whole number": (
        lambda: formula(
            Eq(M_weights, P * n_bytes),
            premise(P * n_bytes, ""),
            where=where(Gt(n_heads, 3), Lt(n_heads, 4)),
        ),
        "the conditions cannot hold together for whole numbers",
    ),
}


@pytest.mark.parametrize("name", VACUOUS)
def test_what_says_nothing_is_refuted(name: str) -> None:
    """Whatever else is proved of it, and the finding says what cannot be."""
    made, said = VACUOUS[name]
    finding = check_conditions(made())
    assert finding.verdict is Verdict.REFUTED, finding
    assert finding.summary.startswith(f"vacuous: {said}")


POSSIBLE = [Gt(P, P_embedding), Lt(P, P_total), Gt(2 * P_embedding, P), Lt(m_token, n_bytes_kv * d_model), Lt(F, W)]


@pytest.mark.parametrize("given", POSSIBLE, ids=text)
def test_what_some_decoder_meets_is_no_vacuous_premise(given: Any) -> None:
    """Though others do not."""
    finding = check_conditions(formula(Implication(given, relation(Lt, T_memory, T_compute)), where=where(given)))
    assert finding.verdict is Verdict.PROVED, finding


@pytest.mark.parametrize("name", THEOREMS)
def test_theorems_are_about_decoders(name: str) -> None:
    """Each is about one of some kind, as it would have to be if the engine could not be asked."""
    bare = replace(catalogue()[name], measured_by="", unmeasured="nobody is asked")
    assert check_conditions(bare).verdict is Verdict.PROVED


def test_a_premise_that_no_search_meets_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an example nor a relation that fails for all shapes: that proves nothing."""
    found = formula(Implication(relation(Lt, P_total, 2 * P), relation(Lt, W, F)))
    assert check_conditions(found).verdict is Verdict.PROVED
    of_letters = vacuity.witness
    monkeypatch.setattr(
        vacuity, "witness", lambda relations, scope=None: None if scope and scope.used else of_letters(relations)
    )
    finding = check_conditions(found)
    assert finding.verdict is Verdict.UNDECIDED
    assert finding.summary.endswith("in a decoder: none was found where it does")


def test_vacuous_needs_both_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vacuous conditions need both solvers: one that disagrees leaves it open. Possible conditions need none."""
    monkeypatch.setattr(solvers, "ask_cvc5", lambda text: Answer("sat"))
    assert check_conditions(_contradiction()).verdict is Verdict.UNDECIDED
    monkeypatch.setattr(solvers, "find_spec", lambda name: None)
    assert "not installed" in check_conditions(_contradiction()).summary
    for name in THEOREMS:
        assert check_conditions(catalogue()[name]).verdict is Verdict.PROVED, name


def test_every_example_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that returns nonsense proves nothing."""
    nonsense = dict.fromkeys((T_memory, T_compute, P, P_total), Fraction(1, 2))
    monkeypatch.setattr("symbolic_llm.checks.examples._witness", lambda relations, scope: nonsense)
    assert witness([relation(Lt, T_memory, T_compute)]) is None
    assert not holds([relation(Le, P, P_total)], nonsense)  # half a weight
    assert holds([relation(Le, T_memory, T_compute)], {T_memory: Fraction(1), T_compute: Fraction(1)})
    for nothing in (Fraction(0), Fraction(-1)):  # of which no letter stands for any
        assert not holds([relation(Le, T_memory, T_compute)], {T_memory: nothing, T_compute: Fraction(1)})


def test_what_both_solvers_find_and_nobody_can_evaluate_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conditions that both solvers find possible, or give up on, are undecided, with a reason.

    The reason is the solver's, or that its example is none that can be evaluated.
    """
    for said in ("sat", "unknown"):
        monkeypatch.setattr("symbolic_llm.checks.vacuity.ask_z3", lambda text, said=said: Answer(said))
        monkeypatch.setattr(solvers, "ask_cvc5", lambda text, said=said: Answer(said))
        finding = check_conditions(_contradiction())
        assert finding.verdict is Verdict.UNDECIDED
        named, _, why = finding.summary.partition(" can hold: ")
        assert named == "whether conditions"
        assert (why == "no example was found that can be evaluated") == (said == "sat")
        assert why


def test_examples_obey_used_formulas() -> None:
    """Examples obey used formulas: what a formula defines is computed, whole where it has to be.

    A circle is met as two equations.
    """
    found = catalogue()["total_parameters"]
    given = [relation(Gt, P, 1000)]
    values = witness(given, Scope((found,)))
    assert values is not None
    assert values[P] == exact(found.rhs, values) > 1000
    one = formula(Eq(P, 2 * P_total), premise(2 * P_total, ""), kind=Kind.DEFINITION)
    other = formula(Eq(P_total, P), premise(P, ""), kind=Kind.DEFINITION)
    assert witness(given, Scope((one, other))) is None
    halves = formula(Eq(P, n_heads / 2), premise(n_heads / 2, ""), kind=Kind.DEFINITION)
    odd = [relation(Ne, n_heads, 2), relation(Le, n_heads, 4)]
    assert witness(odd, Scope((halves,))) == {n_heads: 4, P: 2}


# What solvers are asked


def asked(given: Any, **form: Any) -> tuple[verify_alone.Writer, list[str]]:
    """A relation as solvers are asked it, and who wrote it."""
    rounded = list[verify_alone.Rounded]()
    plain = verify_alone.plain(tree(given), rounded)
    writer = verify_alone.Writer([plain], rounded, ["P", "B"], **({"whole": False, "apart": False} | form))
    return writer, writer.given([plain])


def test_everything_has_its_words() -> None:
    """Rationals exact, rounding by integers, the smaller and the larger by cases."""

    def written(given: Any, **form: Any) -> str:
        return asked(given, **form)[1][-1]

    assert written(relation(Le, Max(P, W), F)) == "(or (and (>= P W) (<= P F)) (and (>= W P) (<= W F)))"
    assert written(relation(Le, Min(P, W), F)) == "(or (and (>= W P) (<= P F)) (and (>= P W) (<= W F)))"
    assert written(relation(Le, floor(P / W), F)) == "(<= (to_real rounded_1) F)"
    assert written(relation(Le, ceiling(P / W), F)) == "(<= (* (- 1.0) (to_real rounded_1)) F)"
    assert written(relation(Le, Mod(P, W), F)) == "(<= (+ P (* (- 1.0) W (to_real rounded_1))) F)"
    assert written(relation(Le, W / 3 + Fraction(1, 7), F)) == "(<= (+ 3.0 (* W 7.0)) (* F (* 7.0 3.0)))"
    assert written(relation(Ne, P, W)) == "(not (= P W))"
    assert written(relation(Le, P * W, F), whole=True) == "(<= (* (to_real P) W) F)"
    assert written(relation(Lt, P, B), whole=True) == "(< P B)"
    assert written(relation(Le, P**N, F)) == "(<= |P^N| F)"
    assert written(relation(Le, P * W / B, F), apart=True) == "(<= (+ (* 1.0 |P·W/B|) (* (- 1.0) F)) 0.0)"
    for nothing in (sin(P), sqrt(P), P**W):
        with pytest.raises(ValueError, match=r"has no tree|no whole number of times"):
            written(relation(Le, nothing, F))


def test_what_may_be_negative_is_multiplied_by_twice() -> None:
    """Its square keeps a relation as it is, and it is noted that it may be zero."""
    writer, given = asked(relation(Lt, P / (F - W), B))
    over, under = "(+ P (* (- 1.0) (* B (+ F (* (- 1.0) W)))))", "(+ F (* (- 1.0) W))"
    assert given == [f"(< (* {over} {under}) 0.0)"]
    assert list(map(writer.zero, writer.divisors)) == ["(= (+ (* (- 1.0) W) (* 1.0 F)) 0.0)"]
    assert asked(relation(Lt, P / (F + W), B))[0].divisors == []


def test_rounding_is_an_integer_between_two_bounds() -> None:
    """Up, down and the remainder, one inside the other; only where the divisor is positive."""
    writer, given = asked(relation(Le, floor(P / (W + ceiling(B / 2))), Mod(N, B)))
    assert [one.name for one in writer.rounded] == ["rounded_1", "rounded_2", "rounded_3"]
    assert "floor" not in str([one.of for one in writer.rounded])
    *_, stated = given
    assert stated == "(<= (to_real rounded_2) (+ N (* (- 1.0) B (to_real rounded_3))))"
    _, (bounds, _) = asked(relation(Le, floor(P / 2), B))
    above = "(>= (+ (* (- 2.0) (to_real rounded_1)) (* 1.0 P)) 0.0)"
    below = "(< (+ (- 2.0) (* (- 2.0) (to_real rounded_1)) (* 1.0 P)) 0.0)"
    assert bounds == f"(and {above} {below})"
    _, (bounds, _) = asked(relation(Le, floor(P / (F - W)), B))
    assert bounds.startswith("(or (<= (+ (* (- 1.0) W) (* 1.0 F)) 0.0) (and ")


def test_what_has_no_words_is_undecided() -> None:
    """A root, a letter in an exponent."""
    claim = Equivalence(relation(Lt, sqrt(P), W), relation(Lt, P, W**2))
    finding = check_theorem(formula(claim))
    assert finding.verdict is Verdict.UNDECIDED
    assert "no counterpart" in finding.summary


def test_a_theorem_gives_no_value() -> None:
    """To substitute one is a mistake that a finding names."""
    theorem = catalogue()["memory_bound_batches"]
    value = P * n_bytes / W
    steps = (premise(value, ""), substitute(theorem, value, ""))
    finding = check_dimensions(formula(Eq(T_memory, value), *steps, kind=Kind.LAW, uses=(theorem,)))
    assert finding.verdict is Verdict.REFUTED
    assert finding.summary == "step 2: memory_bound_batches is a theorem and gives no letter a value"


# Equality, by two witnesses


def test_equality_has_two_witnesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equality has two witnesses: if FLINT contradicts SymPy, nothing is decided, and what is equal stays unproved."""
    one, other = P * (W + 1) / (W**2 - 1), P / (W - 1)
    assert deciders() == "SymPy and FLINT"
    assert equal(one, other) is True
    monkeypatch.setattr(decide, "flint_zero", lambda expression: False)
    assert equal(one, other) is None
    with pytest.raises(decide.Disagreement, match=r"^SymPy finds .* to be zero, FLINT does not.$"):
        rational_zero(one - other)


def test_a_sample_point_has_no_letter_that_others_come_to() -> None:
    """Else an expression in one letter would look like one in the others: no sum or product of two to six is a letter.

    However many letters there are. The other points are for maxima, and have letters of all sizes.
    """
    first, *others = decide._WHOLE
    assert all(len({sized(place) for place in range(60)}) == 60 for sized in (first, *others))
    least, apart = first(0), first(1) - first(0)
    assert {first(place) for place in range(60)} == {*range(least, least + 60 * apart, apart)}
    for number in range(2, 7):
        for some in combinations_with_replacement(map(first, range(6)), number):
            assert all((come_to - least) % apart for come_to in (sum(some), prod(some))), some


def test_without_flint_sympy_decides_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """And it is said that it does."""
    monkeypatch.setattr(by_flint, "installed", lambda: False)
    monkeypatch.setattr(decide, "installed", lambda: False)
    assert equal(P * (W + 1) / (W**2 - 1), P / (W - 1)) is True
    assert deciders() == "SymPy alone: pip install 'symbolic-llm[check]' adds FLINT"
    assert main(["check", "weight_bytes"]) == 0
    assert capsys.readouterr().out.endswith(f"\nequality of expressions was decided by {deciders()}\n")


def test_flint_decides_by_itself() -> None:
    """FLINT tells by itself what is zero, what is not, and what is no rational function."""
    assert by_flint.flint_zero((P + W) ** 2 - P**2 - 2 * P * W - W**2) is True
    assert by_flint.flint_zero(1 / (P - 1) - 1 / (P + 1) - 2 / (P**2 - 1)) is True
    assert by_flint.flint_zero(P / (P + W) + W / (P + W) - 1 - P) is False
    for odd in (sqrt(P), P**W, Max(P, W), floor(P)):
        assert by_flint.flint_zero(odd) is None
