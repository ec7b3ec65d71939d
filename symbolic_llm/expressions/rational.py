"""Rational functions as quotients of polynomials

An expression is put together from its leaves as one numerator over one denominator, polynomials with whole
coefficients. That is where `together`, `cancel` and `factor` come to as well, but they get there by rewriting
expressions, which takes most of their time; what is given back is what they give.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from sympy import ZZ, Add, Max, Mul, Pow, Rational, cancel, expand, factor, factor_terms, lex
from sympy.core.mul import _keep_coeff
from sympy.polys.polyutils import _sort_gens
from sympy.polys.rings import PolyRing

_HALF = Rational(1, 2)


class Quotient(NamedTuple):
    """Numerator and denominator, polynomials without a common factor; the first term below is positive."""

    above: Any
    below: Any


class _NotRational(Exception):
    """A root, a rounding, a maximum, a letter in an exponent."""


@lru_cache(maxsize=2**10)
def ring_of(letters: frozenset[Any]) -> Any:
    """The polynomials in these letters, in the order in which SymPy puts them."""
    return PolyRing(_sort_gens(letters), ZZ, lex)


@lru_cache(maxsize=2**13)
def quotient(expression: Any) -> Quotient | None:
    """An expression over one denominator; None for what is no rational function, or divides by zero."""
    found = _written_over_one(expression, ring_of(frozenset(expression.free_symbols)))
    return None if found is None else Quotient(*found[0].cancel(found[1]))


def is_zero(expression: Any) -> bool | None:
    """Whether a rational function is identically zero; None for what is none, or divides by zero."""
    found = _written_over_one(expression, ring_of(frozenset(expression.free_symbols)))
    return None if found is None else not found[0]


def _written_over_one(expression: Any, ring: Any) -> tuple[Any, Any] | None:
    try:
        return _over_one(expression, dict(zip(ring.symbols, ring.gens, strict=True)), ring)
    except _NotRational:
        return None


def keeps_root(expression: Any) -> bool:
    """Whether a square root is left over one denominator, without common factors; if so, coefficients tell no sign."""
    roots = _roots_in(expression)
    if not roots:
        return False
    ring = ring_of(frozenset(expression.free_symbols | roots))  # in which they are letters
    if (found := _written_over_one(expression, ring)) is None:
        return False
    places = [ring.symbols.index(root) for root in roots]
    if any(part.degrees()[place] > 1 for part in found for place in places):  # the square of a root is none
        return False
    return any(part.degrees()[place] == 1 for part in found[0].cancel(found[1]) for place in places)


def _roots_in(expression: Any) -> set[Any]:
    return {Pow(power.base, _HALF) for power in expression.atoms(Pow) if power.exp in (_HALF, -_HALF)}


def _over_one(expression: Any, generators: dict[Any, Any], ring: Any) -> tuple[Any, Any]:
    if expression in generators:
        return generators[expression], ring.one
    if isinstance(expression, Rational):
        return ring(int(expression.p)), ring(int(expression.q))
    if isinstance(expression, Pow) and expression.exp == -_HALF and 1 / expression in generators:
        return ring.one, generators[1 / expression]
    if isinstance(expression, Pow) and expression.exp.is_Integer:
        above, below = _over_one(expression.base, generators, ring)
        power = int(expression.exp)
        if power < 0:
            above, below, power = below, above, -power
        if not below:
            raise _NotRational
        return above**power, below**power
    if isinstance(expression, Mul):
        above, below = ring.one, ring.one
        for part in expression.args:
            over, under = _over_one(part, generators, ring)
            above, under = _without_common(above, under)
            over, below = _without_common(over, below)
            above, below = above * over, below * under
        return above, below
    if isinstance(expression, Add):
        sums: dict[Any, Any] = {}
        for part in expression.args:
            over, under = _over_one(part, generators, ring)
            sums[under] = sums.get(under, ring.zero) + over
        (below, above), *others = sums.items()
        for under, over in others:
            common = below.gcd(under)
            mine, theirs = below.exquo(common), under.exquo(common)
            above, below = above * theirs + over * mine, below * theirs
        return above, below
    raise _NotRational


def _without_common(one: Any, other: Any) -> tuple[Any, Any]:
    """Two polynomials without what they share: of small ones that is found sooner than of their products."""
    if one.is_ground or other.is_ground:
        return one, other
    _, one, other = one.cofactors(other)
    return one, other


def linear_root(equation: Any, unknown: Any) -> Quotient | None:
    """Where a rational function of first degree in a letter vanishes; None for any other."""
    if (found := quotient(equation)) is None or unknown not in found.above.ring.symbols:
        return None
    place = found.above.ring.symbols.index(unknown)
    if found.above.degrees()[place] != 1:
        return None
    slope, constant = (found.above.coeff_wrt(place, power) for power in (1, 0))
    return Quotient(*(-constant).cancel(slope)) if constant else None


def cancelled(expression: Any) -> Any:
    """An expression without common factors of numerator and denominator, written out."""
    if (found := quotient(expression)) is not None:
        return found.above.as_expr() / found.below.as_expr()
    return cancel(expression) if (rooted := _with_roots(expression)) is None else rooted


def _with_roots(expression: Any) -> Any:
    """The same where square roots and maxima are letters like any other, but that the square of a root is none.

    SymPy multiplies out all denominators first, and may need minutes to find what it can divide by again.
    """
    expression = factor_terms(expression, radical=True)
    roots, maxima = _roots_in(expression), expression.atoms(Max)
    ring = ring_of(frozenset(expression.free_symbols | roots | maxima))
    if (found := _written_over_one(expression, ring)) is None:
        return None
    above, below = found
    for root in roots:
        square = _written_over_one(root.base, ring)
        if square is None or square[1] != ring.one:
            return None
        place = ring.symbols.index(root)
        above, below = (_without_squares(part, place, square[0]) for part in (above, below))
    if not below:
        return None
    written = {one: expand(one) for one in roots | maxima}
    above, below = (part.as_expr().xreplace(written) for part in above.cancel(below))
    return above / below


def _without_squares(polynomial: Any, place: int, square: Any) -> Any:
    """A polynomial of first degree in a root: even powers of it are powers of its square."""
    ring = polynomial.ring
    powers = ((power, polynomial.coeff_wrt(place, power)) for power in range(max(polynomial.degrees()[place], 0) + 1))
    return sum((part * square ** (n // 2) * ring.gens[place] ** (n % 2) for n, part in powers if part), ring.zero)


def factored(expression: Any) -> Any:
    """An expression or a quotient as a product of factors that cannot be taken apart."""
    found = expression if isinstance(expression, Quotient) else quotient(expression)
    if found is None:
        return factor(expression)
    (content, above), (divisor, below) = map(_factors, found)
    product = Mul(*(f.as_expr() for f in above), *(1 / f.as_expr() for f in below))
    return _keep_coeff(Rational(content, divisor), product)


def _factors(polynomial: Any) -> tuple[int, list[Any]]:
    """A whole number and the irreducible factors, each as often as it comes, with a positive first term."""
    if not polynomial:
        return 0, []
    content, rest = polynomial.primitive()
    content = int(content)
    if rest.LC < 0:
        content, rest = -content, -rest
    return content, list(_irreducible(rest))


def _irreducible(polynomial: Any) -> Iterator[Any]:
    if polynomial.is_ground:
        return
    degrees = polynomial.degrees()
    if 1 not in degrees:
        yield from (f for f, power in polynomial.factor_list()[1] for _ in range(power))
        return
    # of first degree in a letter: without what its two coefficients share it cannot be taken apart
    place = degrees.index(1)
    common = polynomial.coeff_wrt(place, 1).gcd(polynomial.coeff_wrt(place, 0))
    yield polynomial.exquo(common)
    yield from _irreducible(common)
