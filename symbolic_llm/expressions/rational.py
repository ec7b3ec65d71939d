"""Rational functions as quotients of polynomials

An expression is put together from its leaves as one numerator over one denominator, polynomials with whole
coefficients. That is where `together`, `cancel` and `factor` come to as well, but they get there by rewriting
expressions, which takes most of their time; what is given back is what they give.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import gcd
from operator import sub
from typing import Any, NamedTuple

from ..algebra import (
    ZZ,
    Add,
    Max,
    Mul,
    PolyRing,
    Pow,
    Rational,
    _keep_coeff,
    _sort_gens,
    cancel,
    expand,
    factor,
    fraction,
    lex,
)
from ..notation import LETTERS
from .common import cancel as cancel_common
from .common import common_factor, without_common
from .parts import letters_in, of_kind

_HALF = Rational(1, 2)


class Quotient(NamedTuple):
    """Numerator and denominator, polynomials without a common factor; the first term below is positive."""

    above: Any
    below: Any


class _NotRational(Exception):
    """A root, a rounding, a maximum, a letter in an exponent."""


@lru_cache(maxsize=2**10)
def ring_of(letters: frozenset[Any]) -> Any:
    """Ring of the polynomials in these letters, in the order in which SymPy puts them."""
    rank = _rank()
    return PolyRing(sorted(letters, key=rank.__getitem__) if letters <= rank.keys() else _sort_gens(letters), ZZ, lex)


@lru_cache(maxsize=1)
def _rank() -> dict[Any, int]:
    """Place of each letter of the notation in the order in which SymPy puts them."""
    # the order decides which term is the first, and the first term's sign how a quotient is written: in another order
    # b − a over c − a would come out where `cancel` gives a − b over a − c
    return {symbol: place for place, symbol in enumerate(_sort_gens(LETTERS))}


@lru_cache(maxsize=2**13)
def quotient(expression: Any) -> Quotient | None:
    """An expression over one denominator; None for what is no rational function, or divides by zero."""
    found = _written_over_one(expression, ring_of(letters_in(expression)))
    return None if found is None else Quotient(*cancel_common(*found))


def coefficients(numerator: Any, letter: Any) -> list[Any]:
    """Coefficients of the powers of a letter, the highest first."""
    symbols = numerator.ring.symbols
    if letter not in symbols:
        return [numerator.as_expr()]
    place = symbols.index(letter)
    return [numerator.coeff_wrt(place, power).as_expr() for power in range(numerator.degrees()[place], -1, -1)]


def is_zero(expression: Any) -> bool | None:
    """Whether a rational function is identically zero; None for what is none, or divides by zero."""
    found = _written_over_one(expression, ring_of(letters_in(expression)))
    # not cancelled, which is most of the work: a numerator is zero in every form or in none
    return None if found is None else not found[0]


def _written_over_one(expression: Any, ring: Any) -> tuple[Any, Any] | None:
    try:
        return _over_one(expression, {symbol: place for place, symbol in enumerate(ring.symbols)}, ring)
    except _NotRational:
        return None


@lru_cache(maxsize=2**10)
def keeps_root(expression: Any) -> bool:
    """Whether a square root is left over one denominator, without common factors; if so, coefficients tell no sign."""
    if not (roots := _roots_in(expression)) or (found := _over_one_with(roots, expression)) is None:
        return False
    # to the first power alone: squares of roots have been put in, so a higher power is left over nowhere
    places = [found.above.ring.symbols.index(root) for root in roots]
    return any(part.degrees()[place] == 1 for part in found for place in places)


def _roots_in(expression: Any) -> set[Any]:
    return {Pow(power.base, _HALF) for power in filter(_is_root, of_kind(expression, Pow))}


def _is_root(power: Any) -> bool:
    return bool(power.exp.is_Rational and power.exp.q == 2)


def _over_one(expression: Any, places: dict[Any, int], ring: Any) -> tuple[Any, Any]:
    """Numerator and denominator of an expression; letters and numbers of a product are multiplied as one term."""
    if isinstance(expression, Add):
        return _sum_over_one(expression.args, places, ring)
    powers, number, others = [0] * ring.ngens, Fraction(1), []
    for part in Mul.make_args(expression):
        base, power = _base_and_power(part)
        if base in places:
            # letters' powers are added up first: of products of letters alone no polynomials are multiplied at all
            powers[places[base]] += power
        elif isinstance(part, Rational):
            number *= Fraction(int(part.p), int(part.q))
        elif isinstance(base, Add | Mul):
            others.append((base, power))
        else:
            raise _NotRational
    above = _term(ring, [power if power > 0 else 0 for power in powers], number.numerator)
    below = _term(ring, [-power if power < 0 else 0 for power in powers], number.denominator)
    for base, power in others:
        over, under = _over_one(base, places, ring)
        if power < 0:
            over, under, power = under, over, -power
        if not under:
            raise _NotRational
        over, under = over**power, under**power
        # crosswise before multiplying: what cancels would have to be found in a much longer product
        above, under = without_common(above, under)
        over, below = without_common(over, below)
        above, below = above * over, below * under
    return above, below


def _term(ring: Any, powers: list[int], number: int) -> Any:
    return ring.dtype({tuple(powers): ring.domain(number)} if number else {})


def _base_and_power(part: Any) -> tuple[Any, int]:
    """Base and whole exponent of a power; half of an odd number as exponent is a power of the square root."""
    if not isinstance(part, Pow):
        return part, 1
    if _is_root(part):
        return Pow(part.base, _HALF), int(part.exp.p)
    return (part.base, int(part.exp)) if part.exp.is_Integer else (part, 1)


def _sum_over_one(terms: Any, places: dict[Any, int], ring: Any) -> tuple[Any, Any]:
    sums: dict[Any, dict[Any, Any]] = {}
    for term in terms:
        over, under = _over_one(term, places, ring)
        # terms over the same denominator are added first, and are most of them: only the sums are brought over one
        same = sums.setdefault(under, {})
        for monomial, coefficient in over.items():
            same[monomial] = same.get(monomial, 0) + coefficient
    # never empty: a term that is zero has its denominator there, too
    (below, first), *others = sums.items()
    above = ring.from_dict(first)
    for under, same in others:
        # the least common denominator: what both have in common need not be multiplied in twice
        mine, theirs = without_common(below, under)
        above, below = above * theirs + ring.from_dict(same) * mine, below * theirs
    return above, below


def linear_root(equation: Any, unknown: Any) -> Quotient | None:
    """Root of a rational function of first degree in a letter, if it is not 0; None for any other."""
    if (found := quotient(equation)) is None or unknown not in found.above.ring.symbols:
        return None
    place = found.above.ring.symbols.index(unknown)
    if found.above.degrees()[place] != 1:
        return None
    slope, constant = (found.above.coeff_wrt(place, power) for power in (1, 0))
    # slope·x + constant = 0; letters are positive, so a root at 0 is none
    return Quotient(*cancel_common(-constant, slope)) if constant else None


def cancelled(expression: Any) -> Any:
    """An expression without common factors of numerator and denominator, written out."""
    if (found := quotient(expression)) is not None:
        return found.above.as_expr() / found.below.as_expr()
    return cancel(expression) if (rooted := _with_roots(expression)) is None else rooted


def _with_roots(expression: Any) -> Any:
    """Expression without common factors, where square roots and maxima are letters; None if it is no such quotient.

    The square of a root is no letter. SymPy multiplies out all denominators first, and may need minutes to find what it
    can divide by again.
    """
    # √(a·b + a·c) is written √a·√(b + c) first: else it and √a would be letters that know nothing of each other
    powers = filter(_is_root, of_kind(expression, Pow))
    expression = expression.xreplace({power: _in_short(Pow(power.base, _HALF)) ** power.exp.p for power in powers})
    roots = _roots_in(expression)
    if (found := _over_one_with(roots, expression)) is None:
        return None
    written = {one: _expanded(one) for one in [*roots, *of_kind(expression, Max)]}
    above, below = (part.as_expr().xreplace(written) for part in found)
    return above / below


@lru_cache(maxsize=2**10)  # one root stands in many expressions
def _expanded(expression: Any) -> Any:
    return expand(expression)


def conjugate(expression: Any) -> Any:
    """Expression with the other sign of the root of a sum in it; None where it has several, or divides by that."""
    roots = {power for power in of_kind(expression, Pow) if _is_root(power) and power.base.is_Add}
    # with two roots there are three other choices of signs, and a product over all of them would be needed
    if len({root.base for root in roots}) > 1 or (roots and fraction(expression)[1].has(*roots)):
        return None
    return expression.xreplace({root: -root for root in roots})


def _over_one_with(roots: set[Any], expression: Any) -> Quotient | None:
    """A quotient of polynomials of first degree in the roots, with maxima as letters; None if there is none."""
    ring = ring_of(frozenset({*letters_in(expression), *roots, *of_kind(expression, Max)}))
    if (found := _written_over_one(expression, ring)) is None:
        return None
    above, below = found
    for root in roots:
        square = _written_over_one(root.base, ring)
        # a denominator under the root would have to leave it first: then the square is no polynomial
        if square is None or square[1] != ring.one:
            return None
        place = ring.symbols.index(root)
        above, below = (_without_squares(part, place, square[0]) for part in (above, below))
    return Quotient(*cancel_common(above, below)) if below else None


def _in_short(root: Any) -> Any:
    """A root without the letters and the number that all terms under it share: they have roots of their own."""
    ring = ring_of(frozenset({*letters_in(root.base), *of_kind(root.base, Max)}))
    if (found := _written_over_one(root.base, ring)) is None or not found[0] or not found[1].is_ground:
        return root
    number, letters, rest = shared_by_terms(found[0])
    parts = Rational(number, int(found[1].LC)), Mul(*letters), rest.as_expr()
    return Mul(*(Pow(part, _HALF) for part in parts))


def shared_by_terms(polynomial: Any) -> tuple[int, list[Any], Any]:
    """Whole number and powers of letters that all terms of a polynomial but 0 share, and what is left of it."""
    number, least = gcd(*map(int, polynomial.values())), tuple(map(min, zip(*polynomial, strict=True)))
    letters = [symbol**power for symbol, power in zip(polynomial.ring.symbols, least, strict=True) if power]
    rest = {tuple(map(sub, powers, least)): factor // number for powers, factor in polynomial.items()}
    return number, letters, polynomial.new(rest)


def _without_squares(polynomial: Any, place: int, square: Any) -> Any:
    """Polynomial of first degree in a root: even powers of the root become powers of its square."""
    ring = polynomial.ring
    # r^n is (r²)^⌊n/2⌋ · r^(n mod 2)
    powers = ((power, polynomial.coeff_wrt(place, power)) for power in range(max(polynomial.degrees()[place], 0) + 1))
    return sum((part * square ** (n // 2) * ring.gens[place] ** (n % 2) for n, part in powers if part), ring.zero)


def factored(expression: Any) -> Any:
    """An expression or a quotient as a product of factors that cannot be taken apart."""
    found = expression if isinstance(expression, Quotient) else quotient(expression)
    if found is None:
        return factor(expression)
    (content, above), (divisor, below) = map(_factors, found)
    product = Mul(*above, *(1 / factor for factor in below))
    # not multiplied: SymPy would put a number into a sum, and make 2·a + 2·b of 2·(a + b)
    return _keep_coeff(Rational(content, divisor), product)


def _factors(polynomial: Any) -> tuple[int, list[Any]]:
    """Whole number and irreducible factors, whose first term is positive; a power of a letter is one factor."""
    if not polynomial:
        return 0, []
    content, letters, rest = shared_by_terms(polynomial)
    if rest.LC < 0:
        content, rest = -content, -rest
    return content, [*letters, *(found.as_expr() for found in _irreducible(rest))]


def _irreducible(polynomial: Any) -> Iterator[Any]:
    if polynomial.is_ground:
        return
    degrees = polynomial.degrees()
    if 1 not in degrees:
        yield from (f for f, power in polynomial.factor_list()[1] for _ in range(power))
        return
    # of first degree in a letter: without what its two coefficients share it cannot be taken apart
    place = degrees.index(1)
    common = common_factor(polynomial.coeff_wrt(place, 1), polynomial.coeff_wrt(place, 0))
    yield polynomial if common == 1 else polynomial.exquo(common)
    yield from _irreducible(common)
