"""Conditions of formulas that are used on the way: whoever computes or solves through one has to satisfy them"""

from __future__ import annotations

import inspect
import math
from fractions import Fraction
from typing import Any

import pytest
from sympy import log

from symbolic_llm import catalogue, check, compile, errors, evaluate, explain, solve
from symbolic_llm.answers import bindings, solution
from symbolic_llm.answers.arrays import compilation
from symbolic_llm.answers.solution import Solution
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS, B, n_active, n_distinct, n_experts

# total_parameters needs n_heads·d_head = d_model, and 32 heads of 128 are no 1,988
KNOWN: dict[str, Any] = {"N": 10, "F": 312e12, "W": 2e12, "n_bytes": 2, "n_blocks": 32, "n_vocab": 32000}
CROSSOVER = "batch_crossover_with_cache"
HEADS = {"n_heads": 32, "d_head": 128}
CACHE = {"a": 524288, "m_token": 524288}
AT_1988 = explain(CROSSOVER, d_model=1988, n_heads=14, d_head=142, **KNOWN, **CACHE).exact
FAILS = r"n_heads·d_head = d_model \(the heads share .*, but 4,096 = 1,988 fails"


def test_a_letter_is_solved_for_under_the_conditions_on_the_way() -> None:
    """Known heads refuse the width that they do not make up, others do not; unknown ones are a condition."""
    found = solve(CROSSOVER, "d_model", B=AT_1988, **KNOWN, **CACHE)
    assert found.value == 1988
    assert "n_heads·d_head = d_model" in repr(found)
    assert solve(CROSSOVER, "d_model", B=AT_1988, **KNOWN, **CACHE, n_heads=14, d_head=142).value == 1988
    with pytest.raises(errors.NoSolution, match=FAILS + " with d_model = 1,988"):
        _ = solve(CROSSOVER, "d_model", B=AT_1988, **KNOWN, **CACHE, **HEADS).value


def test_a_value_that_was_computed_keeps_its_conditions() -> None:
    """Solved for the heads, the weights that the width gave are right for heads that make up the width only."""
    letters = {**KNOWN, "m_token": 524288, "d_model": 1988, "d_head": 128}
    with pytest.raises(errors.NoSolution, match=FAILS + " with n_heads = 32"):
        _ = solve(CROSSOVER, "n_heads", B=AT_1988, **letters).value


@pytest.mark.parametrize("ask", [evaluate, explain, compile])
@pytest.mark.parametrize(
    ("formula", "letters"),
    [
        (CROSSOVER, {**KNOWN, **CACHE, "d_model": 1988, **HEADS}),
        ("weight_bytes", {"n_bytes": 2, "n_blocks": 3, "n_vocab": 7, "d_model": 3, "n_heads": 2, "d_head": 2}),
        ("footprint", {**KNOWN, "N": 1, "B": 1, "m_token": 1, "d_model": 1988, **HEADS}),
    ],
)
def test_a_formula_on_the_way_that_does_not_apply_is_named(ask: Any, formula: str, letters: dict[str, Any]) -> None:
    """Whatever is asked; so is one further down, whose letter is not the formula's own."""
    names = {s.name for s in bindings.reach(catalogue()[formula])}
    letters = {name: value for name, value in letters.items() if name in names}
    sentence = (
        r"does not apply, because the condition of total_parameters \(.*\) is not "
        r"met: n_heads·d_head = d_model fails"
    )
    with pytest.raises(errors.ConditionViolated, match=sentence):
        ask(formula, **letters)


