"""Deciding equality and order of expressions

The formulas are rational functions, at times with a `Max` or a `floor`. For rational functions equality is
decidable: bring the difference over one denominator and expand. SymPy does so, and FLINT as well where it is
installed; they have to agree. `Max` is decided by its cases. An answer is True, False or None, and None ("could not
decide") is never taken for a yes.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil
from operator import attrgetter
from typing import Any

from ..algebra import (
    Dummy,
    Gt,
    Lt,
    Max,
    Min,
    Mod,
    Poly,
    Pow,
    cancel,
    ceiling,
    counts_alone,
    expand,
    floor,
    fraction,
    together,
)
from ..claims import Condition
from ..errors import SymbolicLLMError
from ..numeral import valued
from ..unevaluated import carried_out
from .by_flint import flint_zero, installed
from .common import cancel as cancel_common
from .exact import exact
from .parts import counts, of_kind, parts
from .rational import cancelled, is_zero, keeps_root, quotient, ring_of

BOTH = "SymPy and FLINT"

ROUNDED = (floor, ceiling, Mod)


class Disagreement(SymbolicLLMError):
    """SymPy and FLINT give different answers: one of them is wrong, and nothing is decided."""


def deciders() -> str:
    """Words for what decides whether rational functions are equal."""
    if not installed():
        return "SymPy alone: pip install 'symbolic-llm[check]' adds FLINT"
    return BOTH if counts_alone() else "FLINT and SymPy, which was imported before and counts with FLINT"


def rational_zero(expression: Any) -> bool:
    """Whether a rational function is identically zero: a decision, not a guess; `Disagreement` if there are two."""
    if (found := is_zero(expression)) is None:  # something that is no letter stands for one
        found = bool(expand(fraction(together(expression))[0]) == 0)
    # asked even where SymPy is sure: a fault in one of the two is noticed only where both are heard
    if flint_zero(expression) not in (found, None):
        zero, other = ("SymPy", "FLINT") if found else ("FLINT", "SymPy")
        raise Disagreement(f"{zero} finds {expression} to be zero, {other} does not.")
    return found


def equal(left: Any, right: Any) -> bool | None:
    """Whether two expressions have the same value for all positive letters; None where SymPy and FLINT disagree."""
    try:
        return _equal(left, right)
    except Disagreement:
        return None


def _equal(left: Any, right: Any) -> bool | None:
    if left == right:
        return True
    # first, since a point costs little and settles most that differ; that points agree settles nothing
    if _differ_somewhere(left, right):
        return False
    left, right = valued(left), valued(right)
    if left == right:
        return True
    atoms = (left - right).atoms(Max, Min, *ROUNDED)
    if not atoms:
        # a root is a letter of its own here, that knows nothing of its square: only a yes is to be believed
        return rational_zero(left - right) or (None if _has_roots(left - right) else False)
    stand_ins: dict[Any, Any] = {}
    # what is zero for any numbers in these places is zero for what stands there; the other way round nothing follows
    renamed = {atom: stand_ins.setdefault(_canonical(atom), Dummy(positive=True)) for atom in atoms}
    if rational_zero((left - right).xreplace(renamed)):
        return True
    if any(not isinstance(atom, Max) for atom in atoms):
        return None
    return _equal_in_all_cases(left - right, atoms)


def _differ_somewhere(left: Any, right: Any) -> bool:
    """Whether exact values at a point tell the expressions apart, which settles most inequalities without algebra.

    Of a maximum another argument may be the largest elsewhere, so letters of all sizes are put in.
    """
    every = {*parts(left), *parts(right)}
    letters = sorted((part for part in every if part.is_Symbol), key=attrgetter("name"))
    rounds = any(isinstance(part, ROUNDED) for part in every)
    # of roots thirty digits are known
    known = Fraction(1, 10**15) if any(isinstance(part, Pow) and not part.exp.is_Integer for part in every) else None
    for sized in _SIZED if rounds else _WHOLE:
        if _differ_at(left, right, {s: sized(place) for place, s in enumerate(letters)}, known):
            return True
    if not rounds:
        return False
    # what is rounded to the same number there is not where one letter alone is large or small, as memory or time may be
    usual = {s: _SIZED[0](p) for p, s in enumerate(letters)}
    moved = ({**usual, s: size} for s, value in usual.items() for size in (_LARGE * value, value / _LARGE))
    return any(_differ_at(left, right, point, known) for point in moved)


_WHOLE: tuple[Callable[[int], int], ...] = (
    lambda place: 7 * place + 5,
    # 5·place modulo 7 takes all sizes from 0 to 6, and the next turns their order round: of two neighbours each is once
    # much the larger
    lambda place: 10 ** (5 * place % 7) + place,
    lambda place: 10 ** (6 - 5 * place % 7) + place,
)
_SIZED: tuple[Callable[[int], Fraction], ...] = (
    # no whole numbers: at those many roundings do nothing
    lambda place: Fraction(_WHOLE[0](place), place + 2),
    lambda place: Fraction(_WHOLE[1](place), 3),
    lambda place: Fraction(_WHOLE[2](place), 3),
)
_LARGE = 10**7


def _differ_at(left: Any, right: Any, point: dict[Any, Any], known: Fraction | None) -> bool:
    """Whether two expressions differ at a point by more than the part that is `known`; by anything if that is None."""
    try:
        one, other = exact(left, point), exact(right, point)
        return bool(one != other if known is None else abs(one - other) > max(abs(one), abs(other)) * known)
    except (ZeroDivisionError, TypeError, ValueError):
        return False  # no value there, so nothing is settled


def _has_roots(expression: Any) -> bool:
    return any(not power.exp.is_Integer for power in of_kind(expression, Pow))


@lru_cache(maxsize=2**10)
def _canonical(atom: Any) -> Any:
    return carried_out(atom.func, *map(cancelled, atom.args))


def _equal_in_all_cases(difference: Any, maxima: set[Any]) -> bool | None:
    """Whether a difference is zero whichever argument of each `Max` is the larger; None if that is not decided.

    Maxima that compare the same two things are split together.
    """
    choices: dict[Any, list[tuple[Any, Any, Any]]] = {}
    for maximum in maxima:
        # cases of three arguments, or of one maximum in another, are not all combinations of two choices
        if len(maximum.args) != 2 or any(argument.has(Max) for argument in maximum.args):
            return None
        first, second = maximum.args
        key, sign = _primitive(first - second)
        choices.setdefault(key, []).append((maximum, *((first, second) if sign > 0 else (second, first))))
    for case in product((1, 2), repeat=len(choices)):
        chosen = {
            entry[0]: entry[which] for which, entries in zip(case, choices.values(), strict=True) for entry in entries
        }
        if not rational_zero(difference.xreplace(chosen)):
            # the larger of a and a·b/(a + b) is always a: what would be so in the other case proves nothing
            if any(at_least_zero(-gap if which == 1 else gap) for which, gap in zip(case, choices, strict=True)):
                continue
            # nor does a combination of choices that is impossible, as a > b > c > a is
            return None
    return True


@lru_cache(maxsize=2**10)
def _primitive(expression: Any) -> tuple[Any, int]:
    """The polynomial that decides the sign of a rational function, up to positive factors, and the factor's sign."""
    numerator, denominator = fraction(cancel(together(expression)))
    # over·under has the sign of over/under; what all terms share of letters is positive, and is left out
    polynomial = Poly(numerator * denominator, *sorted(expression.free_symbols, key=str))
    common = polynomial.terms_gcd()[1].primitive()[1]
    # a − b and b − a ask the same: one key for both, and the sign tells which way round
    sign = 1 if common.LC() > 0 else -1
    return (common * sign).as_expr(), sign


