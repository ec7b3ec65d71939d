"""Solve, evaluate, explain, check and compile, as a user meets them, wrong questions included"""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import admissible
from sympy import Pow, Symbol

import symbolic_llm
from symbolic_llm import SymbolicLLMError, batch_crossover, catalogue, check, compile, errors, evaluate, explain, solve
from symbolic_llm.answers.applies import check_values
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.expressions.exact import exact
from symbolic_llm.formula import Formula
from symbolic_llm.notation import B_star, F, W, n_bytes
from symbolic_llm.presets import Presets

A100 = {"hardware": "a100-80gb-pcie", "dtype": "fp16"}
A10 = {"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16"}
STEP = {"P": 6e9, "n_bytes": 2, "F": "312 TFLOP/s", "W": "2 TB/s", "N": 1, "n_new": 1}  # the crossover is at 156


# Solving


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
    assert "where W·(2·P + a·N) > N·m_token·F" in repr(solution)
    assert r"\text{where }" in solution._repr_latex_()


def test_no_batch_beyond_the_critical_context() -> None:
    """Says so, and why."""
    solution = solve("batch_crossover_with_cache", model="llama-2-7b", hardware="a100-80gb-sxm", dtype="fp16", N=8192)
    with pytest.raises(errors.NoSolution, match="no batch is compute-bound: the context is not below critical_context"):
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
    """Rounding gives a range, and so does a machine at its crossover; a letter that cancels can be anything."""
    with pytest.raises(errors.SeveralSolutions, match=r"every M between 22\.0668 GB and 24\.2142 GB"):
        _ = solve("sequences_that_fit", "M", B_fit=4, N=4096, model="llama-2-7b", dtype="fp16").value
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
    """Those of the letters that the formula has."""
    return {name: value for name, value in letters.items() if name in {s.name for s in catalogue()[formula].letters}}


@pytest.mark.parametrize(
    ("batch", "answer"), [(2, "every N from 6,691 to 10,035"), (200, 100), (20000, "no whole number")]
)
def test_rounding_admits_the_whole_numbers_of_an_interval(batch: int, answer: int | str) -> None:
    """Several, one or none, for a letter that counts."""
    solution = solve("sequences_that_fit", "N", B=batch, **A10)
    if isinstance(answer, int):
        assert solution.value == answer
        assert evaluate("sequences_that_fit", N=answer, **A10) == batch
    else:
        with pytest.raises((errors.SeveralSolutions, errors.NoSolution), match=answer):
            _ = solution.value
    first, *_ = repr(solution).split("\n\n")
    assert "N ≤ " in first
    assert "where N > (M - P_total·n_bytes)/(m_token·(B_fit + 1))" in first


def test_the_end_of_an_interval_that_is_no_solution() -> None:
    """Is named, and is none."""
    letters = {"N": 4096, "model": "llama-2-7b", "dtype": "fp16"}
    with pytest.raises(errors.SeveralSolutions, match="the upper end excluded"):
        _ = solve("sequences_that_fit", "M", B_fit=4, **letters).value
    (branch,) = solve("sequences_that_fit", "M", B_fit=4, **letters).branches
    values = solve("sequences_that_fit", "M", B_fit=4, **letters).given.numbers()
    for end, fitting in ((branch.expr, 4), (branch.open_end, 5)):
        assert evaluate("sequences_that_fit", M=exact(end, values), **letters) == fitting


def test_none_fits() -> None:
    """Zero is an answer, to solve as to evaluate."""
    assert solve("sequences_that_fit", N=409600, **A10).value == evaluate("sequences_that_fit", N=409600, **A10) == 0


