"""Solving by search, where there is no closed form

A batch picks 1 − (1 − k/E)^B of the experts: no closed form gives B. With numbers for all other letters the equation is
a function of one number, and its zeros are where it changes sign, or stretches on which it is zero throughout: where
the unknown does not count, or where a formula rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from ..algebra import Rational, lambdify
from ..expressions.arithmetic import Inexact
from ..expressions.exact import exact
from ..numeral import valued

_DIGITS = 30
_SMALLEST, _LARGEST = -40, 100  # powers of two between which zeros are looked for
_STEPS = 8  # points between a power of two and the next
_NOISE, _APART = 10**36, 10**20  # what is smaller by this than the whole is zero; what is nearer than this is one point


@dataclass(frozen=True)
class Stretch:
    """Neighbouring zeros: from `low` to `high`, which are one for a single zero.

    Attributes:
        low: the least; None where they go on as far down as is looked.
        high: the largest; None where they go on as far up as is looked.
        rising: whether the function is negative below; where it steps, `low` is then a zero and `high` is not.
    """

    low: Fraction | None
    high: Fraction | None
    rising: bool = True

    def points(self) -> Iterator[Fraction]:
        """The ends, and powers of two between them: enough to tell whether some point satisfies a condition."""
        yield from dict.fromkeys(end for end in (self.low, self.high) if end is not None)
        if self.low is None or self.low != self.high:
            powers = (Fraction(2) ** power for power in range(_SMALLEST, _LARGEST + 1, 4))
            yield from (p for p in powers if (self.low or 0) < p and (self.high is None or p < self.high))


def real(expression: Any, values: Mapping[Any, Fraction]) -> Fraction:
    """The value of an expression: exact where it has one, with a logarithm or a root of any degree to fifty digits.

    `ValueError` where it is no real number, `ZeroDivisionError` where it is infinite.
    """
    try:
        return Fraction(exact(expression, values))
    except Inexact:
        numbers = {s: Rational(v.numerator, v.denominator) for s, v in values.items()}
        found = valued(expression).xreplace(numbers).evalf(_DIGITS + 20)
    if not found.is_finite:
        raise ZeroDivisionError
    if not found.is_real:
        raise ValueError
    return _exactly(found._mpf_) if found.is_Float else Fraction(found.p, found.q)


def digits(expression: Any, values: Mapping[Any, Fraction | int]) -> Fraction:
    """The value of an expression to about fifty digits, however large a power in it is.

    `ValueError` where it is no real number, `ZeroDivisionError` where it is infinite.
    """
    import mpmath

    with mpmath.workdps(_DIGITS + 20):
        found = mpmath.mpc(_function(expression, values)())
    if not mpmath.isfinite(found):
        raise ZeroDivisionError
    if found.imag:
        raise ValueError
    return _exactly(found.real._mpf_)


def zeros(expression: Any, unknown: Any, values: Mapping[Any, Fraction], size: Fraction) -> list[Stretch]:
    """Stretches on which the expression is zero, to thirty digits, from the smallest to the largest.

    Two zeros that are nearer to each other than a twelfth of their value can be missed.

    Args:
        expression: what has to be zero.
        unknown: the letter.
        values: those of all other letters.
        size: how large what is subtracted in the expression is, beside which rounding errors are nothing.
    """
    import mpmath  # comes with SymPy

    with mpmath.workdps(3 * _DIGITS):  # the unknown may be as large as a third of them, and cancel
        computed = _function(expression, {s: value for s, value in values.items() if s != unknown}, unknown)
        noise = _floating(size) / _NOISE

        def sign(point: Any) -> int:
            try:
                value = computed(point)
            except ZeroDivisionError:  # at a pole, or where two cancel: what it is just beyond
                value = computed(point * (1 + mpmath.mpf(1) / _APART))
            return 0 if abs(value) <= noise else 1 if value > 0 else -1

        # evenly in the logarithm: letters run from bytes of a weight to FLOPs of a cluster
        points = [mpmath.mpf(2) ** (mpmath.mpf(i) / _STEPS) for i in range(_SMALLEST * _STEPS, _LARGEST * _STEPS + 1)]
        return list(_stretches(sign, points))


def _function(expression: Any, values: Mapping[Any, Any], *open_letters: Any) -> Callable[..., Any]:
    """A function of numbers of mpmath for the open letters.

    No number is put into the expression: SymPy would look which argument of a maximum of powers is the larger, and
    carry out powers, however large.
    """
    letters = [s for s in values if s in expression.free_symbols]
    function = lambdify([*letters, *open_letters], valued(expression), modules="mpmath")
    return partial(function, *(_floating(values[s]) for s in letters))


def _stretches(sign: Callable[[Any], int], points: list[Any]) -> Iterator[Stretch]:
    signs = [sign(point) for point in points]
    start = None if signs[0] else points[0]
    open_below = start is not None
    for (low, below), (high, above) in pairwise(zip(points, signs, strict=True)):
        if below and not above:  # zeros begin on the way
            start = _edge(sign, high, low)
        elif below and above and below != above:
            yield from _crossed(sign, low, high, below)
        elif not below and above:  # and end
            yield _made(None if open_below else start, _edge(sign, low, high), above > 0)
            start, open_below = None, False
    if start is not None:
        yield _made(None if open_below else start, None, True)


def _crossed(sign: Callable[[Any], int], low: Any, high: Any, below: int) -> Iterator[Stretch]:
    """The zero, or the narrow stretch of zeros, between points of opposite sign; none where the function leaps."""
    left, right = low, high
    for _ in range(4 * _DIGITS):
        middle = (left + right) / 2
        found = sign(middle)
        if not found:
            yield _made(_edge(sign, middle, low), _edge(sign, middle, high), below < 0)
            return
        left, right = (middle, right) if found == below else (left, middle)


def _edge(sign: Callable[[Any], int], zero: Any, other: Any) -> Any:
    """The last zero on the way from a zero to a point that is not one."""
    for _ in range(4 * _DIGITS):
        middle = (zero + other) / 2
        zero, other = (zero, middle) if sign(middle) else (middle, other)
    return zero


def _made(low: Any, high: Any, rising: bool) -> Stretch:
    if low is not None and high is not None and (high - low) * _APART <= high:
        middle = _fraction((low + high) / 2)
        return Stretch(middle, middle, rising)
    least, largest = (None if end is None else _fraction(end) for end in (low, high))
    return Stretch(least, largest, rising)


def _fraction(value: Any) -> Fraction:
    """A number to thirty digits; a whole one that comes within them is whole."""
    found = _exactly(value._mpf_)
    nearest = nearly_whole(found)
    return found if nearest is None else nearest


def _floating(value: Fraction | int) -> Any:
    """A fraction as a number of mpmath."""
    import mpmath

    return mpmath.mpf(value.numerator) / value.denominator


def _exactly(parts: tuple[int, int, int, int]) -> Fraction:
    """A floating number of mpmath or SymPy from its parts, nothing rounded."""
    sign, mantissa, exponent, _ = parts
    return Fraction(Fraction(mantissa) * Fraction(2) ** exponent * (-1) ** sign)


def nearly_whole(value: Fraction) -> Fraction | None:
    """The whole number that a value comes to within its digits; None where it comes to none."""
    nearest = Fraction(round(value))
    return nearest if abs(value - nearest) * 10**25 <= value else None
