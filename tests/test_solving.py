"""Solve, as a user meets it"""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
import sympy
from cases import A10, A100
from sympy import Eq, Ge, Gt, Le, Lt, Rational, Symbol

from symbolic_llm import batch_crossover, catalogue, errors, evaluate, solve
from symbolic_llm.answers.branch import Branch
from symbolic_llm.answers.resolution import reach
from symbolic_llm.expressions.exact import exact
from symbolic_llm.expressions.printing import text
from symbolic_llm.notation import LETTERS, F, W, n_bytes

STEP = {"P": 6e9, "n_bytes": 2, "F": "312 TFLOP/s", "W": "2 TB/s", "N": 1, "n_new": 1}  # the crossover is at 156


def test_the_closed_form() -> None:
    """Plain SymPy, without hidden numerals."""
    solution = solve(batch_crossover)
    assert solution.expr == n_bytes * F / (2 * W)
    assert solution.conditions == ()
    assert str(solution.unit) == "sequence"
    assert repr(solution).splitlines()[0].strip() == "n_bytes⋅F"
    assert solution._repr_latex_() == r"$\displaystyle B^{*} = \frac{n_{\text{bytes}}\,F}{2\,W}$"


def test_numbers_from_presets() -> None:
    """The crossover of the articles."""
    solution = solve(batch_crossover, **A100)
    assert solution.value == pytest.approx(161.24, abs=0.001)
    assert solution.exact == Fraction(2 * 312 * 10**12, 2 * 1935 * 10**9)
    assert "161.24 sequences" in repr(solution)
    assert "timbers-2023" in repr(solution)


@pytest.mark.parametrize(
    "formula", [batch_crossover, "batch_crossover", "batching/batch_crossover", "batching.batch_crossover"]
)
def test_a_formula_or_its_name(formula: Any) -> None:
    """All the same."""
    assert solve(formula, **A100).value == solve(batch_crossover, **A100).value


@pytest.mark.parametrize("unknown", ["W", W, Symbol("W"), "bandwidth"])
def test_any_letter_by_name(unknown: Any) -> None:
    """Or by symbol, or by another name it has."""
    solution = solve(batch_crossover, unknown, B=1, F="312 TFLOP/s", n_bytes=2)
    assert solution.value == 312 * 10**12
    assert str(solution.unit) == "byte/second"


def test_the_one_letter_that_is_left() -> None:
    """With the crossover given, the unknown need not be named."""
    assert solve(batch_crossover, B=1, F="312 TFLOP/s", n_bytes=2).unknown == W


def test_given_letters_go_before_presets() -> None:
    """And the rest still comes from them."""
    assert solve(batch_crossover, W="1 TB/s", **A100).value == 312
    assert solve(batch_crossover, "W", B=100, **A100).value == 312 * 10**10


def test_conditions_come_along() -> None:
    """The crossover with cache exists only where its condition holds."""
    solution = solve("batch_crossover_with_cache")
    assert [str(c.rel_op) for c in solution.conditions] == [">"]
    assert f"where {text(solution.conditions[0])}" in repr(solution)
    assert r"\text{where }" in solution._repr_latex_()


def test_no_batch_beyond_the_critical_context() -> None:
    """Says so, and why."""
    solution = solve("batch_crossover_with_cache", model="llama-2-7b", hardware="a100-80gb-sxm", dtype="fp16", N=8192)
    with pytest.raises(
        errors.NoSolution,
        match="compute-bound: what a sequence keeps takes longer to move than its",
    ):
        _ = solution.value
    assert "no batch is compute-bound" in repr(solution)


def test_cases_of_a_maximum() -> None:
    """Two branches, each with its condition; with numbers one of them remains."""
    solution = solve("latency", "P", T_step="10 ms", B=1, **A100)
    assert len(solution.branches) == 2
    assert solution.value == 9_675_000_000
    assert isinstance(solution.expr, sympy.Piecewise)
    (only,) = solve("latency", "F").branches
    assert str(only.conditions[0].relation.rel_op) == ">="


def test_several_solutions_are_said_to_be_several() -> None:
    """A machine at its crossover gives a range; a letter that cancels can be anything."""
    with pytest.raises(errors.SeveralSolutions, match="every F from 2 TFLOP/s on"):
        _ = solve("latency", "F", T_step="7 ms", P=7e9, dtype="fp16", W="2 TB/s", B=1).value
    with pytest.raises(errors.SeveralSolutions, match="P cancels"):
        _ = solve("batch_crossover_with_cache", "P", B=1, F=1, W=1, n_bytes=2, N=1, a=1, m_token=1).value


