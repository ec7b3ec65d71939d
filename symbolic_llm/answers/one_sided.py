"""Bounds on a value where a letter has none: what is at least so, whatever the letter is

A step takes the longer of two times. Where the peak of a machine is not known, the time of reading is still a bound: no
peak makes the step shorter. Letters are positive, so sums, products and maxima of them only grow with each.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

from ..algebra import Add, Max, Mul, Pow
from ..errors import SymbolicLLMError
from ..expressions.exact import exact
from ..formula import Formula
from ..notation import LETTERS
from ..presets import Presets
from .gather import gather_inputs, own_sum

Values = Mapping[Any, Fraction]


class Bound(NamedTuple):
    """A bound on a value: "≥" or "≤", the bound, and the letters whose values it does not need."""

    sign: str
    value: Fraction
    without: tuple[str, ...]


class _NotMonotone(Exception):
    """Something is subtracted, or is no sum, product, maximum or power."""


def bound(formula: Formula, letters: Mapping[str, object], presets: Presets) -> Bound | None:
    """The bound on a formula's value that the known letters give; None where they give none.

    It holds whatever the others are, as far as the formula's conditions do not ask for them.
    """
    try:
        formula = own_sum(formula, presets, letters)
        given = gather_inputs(formula, letters, presets)
    except SymbolicLLMError:
        return None
    values, asked = given.numbers(), {s for one in formula.demanded for s in one.relation.free_symbols}
    lacking = [symbol for symbol in LETTERS if symbol in formula.rhs.free_symbols - values.keys()]
    if formula.quantity is None or not lacking or asked - values.keys() or given.refused or given.broken() is not None:
        return None
    without = tuple(symbol.name for symbol in lacking)
    try:
        least, most = _between(formula.rhs, values)
    except (_NotMonotone, ZeroDivisionError):
        return None
    if least:
        return Bound("≥", least, without)
    return None if most is None else Bound("≤", most, without)


def _between(expression: Any, values: Values) -> tuple[Fraction, Fraction | None]:
    """Numbers that the expression is never less and never more than: at least 0, and None where there is no most."""
    if expression.free_symbols <= values.keys():
        known = _known(expression, values)
        return known, known
    if expression.is_Symbol:
        return Fraction(0), None
    if isinstance(expression, Max | Add | Mul):
        joined = max if isinstance(expression, Max) else sum if isinstance(expression, Add) else prod
        lows, highs = zip(*(_between(one, values) for one in expression.args), strict=True)
        return Fraction(joined(lows)), None if None in highs else Fraction(joined(highs))
    base, power = _power(expression)
    least, most = _between(base, values)
    if power > 0:
        return least**power, None if most is None else most**power
    return most**power if most else Fraction(0), least**power if least else None


def _known(expression: Any, values: Values) -> Fraction:
    found = exact(expression, values)
    if isinstance(found, bool) or found < 0:  # with what is subtracted the rest would count the other way round
        raise _NotMonotone
    return Fraction(found)


def _power(expression: Any) -> tuple[Any, int]:
    if not isinstance(expression, Pow) or not expression.exp.is_Integer:
        raise _NotMonotone
    return expression.base, int(expression.exp)