def at_least_zero(expression: Any) -> bool | None:
    """Whether an expression is nowhere negative, for positive letters, whole ones at least 1.

    Whole letters are written as 1 + something: if then no coefficient is negative, neither is the value. In place of a
    maximum each argument has to do if it is subtracted, one if it is added. Sufficient, not necessary: it may be None.
    """
    return _in_each_case(valued(expression), _of_one_sign)


def above_zero(expression: Any) -> bool | None:
    """Whether an expression is positive everywhere, for positive letters; a maximum is taken as in `at_least_zero`."""
    return _in_each_case(valued(expression), _has_positive_form) or None


@lru_cache(maxsize=2**10)  # the same conditions stand in many formulas
def _in_each_case(plain: Any, decided: Callable[[Any], bool | None]) -> bool | None:
    """Decision on an expression, from its cases: of each argument of a maximum, or of one that is enough."""
    slopes = {maximum: _slope(plain, maximum) for maximum in sorted(plain.atoms(Max), key=str)}
    # a maximum is at least each of its arguments: subtracted, all of them have to do, and added, one is enough
    for sign, enough in ((-1, all), (1, any)):
        for maximum in (one for one, slope in slopes.items() if slope == sign):
            return enough(_in_each_case(plain.xreplace({maximum: arg}), decided) for arg in maximum.args) or None
    return None if slopes else decided(plain)


def _slope(expression: Any, maximum: Any) -> int | None:
    """Sign of the slope, 1 or −1, where an expression is a straight line in a maximum; None if neither is shown."""
    place = Dummy(positive=True)
    slope = expression.xreplace({maximum: place}).diff(place)
    return next((s for s in (1, -1) if place not in slope.free_symbols and _of_one_sign(s * slope)), None)


@lru_cache(maxsize=2**10)
def _of_one_sign(plain: Any) -> bool | None:
    """Whether a rational function without a maximum is nowhere negative."""
    if (found := quotient(plain)) is not None:
        numerator, denominator = (part.as_expr() for part in found)
    else:
        numerator, denominator = fraction(cancel(together(plain)))
    below = _sign(denominator)
    above = sign_from_one_on(numerator)
    return None if above is None or not below else above * below >= 0