@pytest.mark.parametrize(
    ("formula", "unknown", "letters", "solutions", "inside", "outside"),
    [
        ("latency", "B", {}, "up to 156 sequences", 155, 157),
        ("latency", "n_bytes", {"B": 312}, "up to 4 B/weight", 3, 5),
        ("latency", "W", {"B": 312}, "from 1 TB/s on", "2 TB/s", "0.5 TB/s"),
        ("throughput", "B", {}, "from 156 sequences on", 157, 155),
        ("throughput", "n_bytes", {"B": 156}, "up to 2 B/weight", 1, 3),
        ("generation_time", "n_bytes", {"B": 156, "N": 400}, "up to 2 B/weight", 1, 3),
    ],
)
def test_the_side_of_a_crossover_on_which_nothing_changes(
    formula: str, unknown: str, letters: dict[str, Any], solutions: str, inside: Any, outside: Any
) -> None:
    """There every value is a solution; evaluating on both sides shows which."""
    known = _of(formula, {name: value for name, value in (STEP | letters).items() if name != unknown})
    quantity = catalogue()[formula].quantity.name
    at = evaluate(formula, **known, **{unknown: inside})
    with pytest.raises(errors.SeveralSolutions, match=f"every {unknown} {solutions} is a solution"):
        _ = solve(formula, unknown, **{quantity: at}, **known).value
    assert evaluate(formula, **known, **{unknown: outside}) != at


def test_what_only_a_condition_needs_may_be_left_open() -> None:
    """The budget buys 156 sequences, if reading the weights takes no longer."""
    assert solve("latency", "B", T="6 ms", P=6e9, F="312 TFLOP/s").value == 156


def _of(formula: str, letters: dict[str, Any]) -> dict[str, Any]:
    """The letters, with their values, that the formula depends on."""
    return {name: value for name, value in letters.items() if name in {s.name for s in reach(catalogue()[formula])}}


@pytest.mark.parametrize(
    ("batch", "answer", "note"),
    [
        (2, 10_035, "the largest: every N from 6,691 to 10,035 is a solution"),
        (200, 100, ""),
        (20000, None, "no whole number lies between "),
    ],
)
def test_rounding_admits_the_whole_numbers_of_an_interval(batch: int, answer: int | None, note: str) -> None:
    """Several, one or none, for a letter that counts; the answer is the end of them, and the formula says the same."""
    solution = solve("sequences_that_fit", "N", B=batch, **A10)
    if answer is None:
        with pytest.raises(errors.NoSolution, match=note):
            _ = solution.value
    else:
        assert solution.value == answer
        assert note in solution.note
        assert bool(note) == bool(solution.note)
        assert evaluate("sequences_that_fit", N=answer, **A10) == batch
        assert evaluate("sequences_that_fit", N=answer + 1, **A10) < batch
    first, *_ = repr(solution).split("\n\n")
    assert "N ≤ " in first
    assert "where N > (M - P_total·n_bytes)/(m_token·(B_fit + 1))" in first


@pytest.mark.parametrize(
    ("unknown", "letters", "said"),
    [
        ("M", {"P": 6e9, "n_bytes": 2}, "the smallest: every M from 20.5899 GB to below 22.7374 GB is a solution"),
        ("n_bytes", {"P": 6e9, "M": "24 GB"}, "the largest: every n_bytes above "),
        ("m_token", {"P": 6e9, "n_bytes": 2, "M": "24 GB"}, "the largest: every m_token above "),
    ],
)
def test_the_answer_where_a_formula_rounds_is_the_end_that_fits(
    unknown: str, letters: dict[str, Any], said: str
) -> None:
    """The least memory, the most bytes: so many sequences fit there, and beyond it fewer, and the note says so."""
    known = {"N": 4096, "m_token": 524288} | letters
    known = {name: value for name, value in known.items() if name != unknown}
    solution = solve("sequences_that_fit", unknown, B_fit=4, **known)
    assert solution.note.startswith(said)
    assert solution.note in repr(solution)
    values = solution.given.numbers()
    (branch,) = solution.branches
    assert solution.exact == exact(branch.expr, values)
    other_end = exact(branch.open_end, values)
    inside, outside = (solution.exact + share * (other_end - solution.exact) for share in (Fraction(1, 2), -1))
    fitting = {
        end: evaluate("sequences_that_fit", **known | {unknown: end})
        for end in (solution.exact, inside, other_end, max(outside, Fraction(1, 10)))
    }
    assert fitting[solution.exact] == fitting[inside] == 4
    assert 4 not in {fitting[other_end], fitting[max(outside, Fraction(1, 10))]}


