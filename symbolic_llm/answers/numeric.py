"""Solving by search, where the unknown stands in a power

A batch picks 1 − (1 − k/E)^B of the experts: no closed form gives B. With numbers for all other letters the equation is
a function of one number, and its zeros are where it changes sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sympy import Rational, lambdify

_DIGITS = 30
_SMALLEST, _LARGEST = -40, 100  # powers of two between which zeros are looked for
_STEPS = 8  # points between a power of two and the next


def zeros(expression: Any, unknown: Any, values: Mapping[Any, Fraction]) -> list[Fraction]:
    """Where the expression changes sign, to thirty digits, from the smallest to the largest.

    Two zeros that lie within a twelfth of their value of each other are not told apart from none.
    """
    import mpmath  # comes with SymPy

    numbers = {s: Rational(v.numerator, v.denominator) for s, v in values.items() if s != unknown}
    with mpmath.workdps(_DIGITS + 15):
        function = lambdify(unknown, expression.xreplace(numbers), modules="mpmath")
        points = [mpmath.mpf(2) ** (mpmath.mpf(i) / _STEPS) for i in range(_SMALLEST * _STEPS, _LARGEST * _STEPS + 1)]
        return [_fraction(zero) for zero in _between(function, points)]


def _between(function: Callable[[Any], Any], points: list[Any]) -> Iterator[Any]:
    for (low, below), (high, above) in pairwise((point, function(point)) for point in points):
        if not above:
            yield high
        elif below and (below < 0) != (above < 0):
            yield _bisected(function, low, high, below < 0)


def _bisected(function: Callable[[Any], Any], low: Any, high: Any, rising: bool) -> Any:
    for _ in range(4 * _DIGITS):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) < 0) == rising else (low, middle)
    return (low + high) / 2


def _fraction(value: Any) -> Fraction:
    """A number to thirty digits; a whole one that comes within them is whole."""
    sign, mantissa, exponent, _ = value._mpf_
    exact = Fraction(mantissa) * Fraction(2) ** exponent * (-1) ** sign
    nearest = Fraction(round(exact))
    return nearest if abs(exact - nearest) * 10**25 <= exact else exact
