"""Compile: the formula itself, for numbers and arrays"""

from __future__ import annotations

import inspect
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import A10
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from strategies import admissible
from sympy import Pow

from symbolic_llm import catalogue, compile, evaluate
from symbolic_llm.expressions.exact import exact
from symbolic_llm.formula import Formula


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