# Theorems: a bound


@pytest.mark.parametrize(
    ("formula", "unknown", "letters", "said"),
    [
        ("capacity", "B", {"N": 4096, **A10}, "B ≤ 4.9002 sequences  (B must be a whole number, so at most 4)"),
        ("capacity", "M", {"N": 4096, "B": 4, "model": "llama-2-7b", "dtype": "fp16"}, "M ≥ 22.067 GB"),
        ("capacity", "N", {"B": 4, **A10}, "N ≤ 5,017.8 token/sequence  (N must be a whole number, so at most 5,017)"),
        ("memory_bound_batches", "W", {"B": 3, "F": "1 TFLOP/s", "n_bytes": 2}, "W < 333.33 GB/s"),
        (
            "memory_bound_batches",
            "B",
            {"F": 100, "W": 1, "n_bytes": 2},
            "B < 100 sequences  (B must be a whole number, so at ",
        ),
        ("memory_bound_batches", "F", {"B": 4, "W": 3, "n_bytes": 2}, "F > 12 FLOP/s"),
    ],
)
def test_a_theorem_is_solved_for_its_bound(formula: str, unknown: str, letters: dict[str, Any], said: str) -> None:
    """On whose one side the statement is true, and on whose other it is not; evaluating it there shows that."""
    solution = solve(formula, unknown, **letters)
    assert said in repr(solution)
    assert "exactly when " in repr(solution)
    (branch,) = solution.branches
    bound = branch.sign(Symbol("x"), Symbol("y"))
    known = {"P": 7e9} if "P" in {s.name for s in catalogue()[formula].letters} and "model" not in letters else {}
    for value in (solution.exact / 2, solution.exact, solution.exact * 2):
        count = Fraction(round(value)) if LETTERS[solution.unknown].whole else value
        if count >= 1:
            expected = bool(bound.subs({"x": Rational(count), "y": Rational(solution.exact)}))
            assert evaluate(formula, **letters, **known, **{unknown: count}) is expected


def test_a_branch_is_told_as_it_is() -> None:
    """Also where SymPy sees that it is true, or false: an answer in place of the relation says nothing."""
    one, other = (Symbol(name, positive=True) for name in "xy")
    for sign in (Eq, Lt, Le, Gt, Ge):
        relation = Branch(-other, sign=sign).relation(one)
        assert (relation.func, relation.args) == (sign, (one, -other))


def test_the_one_letter_a_theorem_lacks() -> None:
    """Need not be named, as for an equation; with nothing given it has to be."""
    assert solve("capacity", N=4096, **A10).value == solve("capacity", "B", N=4096, **A10).value
    with pytest.raises(
        errors.NotSolvable, match="so there is nothing to solve for: name a letter to get a bound on it"
    ):
        solve("capacity")


@pytest.mark.parametrize(
    ("letters", "reason"),
    [
        ({"N": 4096, **A10, "model": "llama-65b"}, r"a solution needs M > .*, but 24 GB > 131 GB fails"),
        ({"N": 400_000, **A10}, "B must be at least 1, but would be at most 0.05018"),
    ],
)
def test_nothing_lies_below_a_bound(letters: dict[str, Any], reason: str) -> None:
    """No memory is left, or too little for one sequence."""
    with pytest.raises(errors.NoSolution, match=reason):
        _ = solve("capacity", "B", **letters).value


def test_a_theorem_without_a_bound() -> None:
    """An implication, a letter on one side only, a letter whose side of the bound depends on others."""
    for formula, unknown, reason in (
        ("latency_linearity", "B", "bounds no letter"),
        ("memory_bound_batches", "P", "does not depend on P"),
        ("memory_bound_batches_with_cache", "N", "gives no bound on N that can be written down"),
    ):
        with pytest.raises(errors.NotSolvable, match=reason):
            solve(formula, unknown)


# What is told where there is no solution