def test_a_compiled_function_checks_them_too() -> None:
    """A compiled function checks conditions of formulas that are put in, and of those that computed its constants."""
    unfolded = compile(
        CROSSOVER, outside="nan", unfold=True, **KNOWN, n_heads=32, n_bytes_kv=2, n_kv_heads=32, d_ff=16384
    )
    assert list(inspect.signature(unfolded).parameters) == ["d_head", "d_model"]
    assert unfolded(d_head=128, d_model=4096) > 0
    assert math.isnan(unfolded(d_head=127, d_model=4096))
    constant = compile(
        CROSSOVER, outside="nan", unfold=True, **KNOWN, d_model=4096, n_bytes_kv=2, n_kv_heads=32, d_ff=16384
    )
    assert list(inspect.signature(constant).parameters) == ["n_heads", "d_head"]
    assert constant(n_heads=32, d_head=128) == unfolded(d_head=128, d_model=4096)
    assert math.isnan(constant(n_heads=32, d_head=127))


def test_conditions_that_are_not_asked_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: without them, the wrong width comes back, and a function computes where nothing holds."""
    for module in (bindings, solution):
        monkeypatch.setattr(module, "first_broken", lambda *_: None)
    monkeypatch.setattr(compilation, "_computing", lambda *_: ())
    assert solve(CROSSOVER, "d_model", B=AT_1988, **KNOWN, **CACHE, **HEADS).value == 1988
    constant = compile(
        CROSSOVER, outside="nan", unfold=True, **KNOWN, d_model=4096, n_bytes_kv=2, n_kv_heads=32, d_ff=16384
    )
    assert constant(n_heads=32, d_head=127) > 0


def test_check_says_so() -> None:
    """A broken condition on the way is a finding of `check`, since the values are wrong and not the question."""
    found = check("weight_bytes", n_bytes=2, n_blocks=3, n_vocab=7, d_model=3, n_heads=2, d_head=2)["values"]
    assert found.verdict is Verdict.REFUTED
    assert "n_heads·d_head = d_model fails" in found.summary


# A quantity that comes out as no number of its letter

READ = {"P": 43, "n_moe": 46, "P_expert": 393.75}


def test_fewer_experts_than_one_token_picks_are_refused() -> None:
    """By every question; the letters may be given or solved for."""
    for ask in (evaluate, explain, compile):
        with pytest.raises(errors.InvalidValue, match=r"at least n_active .*, but 5.61 is less than 6"):
            ask("expert_weights_read", **READ, n_active=6, n_distinct=5.61)
    with pytest.raises(errors.NoSolution, match="a solution needs n_active ≤ n_distinct"):
        _ = solve("expert_weights_read", "n_distinct", **READ, n_active=6, P_read=40).value
    nan = compile("expert_weights_read", outside="nan", **READ, n_distinct=5.61)
    assert math.isnan(nan(n_active=6))
    assert nan(n_active=5) == evaluate("expert_weights_read", **READ, n_distinct=5.61, n_active=5)


def test_one_token_uses_what_it_picks() -> None:
    """To the last bit or not: rounding leaves no function without a value."""
    read = compile("expert_weights_read", outside="nan")
    for experts in range(1, 130):
        for active in range(1, experts + 1):
            found = read(P=1, P_expert=1, n_moe=1, n_experts=experts, n_active=active, B=1)
            assert found == pytest.approx(1), (active, experts)


@pytest.fixture
def unbounded(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Impossible inputs, as if nothing were known of the least number of experts."""
    monkeypatch.setattr(bindings, "bounds", lambda _: ())
    monkeypatch.setattr(compilation, "bounds", lambda _: ())
    return {**READ, "n_active": 6, "n_distinct": 5.61}


def test_a_quantity_that_comes_out_negative_is_no_answer(unbounded: dict[str, Any]) -> None:
    """Even where no condition says so: its letter is positive."""
    with pytest.raises(
        errors.NoSolution,
        match=r"for these values: the result would be -7,020.9 weights, but P_read must be positive",
    ):
        evaluate("expert_weights_read", **unbounded)
    assert "P_read must be positive" in check("expert_weights_read", **unbounded)["values"].summary
    with pytest.raises(errors.NoSolution, match=r"so that P_read is positive"):
        _ = solve("expert_weights_read", **unbounded).value
    with pytest.raises(errors.ConditionViolated, match=r"of expert_weights_read \(so that P_read is positive"):
        evaluate("memory_time", model="mixtral-8x7b", n_bytes=2, W=1, n_distinct="0.1", P=10**9)
    del unbounded["n_active"]
    assert math.isnan(compile("expert_weights_read", outside="nan", **unbounded)(n_active=6))


