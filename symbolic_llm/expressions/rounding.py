"""Roundings and maxima of whole numbers, where it is known for all of them what comes out

Of a quotient of polynomials in whole numbers ≥ 1 the whole part is found by division: over = q·under + rest is rounded
down to q wherever 0 ≤ rest < under. That the rest lies there is seen by its signs once 1 is taken from every number,
and so it is seen that one argument of a maximum is never larger than another.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import permutations
from typing import Any

from ..algebra import Max, Poly, expand, floor, fraction, reduced, together
from ..unevaluated import changed
from .decide import sign_from_one_on

Counts = Callable[[Any], bool]  # whether a letter stands for a whole number, which is at least 1


def settled(expression: Any, counts: Counts) -> Any:
    """The expression with every such rounding and maximum carried out; the others stay as they are.

    >>> from sympy import Symbol
    >>> a, b = (Symbol(name, positive=True) for name in "ab")
    >>> settled(floor((a * b + b - 1) / b), lambda letter: True), settled(floor(a / b), lambda letter: True)
    (a, floor(a/b))
    >>> settled(Max(1, a / (a * b)), lambda letter: True), settled(Max(1, a / b), lambda letter: True)
    (1, Max(1, a/b))
    """
    for atom in expression.atoms(floor, Max):
        if all(map(counts, atom.free_symbols)):
            found = _whole_part(atom.args[0]) if isinstance(atom, floor) else _larger(atom)
            if found is not None:
                expression = changed(expression, {atom: found})
    return expression


@lru_cache(maxsize=2**9)  # in parameters, many formulas have the same
def _larger(maximum: Any) -> Any:
    """Maximum without the arguments that are never larger than another; None if every argument stays."""
    left = list(maximum.args)
    for one, other in permutations(maximum.args, 2):
        if other in left and one in left and _is_never_less(one, other):
            left.remove(other)
    return Max(*left, evaluate=False) if len(left) < len(maximum.args) else None


def _is_never_less(one: Any, other: Any) -> bool:
    over, under = fraction(together(one - other))
    letters = sorted((one - other).free_symbols, key=str)
    if not all(part.is_polynomial(*letters) for part in (over, under)):
        return False
    # above 0 would do: with whole factors, at whole numbers, that is at least 1
    return _never_negative(over) and _never_negative(under - 1)


@lru_cache(maxsize=2**9)
def _whole_part(quotient: Any) -> Any:
    over, under = map(expand, fraction(together(quotient)))
    letters = sorted(quotient.free_symbols, key=str)
    if not letters or not all(_has_whole_factors(part, letters) for part in (over, under)):
        return None
    (whole,), _ = reduced(over, [under], *letters)  # by monomials, so that the order of the letters makes no difference
    # the rest of a division by polynomials may be negative everywhere: then one less is the whole part
    for candidate in (whole, whole - 1):
        rest = expand(over - candidate * under)
        if _has_whole_factors(candidate, letters) and _never_negative(rest) and _never_negative(under - rest - 1):
            return candidate
    return None


def _has_whole_factors(expression: Any, letters: list[Any]) -> bool:
    if not expression.is_polynomial(*letters):
        return False
    return all(factor.is_Integer for factor in Poly(expression, *letters).coeffs())


def _never_negative(polynomial: Any) -> bool:
    """Whether a polynomial is at least 0 wherever its letters are at least 1, by its signs; False proves nothing."""
    return sign_from_one_on(polynomial, lambda _: True) in (0, 1)