@pytest.mark.parametrize(
    ("formula", "unknown", "letters", "numbers"),
    [
        ("tokens_that_fit", None, A10 | {"model": "llama-65b"}, "fails: 24 GB > 131 GB."),
        (
            "tokens_that_fit",
            None,
            {"M": 10**9, "P": 10**9, "n_bytes": "1.0000001", "m_token": 1},
            "1 GB > 1.0000001 GB.",
        ),
        ("batch_crossover_with_cache", None, A10 | {"N": 8192}, "fails: 1.05e22 > 5.37e23."),
        (
            "generation_time",
            "n_new",
            {"T_generation": "1 ms", "N": 350, "B": 1, "P": 7e9, "hardware": "a10", "dtype": "fp16"},
            "(so that n_new is positive), but 1.25e11 > 4.9e12 fails.",
        ),
        (
            "total_parameters",
            "d_model",
            {"P": 7e9, "n_blocks": 32, "n_vocab": 32000, "n_heads": 32, "d_head": 128},
            ", but 4,096 = 4,228 fails with d_model = 4,228.10.",
        ),
    ],
)
def test_a_condition_that_fails_shows_its_numbers(
    formula: str, unknown: str | None, letters: dict[str, Any], numbers: str
) -> None:
    """Both sides, in the unit they share, to as many figures as tell them apart."""
    with pytest.raises(errors.NoSolution) as caught:
        _ = solve(formula, unknown, **letters).value
    assert str(caught.value).endswith(numbers)


def test_none_fits() -> None:
    """Zero is an answer, to solve as to evaluate."""
    assert solve("sequences_that_fit", N=409600, **A10).value == evaluate("sequences_that_fit", N=409600, **A10) == 0


@pytest.mark.parametrize(
    ("formula", "unknown", "letters", "note"),
    [
        (
            "total_parameters",
            "n_blocks",
            {"P": 7e9, "d_model": 4096, "n_vocab": 32000},
            "the nearest are 34 below and 35 above",
        ),
        ("kv_bytes_total", "B", {"M_cache": 1, "N": 4096, "m_token": 524288}, "the smallest, 1, is larger"),
        ("kv_bytes_total", "B", {"M_cache": 8, "N": 4, "m_token": 1}, ""),
        ("memory_time", "P", {"T_memory": "5 ms", "n_bytes": 1, "W": "2000000000100 B/s"}, ""),  # too near to matter
        ("batch_crossover", "B_star", A100, ""),  # a crossover need not be whole
    ],
)
def test_a_count_that_is_not_whole_is_noted(formula: str, unknown: str, letters: dict[str, Any], note: str) -> None:
    """Its value stays: it says how much room is left."""
    solution = solve(formula, unknown, **letters)
    assert solution.value > 0
    assert note in solution.note
    assert bool(solution.note) == bool(note)
    assert note in repr(solution)


@pytest.mark.parametrize(
    ("formula", "unknown", "letters", "condition"),
    [
        (
            "tiled_attention_bytes",
            "b_q",
            {"D_tiled": "50 MB", "N": 4096, "d": 128, "n_bytes_act": 2},
            r"Mod\(N, b_q\) = 0",
        ),
        (
            "total_parameters",
            "d_model",
            {"P": 7e9, "n_blocks": 32, "n_vocab": 32000, "n_heads": 32, "d_head": 128},
            "n_heads·d_head = d_model",
        ),
    ],
)
def test_a_solution_satisfies_every_condition(
    formula: str, unknown: str, letters: dict[str, Any], condition: str
) -> None:
    """A solution that breaks a condition is refused, even if the condition contains the unknown."""
    with pytest.raises(errors.NoSolution, match=f"{condition}.* with {unknown} = "):
        _ = solve(formula, unknown, **letters).value


@pytest.mark.parametrize(
    ("formula", "unknown", "condition"),
    [
        ("tiled_attention_bytes", "b_q", "where D_tiled > 2·n_bytes_act·N·d"),
        ("batch_crossover_with_cache", "N", "(m_token·F - a·W) > 0"),  # either sign may be that of both
    ],
)
def test_a_condition_is_as_simple_as_can_be(formula: str, unknown: str, condition: str) -> None:
    """A quotient with a positive numerator has the sign of its denominator."""
    assert condition in repr(solve(formula, unknown))


def test_no_positive_solution() -> None:
    """More time than the prompt takes is needed to generate anything."""
    with pytest.raises(errors.NoSolution, match="a solution needs F·T_generation > 2·P·B·N"):
        _ = solve(
            "generation_time", "n_new", T_generation="1 ms", N=350, B=1, P=7e9, hardware="a10", dtype="fp16"
        ).value
    with pytest.raises(errors.NoSolution, match="the weights alone do not fit"):
        _ = solve("tokens_that_fit", model="llama-65b", hardware="a10", dtype="fp16").value


