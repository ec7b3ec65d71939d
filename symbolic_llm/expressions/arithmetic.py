"""Arithmetic with whole numbers and fractions: nothing is rounded before the very end"""

from __future__ import annotations

import math
from decimal import Context, Decimal, Overflow, localcontext
from fractions import Fraction

from ..errors import InvalidValue


class Inexact(TypeError):
    """An expression without an exact value: a fraction stands in an exponent."""


class NoRoot(ValueError):
    """The root of something negative."""


LARGEST_POWER = 1024  # that is carried out


def plain(value: Fraction | int) -> Fraction | int:
    """Number as an int if it is whole, else as a fraction: ints are quicker."""
    if value.__class__ is int:
        return value
    value = value if isinstance(value, int | Fraction) else Fraction(value)
    return value.numerator if value.denominator == 1 else value


def power(base: Fraction | int, exponent: Fraction | int) -> Fraction | int:
    """A power, of an exponent that may be half a whole number; `Inexact` for other fractions."""
    # x^(k/2) is (√x)^k: one root is drawn, whatever k is
    if exponent.denominator > 2:
        raise Inexact("Pow has no exact value here")
    return plain(_power(base if exponent.denominator == 1 else root(base), exponent.numerator))


def _power(base: Fraction | int, exponent: int) -> Fraction | int:
    """Power with a whole exponent: exact if it can be carried out, else to thirty digits; 0 if smaller than 1e-999."""
    if abs(exponent) <= LARGEST_POWER:
        return base**exponent if exponent >= 0 else Fraction(base) ** exponent
    # ten digits more than are promised: the base is rounded once, and a power multiplies its error by the exponent
    with localcontext(Context(prec=40, Emin=-999, Emax=999, traps=[Overflow])):
        try:
            return Fraction((Decimal(base.numerator) / Decimal(base.denominator)) ** exponent)
        except Overflow:
            raise InvalidValue("the result is too large for a number.") from None


def quotient(over: Fraction | int, under: Fraction | int) -> Fraction | int:
    """Quotient of two numbers, an int where it comes out even."""
    if isinstance(over, int) and isinstance(under, int):
        return Fraction(over, under) if over % under else over // under
    return plain(Fraction(over) / under)


def root(value: Fraction | int) -> Fraction:
    """The square root, exact for squares of fractions, else to thirty digits; `NoRoot` for a negative number."""
    if value < 0:
        raise NoRoot("a negative number has no root")
    over, under = math.isqrt(value.numerator), math.isqrt(value.denominator)
    # in lowest terms a fraction is a square only where both of its parts are
    if over**2 == value.numerator and under**2 == value.denominator:
        return Fraction(over, under)
    # of a small number the first digits stand further behind: the root has half of the zeros that the number has
    zeros = max(0, value.denominator.bit_length() - value.numerator.bit_length()) // 6
    scale = 10 ** (31 + zeros)
    # no square of a whole number lies between a number and its floor, so rounding down first changes nothing
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
