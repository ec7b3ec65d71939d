"""Exact numbers from expressions

Fractions in, fractions out: nothing is rounded before the very end, so counts can be compared with `==`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Context, Decimal, Overflow, localcontext
from fractions import Fraction
from math import prod
from typing import Any

from sympy import Add, Max, Min, Mod, Mul, Pow, Rational, ceiling, floor
from sympy.core.relational import Eq, Ge, Gt, Le, Lt, Ne
from sympy.logic.boolalg import BooleanAtom

from ..errors import InvalidValue
from ..numeral import Numeral


class Inexact(TypeError):
    """An expression without an exact value: a fraction stands in an exponent."""


_HALVES = (Rational(1, 2), Rational(-1, 2))

_COMPARE = {
    Eq: lambda x, y: x == y,
    Ne: lambda x, y: x != y,
    Lt: lambda x, y: x < y,
    Le: lambda x, y: x <= y,
    Gt: lambda x, y: x > y,
    Ge: lambda x, y: x >= y,
}


def exact(expression: Any, values: Mapping[Any, Fraction | int]) -> Any:
    """The exact value of an expression, or the truth of a relation; `KeyError` for a letter without a value."""
    found = _exact(expression, values)
    return found if isinstance(found, bool) else Fraction(found)


def _exact(expression: Any, values: Mapping[Any, Fraction | int]) -> Any:
    """The same, with ints for whole numbers as far as they come: they are quicker."""
    if expression.is_Symbol:
        return _plain(values[expression])
    if isinstance(expression, Numeral):
        return _exact(expression.value, values)
    if expression.is_Integer:
        return int(expression)
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if isinstance(expression, BooleanAtom):
        return bool(expression)
    if isinstance(expression, Mul):
        return _product(expression.args, values)
    parts = [_exact(part, values) for part in expression.args]
    if isinstance(expression, Add):
        return sum(parts)
    if isinstance(expression, Pow) and parts[1].denominator <= 2:
        base = parts[0] if parts[1].denominator == 1 else _root(parts[0])
        return _power(base, parts[1].numerator)
    if isinstance(expression, Max | Min):
        return max(parts) if isinstance(expression, Max) else min(parts)
    if isinstance(expression, floor):
        return math.floor(parts[0])
    if isinstance(expression, ceiling):
        return math.ceil(parts[0])
    if isinstance(expression, Mod):
        return parts[0] % parts[1]
    if expression.func in _COMPARE:
        return _COMPARE[expression.func](*parts)
    raise Inexact(f"{expression.func.__name__} has no exact value here")


def _plain(value: Fraction | int) -> Fraction | int:
    value = value if isinstance(value, int | Fraction) else Fraction(value)
    return value.numerator if value.denominator == 1 else value


def _power(base: Fraction | int, exponent: int) -> Fraction | int:
    """Exact for exponents that can be carried out, else to thirty digits; what is smaller than 1e-999 is 0."""
    if abs(exponent) <= 1024:
        return base**exponent if exponent >= 0 else Fraction(base) ** exponent
    with localcontext(Context(prec=40, Emin=-999, Emax=999, traps=[Overflow])):
        try:
            return Fraction((Decimal(base.numerator) / Decimal(base.denominator)) ** exponent)
        except Overflow:
            raise InvalidValue("the result is too large for a number.") from None


def _product(factors: tuple[Any, ...], values: Mapping[Any, Fraction | int]) -> Fraction | int:
    """The product, with one root drawn of all that stands under roots: √2·√8 is 4, though neither root is rational."""
    roots = [factor for factor in factors if isinstance(factor, Pow) and factor.exp in _HALVES]
    if not roots:
        whole: Fraction | int = prod(_exact(factor, values) for factor in factors)
        return whole
    whole = prod(_exact(factor, values) for factor in factors if factor not in roots)
    under: Fraction | int = prod(_power(_exact(root.base, values), int(2 * root.exp)) for root in roots)
    return whole * _root(under)


def _root(value: Fraction | int) -> Fraction:
    """The square root, exact for squares of fractions, else to thirty digits; `ValueError` for a negative number."""
    scale = 10**30
    over, under = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if over**2 == value.numerator and under**2 == value.denominator:
        return Fraction(over, under)
    return Fraction(math.isqrt(math.floor(value * scale**2)), scale)


def number(value: Fraction) -> int | float:
    """An exact value as Python people expect it: an int where it is whole, else the nearest float."""
    if value.denominator == 1:
        return value.numerator
    try:
        found = float(value)
    except OverflowError:
        raise InvalidValue("the result is too large for a number.") from None
    if not found:  # a fraction that is not whole is not zero
        raise InvalidValue("the result is too small for a number.")
    return found
