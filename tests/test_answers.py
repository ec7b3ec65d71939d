"""Solve, evaluate, explain, check and compile, as a user meets them, wrong questions included"""

from __future__ import annotations

import math
import pickle
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
from sympy import Symbol

import symbolic_llm
from symbolic_llm import SymbolicLLMError, batch_crossover, catalogue, check, compile, errors, evaluate, explain, solve
from symbolic_llm.claims import Kind
from symbolic_llm.evaluation import exact
from symbolic_llm.formula import Formula
from symbolic_llm.notation import B_star, F, W, n_bytes

A100 = {"hardware": "a100-80gb-pcie", "dtype": "fp16"}


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


def test_letters_of_used_formulas() -> None:
    """A letter deeper down can be given, and asked for."""
    shapes = {"n_blocks": 32, "d_model": 4096, "n_vocab": 32000}
    assert evaluate("weight_bytes", n_bytes=2, **shapes) == 2 * 6_573_522_944
    assert (
        solve("weight_bytes", "n_vocab", M_weights=2 * 6_573_522_944, n_bytes=2, n_blocks=32, d_model=4096).value
        == 32000
    )
    assert evaluate("attention_parameters", n_heads=32, d_head=128) == 4 * 4096**2


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


def test_numerals_can_be_pickled() -> None:
    """So expressions can be sent to other processes."""
    expression = batch_crossover.rhs
    assert pickle.loads(pickle.dumps(expression)) == expression


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
    except TypeError:  # a keyword that means something else already
        assert text == "formula"


def test_theorems_are_told_from_equations() -> None:
    """Those that cannot be solved are exactly the theorems."""
    for formula in catalogue():
        assert (formula.quantity is None) == (formula.kind is Kind.THEOREM)
        if formula.quantity is None:
            with pytest.raises(AttributeError, match="has no right-hand side"):
                _ = formula.rhs
    assert B_star in batch_crossover.letters