def positive(expression: Any, conditions: tuple[Condition, ...] = ()) -> bool | None:
    """Whether an expression is positive, by its form or because a condition says so; None if neither shows it."""
    plain = valued(expression)
    if _has_positive_form(plain):
        return True
    if (found := quotient(_opaque(plain))) is not None:
        # each on its own: a condition may settle the sign of one part, and form that of the other
        signs = [sign_where(part, conditions) for part in found]
        return (signs[0] is not None and signs[0] == signs[1]) or None
    if keeps_root(plain) or (not conditions and _fails_somewhere(plain)):
        return None
    above, below = fraction(together(plain))
    if below != 1:
        signed = ((above, below), (-above, -below))
        return any(positive(a, conditions) and positive(b, conditions) for a, b in signed) or None
    # the product of a condition's gap, which is positive, and of something that is positive by its form
    return any(_has_positive_form(plain / gap) for gap in _gaps(conditions)) or None


def _fails_somewhere(expression: Any) -> bool:
    """Whether an expression is not positive at a point of whole numbers, as exponents are: that takes no algebra."""
    letters = sorted(expression.free_symbols, key=str)
    points = ({s: ceil(sized(place)) for place, s in enumerate(letters)} for sized in _SIZED)
    try:
        return any(exact(expression, point) <= 0 for point in points)
    except (ZeroDivisionError, TypeError, ValueError):
        return False  # no value there, so nothing is settled


@lru_cache(maxsize=2**10)
def _gaps(conditions: tuple[Condition, ...]) -> tuple[Any, ...]:
    """Expressions that the conditions say are positive."""
    relations = (c.relation for c in conditions if isinstance(c.relation, Gt | Lt))
    return tuple(gap for r in relations if (gap := valued(r.gts - r.lts)) != 0)


def sign_where(polynomial: Any, conditions: tuple[Condition, ...] = ()) -> int | None:
    """Sign of a polynomial where the conditions hold, 1 or −1; None if neither form nor condition shows it."""
    if sign := _one_sign(polynomial):
        return sign
    for gap in _gaps(conditions):
        if (gap := quotient(_opaque(gap))) is not None:
            ring = ring_of(frozenset((*polynomial.ring.symbols, *gap.above.ring.symbols)))
            over, mine, theirs = (one.set_ring(ring) for one in (polynomial, *gap))
            # the polynomial is the gap times above/below, and the gap is positive
            above, below = map(_one_sign, cancel_common(over * theirs, mine))
            if above and below:
                return above * below
    return None


def _one_sign(polynomial: Any) -> int | None:
    """Sign that all coefficients have, 1 or −1, and then the polynomial for positive letters; None if they differ."""
    signs = {bool(c > 0) - bool(c < 0) for c in polynomial.values()}
    return signs.pop() if len(signs) == 1 else None


@lru_cache(maxsize=2**10)
def _opaque(expression: Any) -> Any:
    """The expression with a letter for each maximum that is positive because an argument of it is."""
    # one positive argument is enough: a maximum is at least that
    maxima = (m for m in of_kind(expression, Max) if any(map(_has_positive_form, m.args)))
    return expression.xreplace({maximum: _stand_in(maximum) for maximum in maxima})


@lru_cache(maxsize=2**10)
def _stand_in(_maximum: Any) -> Any:
    """Letter that stands for a maximum, the same everywhere, so that it cancels."""
    return Dummy(positive=True)


@lru_cache(maxsize=2**13)
def _has_positive_form(expression: Any) -> bool:
    """Whether numerator and denominator have coefficients of one sign, so that the quotient is positive.

    Letters are positive.
    """
    plain = _opaque(expression)
    if (found := quotient(plain)) is not None:
        above, below = map(_one_sign, found)
        return above is not None and above == below
    if keeps_root(plain) or _fails_somewhere(plain):
        return False
    above, below = map(_sign, fraction(cancel(together(plain))))
    return bool(above and below and above * below > 0)


def sign_from_one_on(polynomial: Any, counts: Callable[[Any], bool] = counts) -> int | None:
    """Sign of a polynomial where the letters that count are at least 1, as `_sign` tells it.

    n − 1 is nowhere negative for whole n, though its coefficients have two signs: as 1 + x it is x.
    """
    return _sign(polynomial.xreplace({x: x + 1 for x in filter(counts, polynomial.free_symbols)}))


def _sign(polynomial: Any) -> int | None:
    """Sign of the coefficients: 1 if none is negative, −1 if none is positive, 0 for zero, None if they differ."""
    letters = sorted(polynomial.free_symbols, key=str)
    if letters and not polynomial.is_polynomial(*letters):
        return None
    coefficients = Poly(polynomial, *letters).coeffs() if letters else [polynomial]
    signs = {bool(c > 0) - bool(c < 0) for c in coefficients if c != 0}
    return signs.pop() if len(signs) == 1 else None if signs else 0