def test_a_negative_quantity_is_seen_by_these_checks_alone(
    unbounded: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: without them, a negative number of weights comes back."""
    for module in ("explanation", "solution", "bindings"):
        monkeypatch.setattr(f"symbolic_llm.answers.{module}.no_quantity", lambda *_: None)
    monkeypatch.setattr(compilation, "_never_negative", lambda _: True)
    assert evaluate("expert_weights_read", **unbounded) == pytest.approx(-7020.875)
    assert solve("expert_weights_read", **unbounded).value == pytest.approx(-7020.875)
    del unbounded["n_active"]
    assert compile("expert_weights_read", outside="nan", **unbounded)(n_active=6) == pytest.approx(-7020.875)


# A letter in a power


def test_a_batch_that_uses_so_many_experts() -> None:
    """A logarithm in letters; a number that is whole where the claim is then true, nothing rounded."""
    found = solve("distinct_experts", "B")
    assert found.expr == log(1 - n_distinct / n_experts) / log(1 - n_active / n_experts)
    assert {n_experts > n_active, n_experts > n_distinct} <= set(found.conditions)
    for batch in (1, 2, 5, 29, 300):
        used = explain("distinct_experts", n_experts=60, n_active=4, B=batch).exact
        assert solve("distinct_experts", "B", n_experts=60, n_active=4, n_distinct=used).exact == batch
    a_little_more = used + Fraction(1, 10**40)
    assert solve("distinct_experts", "B", n_experts=60, n_active=4, n_distinct=a_little_more).exact != batch


def test_experts_that_each_token_picks_so_that_so_many_are_used() -> None:
    """A root in letters, and the number of the search that it takes the place of."""
    found = solve("distinct_experts", "n_active", n_experts=8, n_distinct=6, B=4)
    assert found.expr == n_experts * (1 - (1 - n_distinct / n_experts) ** (1 / B))
    assert found.value == pytest.approx(8 * (1 - 0.25**0.25), rel=1e-15)
    assert solve("distinct_experts", "n_active", n_experts=8, n_distinct=8, B=4).value == 8
    used = explain("distinct_experts", n_experts=60, n_active=4, B=7).exact
    assert solve("distinct_experts", "n_active", n_experts=60, n_distinct=used, B=7).exact == 4


@pytest.mark.parametrize("unknown", ["B", "n_active"])
def test_the_whole_numbers_beside_it_and_what_they_give(unknown: str) -> None:
    """The whole numbers beside a solution, and what they give, are told as `evaluate` says it."""
    known = {"n_experts": 8, "n_active": 2, "B": 4}
    del known[unknown]
    solved = solve("distinct_experts", unknown, n_distinct=6, **known)
    below = math.floor(solved.value)
    gives = [evaluate("distinct_experts", **known, **{unknown: whole}) for whole in (below, below + 1)]
    assert (
        f"the nearest are {below} below and {below + 1} above; they give n_distinct = {gives[0]:.4f} and "
        in solved.note
    )
    assert gives[0] < 6 < gives[1]


@pytest.mark.parametrize(
    ("unknown", "letters", "error", "sentence"),
    [
        (
            "B",
            {"n_experts": 8, "n_active": 2, "n_distinct": 8},
            errors.NoSolution,
            "a solution needs n_experts > n_distinct",
        ),
        ("B", {"n_experts": 8, "n_active": 8, "n_distinct": 8}, errors.SeveralSolutions, "the same for every B here"),
        (
            "n_active",
            {"n_experts": 8, "B": 2, "n_distinct": 9},
            errors.NoSolution,
            "a solution needs n_experts ≥ n_distinct",
        ),
        (
            "n_experts",
            {"n_active": 2, "B": 1, "n_distinct": 2},
            errors.SeveralSolutions,
            "the same for every n_experts",
        ),
    ],
)
def test_a_power_without_one_solution(unknown: str, letters: dict[str, Any], error: Any, sentence: str) -> None:
    """All experts are never quite used by finitely many tokens that pick fewer, and are by one that picks all."""
    with pytest.raises(error, match=sentence):
        _ = solve("distinct_experts", unknown, **letters).value


def test_what_is_nearly_whole_is_not_called_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: without putting back, a batch that does not satisfy the claim would be told as exact."""
    used = explain("distinct_experts", n_experts=60, n_active=4, B=300).exact + Fraction(1, 10**40)
    monkeypatch.setattr(Solution, "_satisfied", lambda *_: True)
    assert solve("distinct_experts", "B", n_experts=60, n_active=4, n_distinct=used).exact == 300


def asked_by_a_condition_alone() -> list[tuple[Formula, Any]]:
    """Letters of conditions that the right-hand side does not have; not what a step has put into the claim."""
    found = []
    for formula in catalogue():
        if formula.quantity is not None and formula.kind is not Kind.APPROXIMATION:
            own = {*formula.rhs.free_symbols, formula.quantity}
            there = set().union(*(condition.relation.free_symbols for condition in formula.asked))
            found += [(formula, symbol) for symbol in LETTERS if symbol in there - own]
    return found


def unasked(formula: Formula, symbol: Any) -> bool:
    """Whether `evaluate` answers without a letter that only a condition has, all others given."""
    there = {s for c in formula.conditions for s in c.relation.free_symbols} | formula.rhs.free_symbols
    letters = {s.name: 2 for s in there - {symbol, formula.quantity}}
    try:
        return symbol not in explain(formula, **letters).given.values  # it may be computed from the others
    except errors.Underdetermined as error:
        return symbol.name not in str(error).partition("needs a value for ")[2].partition(", because")[0]
    except (errors.ConditionViolated, errors.NoSolution):  # another condition fails for twos, and that is said first
        return False


def test_a_letter_that_only_a_condition_has_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every formula; and the twin: conditions of which nobody can tell are passed over."""
    alone = asked_by_a_condition_alone()
    assert {
        *("chunk_price", "decode_time_with_cache", "generation_time", "output_cost_ratio_with_cache"),
        *("prefill_throughput", "request_time", "time_per_output_token"),
    } <= {formula.name for formula, _ in alone}
    assert not [symbol for formula, symbol in alone if unasked(formula, symbol)]
    needed = "needs a value for D_weights_prompt, because it holds only if 2·P·B·N·W > D_weights_prompt·F: "
    with pytest.raises(errors.Underdetermined, match=needed):
        evaluate("generation_time", P=100, B=3, N=4, n_new=5, F=10, W=10, D_weights=7)
    monkeypatch.setattr(bindings.Given, "ask", lambda self, letters: None)
    assert [symbol for formula, symbol in alone if unasked(formula, symbol)]


def test_what_a_step_puts_into_a_claim_is_said_to_be_assumed() -> None:
    """A condition that a step puts into a claim is said to be assumed if nobody can tell whether it holds.

    So is that of a formula on the way. If somebody can tell, it is not assumed but has to hold.
    """
    shapes = {"n_blocks": 1, "n_vocab": 3, "d_model": 10}
    heads = "assumes n_heads·d_head = d_model: the heads share the model's width evenly, as in the schematic model"
    for formula, more in (("total_parameters", {}), ("weight_bytes", {"n_bytes": 2})):
        assert heads in repr(explain(formula, **shapes, **more)).splitlines()
        known = {"n_heads": 5, "n_kv_heads": 5, "d_head": 2, "d_ff": 40}
        assert "assumes" not in repr(explain(formula, **shapes, **more, **known))
        with pytest.raises(errors.ConditionViolated):
            explain(formula, **shapes, **more, n_heads=5, d_head=3)
