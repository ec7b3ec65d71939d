"""Common factors of polynomials in many letters

SymPy's search for a greatest common divisor goes through every letter of a ring one after the other, and divides on the
way back. A common factor has only letters that both polynomials have, and divides what stands before each product of
the others, which is shorter: so those are taken apart first, and what is left is searched in a ring of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from math import gcd
from typing import Any


def common_factor(one: Any, other: Any) -> Any:
    """The greatest common divisor of two polynomials of a ring with whole coefficients, the first term positive."""
    if not one or not other:
        return one.gcd(other)
    if len(one) == 1 or len(other) == 1:
        return _shared_term(one, other)
    ring = one.ring
    in_both = map(all, zip(_occurring(one), _occurring(other), strict=True))
    shared = tuple(place for place, both in enumerate(in_both) if both)
    if not shared:
        # without a letter in both, a common factor is a number
        return ring(gcd(int(one.content()), int(other.content())))
    small = _ring_in(ring, shared)
    # short ones first: a single term decides at once, and the search is over where only 1 is left
    parts = sorted([*_coefficients(one, shared), *_coefficients(other, shared)], key=len)
    if len(parts[0]) == 1:
        return _in_ring(_shared_term(*map(small.dtype, parts)), shared, ring)
    found = small.dtype(parts[0])
    if len(parts) == 2:
        found = found.gcd(small.dtype(parts[1]))
    else:
        for part in parts[1:]:
            if found == 1:
                break
            found = common_factor(found, small.dtype(part))
    return _in_ring(found, shared, ring)


def _occurring(polynomial: Any) -> Iterable[bool]:
    """Whether a letter occurs in a polynomial, for each letter of the ring."""
    return map(any, zip(*polynomial, strict=True))


def _shared_term(*polynomials: Any) -> Any:
    """Term that all terms of some polynomials share: their common divisor if one of them has one term."""
    # what divides a single term is a single term: of each letter the least power that stands in all terms
    least = list(next(iter(polynomials[0])))
    places = [place for place, power in enumerate(least) if power]
    for powers in chain(*polynomials):
        for place in places:
            least[place] = min(least[place], powers[place])
        places = [place for place in places if least[place]]
    return polynomials[0].ring({tuple(least): gcd(*map(int, chain(*(one.values() for one in polynomials))))})


def without_common(one: Any, other: Any) -> tuple[Any, Any]:
    """Two polynomials without what they share."""
    found = common_factor(one, other)
    return (one, other) if found == 1 else (one.exquo(found), other.exquo(found))


def cancel(above: Any, below: Any) -> tuple[Any, Any]:
    """Numerator and denominator without what they share, the first term below positive."""
    above, below = without_common(above, below)
    return (-above, -below) if below.LC < 0 else (above, below)


@lru_cache(maxsize=2**12)
def _ring_in(ring: Any, places: tuple[int, ...]) -> Any:
    """Ring of the polynomials in some letters of a ring."""
    return ring.clone(symbols=[ring.symbols[place] for place in places])


def _coefficients(polynomial: Any, places: tuple[int, ...]) -> list[dict[Any, Any]]:
    """The terms that stand before each product of the letters that are not in these places."""
    kept = set(places)
    found: dict[Any, dict[Any, Any]] = {}
    for powers, coefficient in polynomial.items():
        others = tuple(0 if place in kept else power for place, power in enumerate(powers))
        found.setdefault(others, {})[tuple(powers[place] for place in places)] = coefficient
    return list(found.values())


def _in_ring(polynomial: Any, places: tuple[int, ...], ring: Any) -> Any:
    """Polynomial written in a ring with more letters."""

    def widened(powers: Any) -> Any:
        wide = [0] * ring.ngens
        for place, power in zip(places, powers, strict=True):
            wide[place] = power
        return tuple(wide)

    return ring.from_dict({widened(powers): coefficient for powers, coefficient in polynomial.items()})