def test_square_roots() -> None:
    """A claim of second degree has its positive root, exact where it is rational."""
    assert solve("textbook_attention_bytes", "N", D_textbook=8 * 100**2 + 8 * 100 * 64, d=64, n_bytes=2).value == 100
    assert solve("textbook_attention_bytes", "N", D_textbook=10**6, d=64, n_bytes=2).value == pytest.approx(
        322.99, abs=0.01
    )
    side = solve("mlp_parameters", "d_model", P_mlp=8 * 4096**2)  # √2·√P/4
    assert isinstance(side.value, int)
    assert side.exact == 4096


def test_letters_of_used_formulas() -> None:
    """A letter deeper down can be given, and asked for."""
    shapes = {"n_blocks": 32, "d_model": 4096, "n_vocab": 32000}
    assert evaluate("weight_bytes", n_bytes=2, **shapes, n_heads=32, d_head=128) == 2 * 6_573_522_944
    assert (
        solve("weight_bytes", "n_vocab", M_weights=2 * 6_573_522_944, n_bytes=2, n_blocks=32, d_model=4096).value
        == 32000
    )
    assert evaluate("attention_parameters", n_heads=32, d_head=128) == 4 * 4096**2


def test_what_is_known_is_not_written_out() -> None:
    """Only the letters that lead to the unknown are, and of those only the open ones."""
    assert {s.name for s in solve("footprint", "n_vocab").expr.free_symbols} >= {"M_footprint", "m_token", "B"}
    known = solve("footprint", "n_blocks", P=7e9, n_bytes=2)
    assert "P_total" in {s.name for s in known.expr.free_symbols}
    for letters in ({"P": 10**6}, {"model": "llama-7b"}):
        with pytest.raises(errors.Overdetermined, match="depends on n_vocab only through P_total, given already"):
            solve("weight_bytes", "n_vocab", M_weights="13.5 GB", weights="fp16", **letters)
    everything = {"P": 7e9, "a": 524288, "m_token": 524288, "N": 100, "B": 200, "n_bytes": 2, "F": 1e14, "W": 1e12}
    with pytest.raises(errors.Overdetermined, match=r"only through .* and "):
        solve("batch_crossover_with_cache", "n_blocks", **everything)


def test_what_is_left_of_a_sum_keeps_its_sign() -> None:
    """A solution that is a sum alone, its first terms negative: the reserve is what is held without all else."""
    found = solve(
        "footprint_beside_reserve",
        "M_reserve",
        M_footprint=100,
        P_total=3,
        n_bytes=2,
        B=2,
        M_seq=15,
        m_act=7,
    )
    assert found.exact == 100 - 3 * 2 - 2 * 5 * 3 - 2 * 7


def test_of_a_stretch_an_equation_leaves_one() -> None:
    """A condition that is an equation leaves one solution of a stretch of them.

    Any number of heads does for a step that reading limits; but they share the width, so it is the one there is.
    """
    read = 2 * (52130 + 117 * 12 * 52130**2) + 8 * 7185 * 2 * 117 * 130 * 401 * 2
    given: dict[str, Any] = {"n_blocks": 117, "n_vocab": 1, "n_kv_heads": 130, "d_head": 401, "d_model": 52130}
    given |= {"n_bytes": 2, "n_bytes_kv": 2, "B": 8, "N": 7185, "F": 10**20, "W": read}  # a step takes a second
    assert solve("throughput_with_cache", "n_heads", R=8, **given).exact == 130
    with pytest.raises(errors.NoSolution):
        assert solve("throughput_with_cache", "n_heads", R=9, **given).exact
    with pytest.raises(errors.NoSolution):
        assert solve("throughput_with_cache", "n_heads", R=8, **given | {"d_model": 52131}).exact


def test_a_search_passes_a_pole() -> None:
    """Of the letter's values that are tried, 1 is one at which 0 is divided by 0."""
    assert solve("speculative_tokens", "alpha", n_step=Fraction(169, 64), gamma=2).value == 0.875
    with pytest.raises(errors.NoSolution):
        assert solve("speculative_tokens", "alpha", n_step=3, gamma=2).value


def test_solutions_come_in_the_same_order_in_every_process() -> None:
    """Whatever order sets have there: of several maxima each argument is taken for the largest in turn."""
    script = "from symbolic_llm import solve\nprint(solve('separate_latency', 'B'))"
    environments = ({**os.environ, "PYTHONHASHSEED": seed} for seed in "123")
    command = [sys.executable, "-c", script]
    said = {subprocess.run(command, capture_output=True, text=True, check=True, env=one).stdout for one in environments}
    assert len(said) == 1
