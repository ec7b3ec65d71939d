"""Whether a rational function is zero, decided by FLINT beside SymPy

FLINT shares no code with SymPy. The expression is put together from its leaves as a fraction of two polynomials, so
none of SymPy's algebra is used on the way.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from ..algebra import Add, Mul, Pow, Rational

_PACKAGE = "flint"
_Fraction = tuple[Any, Any]  # numerator and denominator, polynomials of FLINT


class _NotRational(Exception):
    """A root, a rounding, a letter in an exponent, or a division by zero."""


@cache
def installed() -> bool:
    """Whether python-flint is there."""
    return find_spec(_PACKAGE) is not None


def flint_zero(expression: Any) -> bool | None:
    """Whether a rational function is identically zero; None where FLINT is not installed or it is no such function."""
    if not installed():
        return None
    from flint import Ordering, fmpq_mpoly_ctx  # only the checks need it

    letters = sorted(expression.free_symbols, key=str)
    # named by their places: two letters of SymPy may have one name and be different all the same
    context = fmpq_mpoly_ctx.get([f"x{place}" for place in range(len(letters))], Ordering.degrevlex)
    one = context.constant(1)
    # also keeps what parts come to, found again by how they are written: no algebra of SymPy's takes part
    known = {letter: (generator, one) for letter, generator in zip(letters, context.gens(), strict=True)}
    try:
        # no denominator is the zero polynomial, so the numerator alone decides
        return bool(_fraction(expression, known, context)[0] == 0)
    except _NotRational:
        return None


def _fraction(expression: Any, known: dict[Any, _Fraction], context: Any) -> _Fraction:
    if expression in known:
        return known[expression]
    if isinstance(expression, Rational):
        return context.constant(int(expression.p)), context.constant(int(expression.q))
    if isinstance(expression, Pow) and expression.exp.is_Integer:
        over, under = _fraction(expression.base, known, context)
        power = int(expression.exp)
        if power < 0 and over == 0:
            raise _NotRational
        found = (over**power, under**power) if power >= 0 else (under**-power, over**-power)
    elif isinstance(expression, Mul):
        found = (context.constant(1), context.constant(1))
        for factor in expression.args:
            over, under = _fraction(factor, known, context)
            found = (found[0] * over, found[1] * under)
    elif isinstance(expression, Add):
        found = (context.constant(0), context.constant(1))
        for term in expression.args:
            found = _sum(found, _fraction(term, known, context))
    else:
        raise _NotRational
    known[expression] = found
    return found


def _sum(one: _Fraction, other: _Fraction) -> _Fraction:
    if one[1] == other[1]:
        return one[0] + other[0], one[1]
    # over the least common denominator: with the product degrees would grow with every term
    common = one[1].gcd(other[1])
    mine, theirs = one[1] / common, other[1] / common
    return one[0] * theirs + other[0] * mine, one[1] * theirs
