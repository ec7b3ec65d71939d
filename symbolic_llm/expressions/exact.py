"""Exact numbers from expressions

Fractions in, fractions out: nothing is rounded before the very end, so counts can be compared with `==`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, Overflow, localcontext
from fractions import Fraction
from functools import lru_cache
from math import prod
from operator import itemgetter
from typing import Any

from sympy import Add, Max, Min, Mod, Mul, Pow, Rational, ceiling, floor
from sympy.core.relational import Eq, Ge, Gt, Le, Lt, Ne
from sympy.logic.boolalg import BooleanAtom

from ..errors import InvalidValue
from ..numeral import Numeral


class Inexact(TypeError):
    """An expression without an exact value: a fraction stands in an exponent."""


class NoRoot(ValueError):
    """The root of something negative."""


_HALVES = (Rational(1, 2), Rational(-1, 2))
_LARGEST_POWER = 1024
_HIGH = 16  # powers up to which roots of a polynomial are found at once

_TWO_SIDED: dict[Any, Callable[[Any, Any], Any]] = {
    Eq: operator.eq,
    Ne: operator.ne,
    Lt: operator.lt,
    Le: operator.le,
    Gt: operator.gt,
    Ge: operator.ge,
    Mod: lambda x, y: plain(x % y),
}
Compute = Callable[[Mapping[Any, Fraction | int]], Any]


def exact(expression: Any, values: Mapping[Any, Fraction | int]) -> Any:
    """The exact value of an expression, or the truth of a relation; `KeyError` for a letter without a value."""
    compute, letters = exactly(expression)
    found = compute({symbol: plain(values[symbol]) for symbol in letters})
    return found if isinstance(found, bool) else Fraction(found)


@lru_cache(maxsize=2**12)
def exactly(expression: Any) -> tuple[Compute, tuple[Any, ...]]:
    """What computes an expression, and its letters: their values have to be `plain`, and so is what comes out."""
    return _computing(expression), tuple(expression.free_symbols)


def _computing(expression: Any) -> Compute:
    """A function of the values, put together once: asked again, nothing is looked up but numbers."""
    if expression.is_Symbol:
        return itemgetter(expression)
    if isinstance(expression, Numeral):
        return _computing(expression.value)
    if expression.is_Rational:
        number = plain(Fraction(int(expression.p), int(expression.q)))
        return lambda values: number
    if isinstance(expression, BooleanAtom):
        truth = bool(expression)
        return lambda values: truth
    if isinstance(expression, Mul):
        return _product(expression.args)
    if _is_divisor(expression):
        return _product((expression,))
    parts = tuple(map(_computing, expression.args))
    if isinstance(expression, Add):
        return lambda values: plain(sum([part(values) for part in parts]))
    if isinstance(expression, Pow):
        return _powered(*parts)
    if isinstance(expression, Max | Min):
        chosen = max if isinstance(expression, Max) else min
        return lambda values: chosen([part(values) for part in parts])
    if isinstance(expression, floor | ceiling):
        (inner,), rounded = parts, math.floor if isinstance(expression, floor) else math.ceil
        return lambda values: rounded(inner(values))
    if expression.func in _TWO_SIDED:
        operation, (left, right) = _TWO_SIDED[expression.func], parts
        return lambda values: operation(left(values), right(values))
    return _no_value(expression.func.__name__)


def _no_value(name: str) -> Compute:
    def refuse(values: Any) -> Any:
        raise Inexact(f"{name} has no exact value here")

    return refuse


def put_in(expression: Any, changes: Mapping[Any, Any]) -> Any:
    """`xreplace` that keeps each maximum as it is written: SymPy would search long for which argument is the larger."""
    maxima = {
        maximum: Max(*(put_in(argument, changes) for argument in maximum.args), evaluate=False)
        for maximum in expression.atoms(Max)
    }
    return replaced(expression, {**maxima, **changes})


def replaced(expression: Any, changes: Mapping[Any, Any]) -> Any:
    """`xreplace`, but SymPy is not asked whether a relation with a high power is true: it would look for roots."""
    sides = [side.xreplace(changes) for side in expression.args] if expression.is_Relational else []
    if any(power.exp.is_Number and power.exp > _HIGH for side in sides for power in side.atoms(Pow)):
        return expression.func(*sides, evaluate=False)
    return expression.xreplace(changes)


def plain(value: Fraction | int) -> Fraction | int:
    """An int for a whole number: they are quicker."""
    if value.__class__ is int:
        return value
    value = value if isinstance(value, int | Fraction) else Fraction(value)
    return value.numerator if value.denominator == 1 else value


def _power(base: Fraction | int, exponent: int) -> Fraction | int:
    """Exact for exponents that can be carried out, else to thirty digits; what is smaller than 1e-999 is 0."""
    if abs(exponent) <= _LARGEST_POWER:
        return base**exponent if exponent >= 0 else Fraction(base) ** exponent
    with localcontext(Context(prec=40, Emin=-999, Emax=999, traps=[Overflow])):
        try:
            return Fraction((Decimal(base.numerator) / Decimal(base.denominator)) ** exponent)
        except Overflow:
            raise InvalidValue("the result is too large for a number.") from None


def _powered(base: Compute, exponent: Compute) -> Compute:
    def power(values: Any) -> Fraction | int:
        under, by = base(values), exponent(values)
        if by.denominator > 2:
            raise Inexact("Pow has no exact value here")
        return plain(_power(under if by.denominator == 1 else _root(under), by.numerator))

    return power


def _product(factors: tuple[Any, ...]) -> Compute:
    """The product, divided once by all that stands in denominators.

    One root is drawn of all that stands under roots: √2·√8 is 4, though neither root is rational.
    """
    roots = [factor for factor in factors if isinstance(factor, Pow) and factor.exp in _HALVES]
    if roots:
        whole = _product(tuple(factor for factor in factors if factor not in roots))
        radicands = [(_computing(root.base), int(2 * root.exp)) for root in roots]
        return lambda values: plain(
            whole(values) * _root(prod(_power(part(values), power) for part, power in radicands))
        )
    over = tuple(_computing(factor) for factor in factors if not _is_divisor(factor))
    under = tuple(_raised(_computing(one.base), -int(one.exp.p)) for one in factors if _is_divisor(one))
    if not under:
        return lambda values: plain(prod([part(values) for part in over]))
    return lambda values: _quotient(prod([part(values) for part in over]), prod([part(values) for part in under]))


def _is_divisor(factor: Any) -> bool:
    return isinstance(factor, Pow) and factor.exp.is_Integer and _LARGEST_POWER >= -int(factor.exp.p) > 0


def _raised(base: Compute, power: int) -> Compute:
    return base if power == 1 else lambda values: base(values) ** power


def _quotient(over: Fraction | int, under: Fraction | int) -> Fraction | int:
    if isinstance(over, int) and isinstance(under, int):
        return Fraction(over, under) if over % under else over // under
    return plain(Fraction(over) / under)


def _root(value: Fraction | int) -> Fraction:
    """The square root, exact for squares of fractions, else to thirty digits; `NoRoot` for a negative number."""
    if value < 0:
        raise NoRoot("a negative number has no root")
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