@pytest.mark.parametrize(
    ("formula", "unknown", "letters", "note"),
    [
        ("total_parameters", "n_blocks", {"P": 7e9, "d_model": 4096, "n_vocab": 32000}, "34 lies below, 35 above"),
        ("kv_bytes_total", "B", {"M_cache": 1, "N": 4096, "m_token": 524288}, "1, the least, lies above"),
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
    """Those that contain the unknown too."""
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
    with pytest.raises(errors.NoSolution, match="it would need F·T_generation > 2·P·B·N"):
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
    assert evaluate("weight_bytes", n_bytes=2, **shapes) == 2 * 6_573_522_944
    assert (
        solve("weight_bytes", "n_vocab", M_weights=2 * 6_573_522_944, n_bytes=2, n_blocks=32, d_model=4096).value
        == 32000
    )
    assert evaluate("attention_parameters", n_heads=32, d_head=128) == 4 * 4096**2


def test_what_is_known_is_not_written_out() -> None:
    """Only the letters that lead to the unknown are, and of those only the open ones."""
    assert {s.name for s in solve("footprint", "n_vocab").expr.free_symbols} >= {"M_footprint", "m_token", "B", "N"}
    known = solve("footprint", "n_blocks", P=7e9, n_bytes=2)
    assert "P_total" in {s.name for s in known.expr.free_symbols}
    for letters in ({"P": 10**6}, {"model": "llama-7b"}):
        with pytest.raises(errors.Overdetermined, match="depends on n_vocab only through P_total, given already"):
            solve("weight_bytes", "n_vocab", M_weights="13.5 GB", weights="fp16", **letters)
    everything = {"P": 7e9, "a": 524288, "m_token": 524288, "N": 100, "B": 200, "n_bytes": 2, "F": 1e14, "W": 1e12}
    with pytest.raises(errors.Overdetermined, match=r"only through .* and "):
        solve("batch_crossover_with_cache", "n_blocks", **everything)


# Evaluating


def test_whole_numbers_stay_whole() -> None:
    """Counts are ints, exactly; what is not whole is a float."""
    value = evaluate("kv_bytes_per_token", model="llama-2-7b", cache="fp16")
    assert value == 524_288
    assert isinstance(value, int)
    assert isinstance(evaluate(batch_crossover, **A100), float)
    assert evaluate("total_parameters", n_blocks=10**20, d_model=10**20, n_vocab=1) == 12 * 10**60 + 10**20


@pytest.mark.parametrize(
    "value",
    [2, 2.0, "2", "2 byte", "2 bytes/weight", Fraction(2), Decimal(2), np.int64(2), np.float32(2), sympy.Integer(2)],
)
def test_numbers_of_any_type(value: Any) -> None:
    """They all mean two."""
    assert evaluate(batch_crossover, n_bytes=value, F=4, W=1) == 4


def test_a_float_is_the_decimal_it_prints_as() -> None:
    """0.1 is a tenth."""
    assert solve(batch_crossover, n_bytes=0.1, F=20, W=1).exact == 1


def test_theorems_have_a_truth() -> None:
    """On either side of the crossover."""
    assert evaluate("memory_bound_batches", model="llama-7b", B=161, **A100) is True
    assert evaluate("memory_bound_batches", model="llama-7b", B=162, **A100) is False


def test_storage_formats() -> None:
    """weights= and cache= are by default as dtype=, and go before it."""
    assert solve(batch_crossover, **A100).value == 4 * solve(batch_crossover, weights="int4", **A100).value
    per_token = {
        c: evaluate("kv_bytes_per_token", model="llama-2-7b", dtype="fp16", cache=c) for c in (None, "q4_0", "int8")
    }
    assert per_token[None] == 2 * per_token["int8"]
    assert per_token["q4_0"] == Fraction(9, 16) * per_token["int8"]


def test_weights_do_not_say_how_the_cache_is_stored() -> None:
    """A format for one is none for the other, and the sentence says what is missing; a number given as n_bytes is."""
    with pytest.raises(errors.Underdetermined, match=r"needs a value for n_bytes_kv: .*\(cache=, dtype=\)"):
        evaluate("footprint", model="llama-2-7b", weights="int4", N=4096, B=1)
    with pytest.raises(errors.Underdetermined, match=r"needs a value for n_bytes_act: .*\(dtype=\)"):
        evaluate("tiled_attention_bytes", model="llama-2-7b", weights="int4", N=4096, b_q=64)
    assert evaluate("multi_head_kv_bytes_per_token", n_blocks=1, d_model=8, n_bytes=2) == 32
    assert evaluate("textbook_attention_flops", model="llama-2-7b", N=1) > 0  # its d is the model's d_head


def test_a_number_of_any_size() -> None:
    """Is shown, beyond what a float can hold too."""
    huge = dict.fromkeys(("B", "m_token", "n_new", "N"), 1e99)
    found = explain("kv_bytes_read_while_generating", **huge)
    assert found.value > 10**395
    assert repr(found).endswith("D_generation = 1.5e+378 EB")
    del huge["B"]
    tiny = solve("kv_bytes_read_while_generating", "B", D_generation=1e-99, **huge)
    assert "B = 6.6667e-397 sequences" in repr(tiny)
    with pytest.raises(errors.InvalidValue, match="too small for a number"):
        _ = tiny.value


@pytest.mark.parametrize("name", ["B*", "B_star", "B"])
def test_a_letter_as_it_is_printed(name: str) -> None:
    """Is as good as its name in code."""
    assert solve(batch_crossover, name).unknown == B_star


# Explaining


def test_an_explanation_goes_from_letters_to_numbers() -> None:
    """Formula, numbers put in, result; letters computed on the way with their formula."""
    found = explain("critical_context", model="llama-2-7b", hardware="a100-80gb-sxm", dtype="fp16")
    lines = repr(found).splitlines()
    assert lines[0] == "Critical context"
    assert (
        "m_token = 2·n_blocks·n_kv_heads·d_head·n_bytes_kv = 2·32·32·128·2 = 524.288 kB/token  (by kv_bytes_per_token)"
        in lines
    )
    assert "N_critical = 2·P·W/(m_token·F - a·W)" in lines
    assert "N_critical = 2·6607077376·2.039e12/(524288·3.12e14 - 524288·2.039e12)" in lines
    assert lines[-1] == "N_critical = 165.80 token/sequence"
    assert found.value == pytest.approx(165.798, abs=0.001)
    assert found._repr_latex_().startswith(r"$\displaystyle \begin{aligned}")


def test_an_approximation_is_explained_with_its_bound() -> None:
    """And the bound holds."""
    found = explain("flops_per_token", model="llama-2-7b", N=4096)
    assert "≈ 13.214 GFLOP/token" in repr(found)
    assert "too low by at most 16.93%" in repr(found)
    real = evaluate("decode_flops", model="llama-2-7b", N=4096, B=1)
    assert 0 < 1 - found.value / real < 0.1693


def test_only_what_went_into_a_result_is_listed() -> None:
    """No empty list, nothing twice, and ≈ where it is ≈."""
    constant = repr(explain("q4_bytes_per_weight")).splitlines()
    assert constant == ["Bytes per weight of 4-bit blocks", "", "n_bytes = 9/16", "n_bytes = 0.5625 B/weight"]
    rough = repr(explain("flops_per_token", model="llama-2-7b")).splitlines()
    assert rough[2:] == [
        "  P = 6,607,077,376 weights  (llama-2-7b, weights that are multiplied)",
        "",
        "C_token ≈ 2·P",
        "C_token ≈ 2·6607077376",
        "C_token ≈ 13.214 GFLOP/token",
    ]


def test_a_given_letter_says_which_preset_it_replaces() -> None:
    """If it differs."""
    line = "  n_bytes = {} B/weight{}"
    assert line.format(1, "  (instead of 2, fp16)") in repr(explain("weight_bytes", P=1, n_bytes=1, dtype="fp16"))
    assert line.format(2, "") in repr(explain("weight_bytes", P=1, n_bytes=2, dtype="fp16")).splitlines()


def test_what_other_sources_print() -> None:
    """Whichever source was asked for."""
    assert "(t4, techpowerup; baseten-2023 prints 300 GB/s)" in repr(
        explain("ridge_point", hardware="t4@techpowerup", dtype="fp16")
    )


def test_both_sides_of_a_theorem_are_explained() -> None:
    """With numbers, and whether they hold."""
    shown = repr(explain("memory_bound_batches", model="llama-7b", B=200, **A100))
    assert "200 < 2·3.12e14/(2·1.935e12)  (does not hold)" in shown


# Checking and compiling


def test_a_report_reads_well() -> None:
    """Verdict, witness and a line for each check."""
    report = check("batch_crossover")
    assert repr(report).splitlines()[0] == "batch_crossover: PROVED  (witness: clock.batch_crossover)"
    with pytest.raises(KeyError):
        _ = report["theorem"]


def test_a_report_on_values() -> None:
    """Given any, there is one more finding: whether the formula applies to them, and what it then says."""
    assert "values" not in {finding.check for finding in check("tokens_that_fit").findings}
    fitting = check("tokens_that_fit", **A10)
    assert fitting["values"].summary == "its conditions hold, and n_fit is 20,071 tokens"
    assert fitting.verdict is Verdict.PROVED
    too_large = check("tokens_that_fit", **A10 | {"model": "llama-65b"})
    assert too_large.verdict is Verdict.REFUTED
    assert "the weights alone do not fit" in too_large["values"].summary
    for batch, said in ((1, "its conclusion holds"), (1000, "its conclusion does not hold, nor what it follows from")):
        assert check("memory_bound_batches", B=batch, **A10)["values"].summary == said
    with pytest.raises(errors.Underdetermined, match="needs a value for N"):
        check("kv_bytes_total", B=1, m_token=1)


def test_a_claim_that_is_not_true_of_values_is_refuted() -> None:
    """The twin: an equivalence turned round."""
    theorem = catalogue()["memory_bound_batches"]
    turned = replace(theorem, claim=Equivalence(theorem.claim.left, ~theorem.claim.right))
    assert check_values(turned, {"B": 1}, Presets(**A10)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("formula", [f for f in catalogue() if f.quantity is not None], ids=lambda f: f.name)
@given(data=st.data())
def test_a_compiled_formula_computes_the_formula(formula: Formula, data: st.DataObject) -> None:
    """For numbers and for arrays, by name and by position, to within what rounding the inputs does to the value."""
    values = data.draw(admissible(formula))
    function = compile(formula)
    needed = {s: v for s, v in values.items() if s in formula.rhs.free_symbols}
    value = exact(formula.rhs, values)
    exponents = {s for power in formula.rhs.atoms(Pow) for s in power.exp.free_symbols}
    nudged = (
        exact(formula.rhs, values | {s: v * (1 + Fraction(1, 2**48))}) for s, v in needed.items() if s not in exponents
    )
    expected, atol = float(value), float(sum(abs(other - value) for other in nudged) + abs(value) / 10**12)
    numbers = {s.name: float(v) for s, v in needed.items()}
    arrays = {s.name: np.array([float(v), float(v)]) for s, v in needed.items()}
    assert abs(function(**numbers) - expected) <= atol
    assert abs(function(*numbers.values()) - expected) <= atol
    assert_allclose(function(**arrays), [expected, expected] if arrays else expected, rtol=0, atol=atol)
    if numbers:
        with pytest.raises(TypeError):
            function(*numbers.values(), 1.0)


def test_compiled_down_to_basic_letters() -> None:
    """Used formulas put in."""
    footprint = compile("footprint", unfold=True)
    widths = {"d_model": 4096, "n_kv_heads": 32, "d_head": 128, "n_bytes": 2, "n_bytes_kv": 2}
    assert footprint(n_blocks=32, n_vocab=32000, B=1, N=4096, **widths) == 2 * 6_573_522_944 + 4096 * 524_288
    assert "batch: sequences in one pass" in (footprint.__doc__ or "")


def test_arrays_broadcast() -> None:
    """The maximum is taken element by element."""
    latency = compile("latency")
    found = latency(P=7e9, n_bytes=2, B=np.array([1, 200]), F=312e12, W=1935e9)
    assert_allclose(found, [14e9 / 1935e9, 2 * 7e9 * 200 / 312e12])


@pytest.mark.parametrize("argument", ["P", "n_bytes", "B", "F", "W"])
def test_what_is_not_a_number_is_passed_on(argument: str) -> None:
    """By a compiled maximum, for scalars as for arrays."""
    latency, ones = compile("latency"), dict.fromkeys(("P", "n_bytes", "B", "F", "W"), 1.0)
    assert math.isnan(latency(**ones | {argument: math.nan}))
    assert np.isnan(latency(**ones | {argument: np.array([math.nan])})).all()


def test_a_compiled_function_has_a_name() -> None:
    """That a missing argument is told with."""
    with pytest.raises(TypeError, match=r"^latency\(\) missing 4 required positional arguments"):
        compile("latency")(1)


@pytest.mark.parametrize(
    ("formula", "options", "left", "values"),
    [
        ("latency", A10, ["B"], {"B": 3}),
        ("batch_crossover", {"hardware": "a10", "dtype": "fp16"}, [], {}),
        ("sequences_that_fit", A10, ["N"], {"N": 4096}),
        ("weight_bytes", {"weights": "q4_0", "unfold": True}, ["n_blocks", "n_vocab", "d_model"], None),
        ("weight_bytes", {"P": 7e9, "n_bytes": 2, "unfold": True}, [], {}),
        ("kv_bytes_total", {"B": 10**20, "N": 7}, ["m_token"], {"m_token": 9}),
    ],
)
def test_what_is_given_is_compiled_in(
    formula: str, options: dict[str, Any], left: list[str], values: dict[str, Any] | None
) -> None:
    """The function has the other letters, and says the same as evaluate."""
    function = compile(formula, **options)
    assert list(inspect.signature(function).parameters) == left
    if values is not None:
        known = {name: value for name, value in options.items() if name != "unfold"}
        expected = float(evaluate(formula, **known, **values))
        assert function(**values) == pytest.approx(expected, rel=1e-12)
        arrays = {name: np.array([value, value]) for name, value in values.items()}
        assert_allclose(function(**arrays), [expected, expected] if arrays else expected, rtol=1e-12)


# The package


def test_every_formula_is_an_attribute() -> None:
    """And dir lists them, for tab completion."""
    assert set(catalogue().names) <= set(dir(symbolic_llm))
    for name in catalogue().names:
        assert getattr(symbolic_llm, name) is catalogue()[name]
    with pytest.raises(AttributeError, match="no attribute 'batch_crosover'"):
        _ = symbolic_llm.batch_crosover


def test_names_do_not_hide_modules() -> None:
    """No formula is called like a part of the package."""
    import pkgutil

    assert not {m.name for m in pkgutil.iter_modules(symbolic_llm.__path__)} & set(catalogue().names)


def test_a_formula_shows_itself() -> None:
    """In a line, in a drawing, in LaTeX."""
    assert repr(batch_crossover) == "batch_crossover: B* = n_bytes·F/(2·W)"
    assert str(batch_crossover).startswith("Batch crossover\n\n     n_bytes⋅F")
    assert batch_crossover._repr_latex_() == r"$\displaystyle B^{*} = \frac{n_{\text{bytes}}\,F}{2\,W}$"
    parameters = catalogue()["total_parameters"]._repr_latex_()
    assert r"\left(4\,d_{\text{model}}^{2} + 2 \cdot 4\,d_{\text{model}}^{2}\right) + n_{\text{vocab}}" in parameters


@pytest.mark.parametrize("same", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_what_can_be_copied_and_pickled(same: Any) -> None:
    """So it can be sent to other processes; of a formula and of the catalogue there is one each."""
    assert same(batch_crossover.rhs) == batch_crossover.rhs
    assert same(batch_crossover) is batch_crossover
    assert same(catalogue()) is catalogue()
    own = replace(batch_crossover)
    assert same(own) is not batch_crossover
    for answer in (solve(batch_crossover, **A100), explain(batch_crossover, **A100)):
        assert same(answer) == answer
        assert hash(same(answer)) == hash(answer)


def test_the_catalogue_shows_itself() -> None:
    """And completes names in brackets."""
    assert repr(catalogue()).startswith(f"{len(catalogue())} formulas in the chapters parameters, ")
    assert catalogue()._ipython_key_completions_() == list(catalogue().names)
    assert "__version__" in dir(symbolic_llm)


# Wrong questions


WRONG = {
    "unknown formula": (lambda: solve("batch_crosover"), errors.UnknownName, "did you mean batch_crossover"),
    "no formula": (lambda: solve(3), errors.UnknownName, "by its name, not as int"),
    "unknown letter": (
        lambda: solve(batch_crossover, "Q"),
        errors.UnknownName,
        "has the letters n_bytes, B_star, F, W",
    ),
    "unknown given letter": (lambda: solve(batch_crossover, Q=3), errors.UnknownName, "there is no letter 'Q'"),
    "no letter": (lambda: solve(batch_crossover, 3), errors.UnknownName, "a letter is given by its name"),
    "letter not in it": (lambda: solve(batch_crossover, "P"), errors.NotSolvable, "does not depend on P"),
    "unknown hardware": (lambda: solve(batch_crossover, hardware="a100"), errors.UnknownName, "a100-80gb-pcie"),
    "unknown source": (lambda: evaluate(batch_crossover, hardware="t4@nobody"), errors.UnknownName, "t4 is not cited"),
    "unknown model": (lambda: evaluate("weight_bytes", model="lama-7b"), errors.UnknownName, "llama-7b"),
    "unknown dtype": (lambda: evaluate(batch_crossover, dtype="fp17"), errors.UnknownName, "fp16"),
    "storage as dtype": (
        lambda: evaluate(batch_crossover, dtype="q4_0"),
        errors.UnknownName,
        "no machine computes in it",
    ),
    "no such peak": (
        lambda: evaluate(batch_crossover, hardware="m1", dtype="int4"),
        errors.Underdetermined,
        "m1 has no int4 peak, only fp32, fp16",
    ),
    "no dtype": (lambda: evaluate(batch_crossover, hardware="m1"), errors.Underdetermined, "dtype"),
    "preset no text": (lambda: evaluate(batch_crossover, hardware=3), errors.UnknownName, "not as int"),
    "wrong unit": (lambda: solve(batch_crossover, F="312 GB/s"), errors.WrongUnit, "write it as '312 TFLOP/s'"),
    "wrong count": (lambda: solve(batch_crossover, B="3 tokens"), errors.WrongUnit, "is in sequence"),
    "unknown unit": (lambda: solve(batch_crossover, F="312 parsecs"), errors.WrongUnit, "'parsecs' is not a unit"),
    "zero": (lambda: solve(batch_crossover, W=0), errors.InvalidValue, "is positive, but 0 was given"),
    "negative": (lambda: solve(batch_crossover, W="-1 GB/s"), errors.InvalidValue, "is positive"),
    "nan": (lambda: solve(batch_crossover, W=float("nan")), errors.InvalidValue, "finite"),
    "infinite": (lambda: solve(batch_crossover, W=float("inf")), errors.InvalidValue, "finite"),
    "nan as text": (lambda: solve(batch_crossover, W="nan"), errors.InvalidValue, "not a finite number"),
    "not whole": (lambda: evaluate("compute_time", B=1.5, P=1, F=1), errors.InvalidValue, "whole number"),
    "no number": (lambda: solve(batch_crossover, W="fast"), errors.InvalidValue, "'fast' is not a number"),
    "nothing": (lambda: solve(batch_crossover, W=None), errors.InvalidValue, "not None"),
    "truth value": (lambda: solve(batch_crossover, W=True), errors.InvalidValue, "not True"),
    "a list": (lambda: solve(batch_crossover, W=[1]), errors.InvalidValue, r"not \[1\]"),
    "an array": (lambda: solve(batch_crossover, W=np.ones(2)), errors.InvalidValue, "a number or text"),
    "complex": (lambda: solve(batch_crossover, W=1j), errors.InvalidValue, "not 1j"),
    "a symbol": (lambda: solve(batch_crossover, W=Symbol("x")), errors.InvalidValue, "not x"),
    "code": (lambda: solve(batch_crossover, W="__import__('os')"), errors.InvalidValue, "is not a number"),
    "huge": (lambda: solve(batch_crossover, W=10**200), errors.InvalidValue, "out of all proportion"),
    "huge text": (lambda: solve(batch_crossover, W="9" * 10**6), errors.InvalidValue, "too long"),
    "huge exponent": (lambda: solve(batch_crossover, W="1e999999999"), SymbolicLLMError, "e999999999"),
    "no exponent": (lambda: solve(batch_crossover, W="5e"), errors.InvalidValue, "'5e' is not a number"),
    "a format": (lambda: evaluate("weight_bytes", n_bytes="fp16"), errors.InvalidValue, "as weights= or dtype="),
    "tiny Decimal": (lambda: solve(batch_crossover, W=Decimal("1e-100000000")), errors.InvalidValue, "proportion"),
    "unprintable": (lambda: solve(batch_crossover, W=10**5000), errors.InvalidValue, "thousands of digits"),
    "many lines": (lambda: solve(batch_crossover, W=np.ones((2, 2))), errors.InvalidValue, "not array"),
    "called formula": (lambda: solve(batch_crossover, formula=3), errors.UnknownName, "no letter 'formula'"),
    "near an alias": (lambda: evaluate("ridge_point", bandwith=3), errors.UnknownName, "did you mean bandwidth"),
    "lower case": (lambda: evaluate("ridge_point", w=3), errors.UnknownName, "did you mean W"),
    "near a dtype": (lambda: evaluate(batch_crossover, dtype="f16"), errors.UnknownName, "fp16"),
    "no source": (lambda: evaluate(batch_crossover, hardware="t4@"), errors.UnknownName, "there is no source ''"),
    "no figures": (
        lambda: evaluate("ridge_point", hardware="pixel-5"),
        errors.Underdetermined,
        "F and W: no source prints a peak of pixel-5; no source prints the bandwidth of pixel-5.",
    ),
    "irrelevant": (
        lambda: evaluate("memory_time", M_weights="1 GB", P=1, n_bytes=1, W=1),
        errors.Overdetermined,
        "memory_time does not depend on M_weights",
    ),
    "of no effect": (
        lambda: evaluate("weight_bytes", model="llama-7b", n_bytes=2, n_blocks=16),
        errors.Overdetermined,
        "n_blocks changes nothing in weight_bytes here, because P_total = 6738415616 is given",
    ),
    "compiled quantity": (lambda: compile("latency", T_step=1), errors.Overdetermined, "what latency computes"),
    "compiled condition": (
        lambda: compile("tokens_that_fit", **A10 | {"model": "llama-65b"}),
        errors.ConditionViolated,
        "do not fit",
    ),
    "three equations": (
        lambda: evaluate("q4_bytes_per_weight", n_bits=8),
        errors.ConditionViolated,
        r"its condition \(codes of 4 bits\) is not met: n_bits = 4 fails for n_bits = 8",
    ),
    "given twice": (lambda: solve(batch_crossover, B=1, B_star=1), errors.InvalidValue, "given twice"),
    "asked and given": (lambda: solve(batch_crossover, "W", W=1), errors.Overdetermined, "both asked for and given"),
    "nothing left": (
        lambda: solve(batch_crossover, B=1, W=1, F=1, n_bytes=2),
        errors.Overdetermined,
        "nothing is left",
    ),
    "too much left": (lambda: solve(batch_crossover, B=1, W=1), errors.Underdetermined, "n_bytes, F"),
    "no value yet": (
        lambda: solve(batch_crossover, W=1).value,
        errors.Underdetermined,
        "needs a value for n_bytes and F",
    ),
    "quantity given": (lambda: evaluate(batch_crossover, B=1, W=1, F=1, n_bytes=1), errors.Overdetermined, "use solve"),
    "a theorem": (lambda: solve("memory_bound_batches"), errors.NotSolvable, "is a theorem"),
    "compiled theorem": (lambda: compile("memory_bound_batches"), errors.NotSolvable, "is a theorem"),
    "condition": (
        lambda: evaluate("attention_parameters", d_model=10, n_heads=3, d_head=3),
        errors.ConditionViolated,
        "n_heads·d_head = d_model fails for n_heads = 3, d_head = 3, d_model = 10",
    ),
    "tiles": (
        lambda: evaluate("tiled_attention_bytes", N=10, b_q=3, d=4, n_bytes=2),
        errors.ConditionViolated,
        "the tiles divide the sequence evenly",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_question_gets_one_sentence(name: str) -> None:
    """Of the package's own error class, saying what was wrong."""
    ask, kind, sentence = WRONG[name]
    with pytest.raises(kind, match=sentence) as caught:
        ask()
    assert isinstance(caught.value, SymbolicLLMError)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith((".", "?"))
    assert len(message) < 400


@given(st.text(max_size=200), st.sampled_from(["value", "letter", "unknown", "hardware", "formula"]))
def test_any_text_is_data(text: str, place: str) -> None:
    """Whatever is written anywhere, it is answered or refused by the package's own errors."""
    try:
        if place == "value":
            solve(batch_crossover, W=text)
        elif place == "letter":
            solve(batch_crossover, **{text: 1})
        elif place == "unknown":
            solve(batch_crossover, text)
        elif place == "hardware":
            solve(batch_crossover, hardware=text)
        else:
            solve(text)
    except SymbolicLLMError:
        pass


def test_theorems_are_told_from_equations() -> None:
    """Those that cannot be solved are exactly the theorems."""
    for formula in catalogue():
        assert (formula.quantity is None) == (formula.kind is Kind.THEOREM)
        if formula.quantity is None:
            with pytest.raises(AttributeError, match="has no right-hand side"):
                _ = formula.rhs
    assert B_star in batch_crossover.letters
