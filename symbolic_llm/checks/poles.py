"""Poles: where one of two forms has no value

As rational functions x·(n² − 1)/(n − 1) and x·(n + 1) are equal, but at n = 1 only one of them has a value. Two forms
are the same everywhere only if each denominator that one has and the other lacks is known not to vanish.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from ..algebra import Ne, S, expand, factor_list, fraction, preorder_traversal, together
from ..claims import Condition
from ..expressions.decide import positive, sign_from_one_on
from ..expressions.parts import counts
from ..numeral import valued

Conditions = tuple[Condition, ...]


def pole(before: Iterable[Any], after: Iterable[Any], conditions: Conditions) -> Any:
    """A factor that may be zero, and that only the one or only the other side divides by; None if there is none."""
    # what both divide by is left out: there neither has a value, so they do not differ
    apart = frozenset().union(*map(_factors, before)) ^ frozenset().union(*map(_factors, after))
    return next((factor for factor in sorted(apart, key=str) if not never_zero(factor, conditions)), None)


def divisors(state: Any) -> frozenset[Any]:
    """Everything that an expression or relation divides by, as it is written."""
    return frozenset(_divisors(state))


def _divisors(state: Any) -> Iterator[Any]:
    for part in preorder_traversal(valued(state)):
        if part.is_Pow and part.exp.could_extract_minus_sign():
            yield part.base


@lru_cache(maxsize=2**12)
def _factors(divisor: Any) -> frozenset[Any]:
    """Irreducible factors of a divisor but numbers and letters, up to their sign: letters are positive."""
    above = fraction(together(valued(divisor)))[0]
    if not above.is_polynomial():
        return frozenset({above})
    factors = (factor for factor, _ in factor_list(above)[1])
    # 1 − n and n − 1 are zero at the same places
    return frozenset(-f if f.could_extract_minus_sign() else f for f in factors if not f.is_Symbol)


@lru_cache(maxsize=2**12)
def never_zero(factor: Any, conditions: Conditions) -> bool:
    """Whether an expression is known not to be zero: by form, by a condition, or as whole letters are at least 1."""
    if positive(factor, conditions) or positive(-factor, conditions) or _beyond_one(factor):
        return True
    unequal = (c.relation for c in conditions if isinstance(c.relation, Ne))
    gaps = (valued(relation.lhs - relation.rhs) for relation in unequal)
    # the factor is the gap, which is not zero, times something that has a sign
    return any(positive(factor / gap) or positive(-factor / gap) for gap in gaps if gap != 0)


def _beyond_one(factor: Any) -> bool:
    """Whether, with whole letters as 1 + something, all coefficients have one sign and something is left at 1."""
    at_one = factor.xreplace(dict.fromkeys(filter(counts, factor.free_symbols), S.One))
    # what is left at 1 must not be nothing: n − 1 has one sign too, and is zero there
    return sign_from_one_on(factor) in (1, -1) and expand(at_one) != 0
