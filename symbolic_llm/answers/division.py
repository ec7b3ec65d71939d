"""Rounded quotients of whole numbers as whole division, which is exact and needs no fractions"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import floordiv
from typing import Any

from ..algebra import Dummy, Function, Integer, Max, Min, Poly, floor, fraction, together

DIVIDING: Mapping[str, Any] = {"_divided": floordiv, "_largest": max, "_smallest": min}
_DIVIDED, _LARGEST, _SMALLEST = map(Function, DIVIDING)
_ANY = Dummy()  # of a number alone


class NotDivided(ValueError):
    """Raised where something other than a quotient is rounded, or a quotient is not rounded."""


def divided(expression: Any) -> Any:
    """The expression of whole numbers with nothing but whole division in it; a relation, with no division at all.

    `NotDivided` where there is no such form.
    """
    if expression.is_Relational:
        over, under = _quotient(expression.lhs - expression.rhs)
        if not under.is_positive:
            raise NotDivided
        return expression.func(over, 0, evaluate=False)
    found = expression.replace(floor, _rounded_down)
    _quotient(
        found.replace(lambda part: part.func in (_DIVIDED, _LARGEST, _SMALLEST, Max, Min), lambda _: Integer(1)),
        under_is_one=True,
    )
    return found


def _rounded_down(value: Any) -> Any:
    """The value rounded down; the larger of two values becomes the larger of both rounded down."""
    if isinstance(value, Max):
        return reduce(_LARGEST, map(_rounded_down, value.args))
    if isinstance(value, Min):
        return reduce(_SMALLEST, map(_rounded_down, value.args))
    if value.is_Add:  # a + b without the larger of a and b
        for larger in value.atoms(Max):
            if len(larger.args) == 2 and value + larger == sum(larger.args):
                return _rounded_down(Min(*larger.args, evaluate=False))
    over, under = _quotient(value)
    return _DIVIDED(over, under)


def _quotient(value: Any, *, under_is_one: bool = False) -> tuple[Any, Any]:
    """Numerator and denominator of a value, as polynomials with whole coefficients.

    `NotDivided` where there are none, or where the denominator has to be 1 and is not.
    """
    over, under = fraction(together(value))
    if value.atoms(Function) or (under_is_one and under != 1):
        raise NotDivided
    for part in (over, under):
        symbols = part.free_symbols
        if not part.is_polynomial(*symbols) or not all(f.is_Integer for f in Poly(part, *symbols or [_ANY]).coeffs()):
            raise NotDivided
    return over, under
