"""Deciding whether two relations are the same

`a > b` is `b < a`, an equation may be turned round, and what is compared with a whole number need not be rounded.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Add, Eq, Ge, Gt, Le, Lt, Mul, Pow, Relational, ceiling, floor
from .decide import ROUNDED, equal
from .parts import counts


def same_relation(one: Any, other: Any) -> bool | None:
    """Whether two relations are of the same kind with equal sides; `a > b` is `b < a`."""
    if not (isinstance(one, Relational) and isinstance(other, Relational)):
        return False
    one, other = (_unrounded(_pointing_left(relation)) for relation in (one, other))
    if type(one) is not type(other):
        return False
    answer = _both(equal(one.lhs, other.lhs), equal(one.rhs, other.rhs))
    # an equation may stand the other way round; an inequality points, and has been turned already
    if answer is not True and isinstance(one, Eq):
        turned = _both(equal(one.lhs, other.rhs), equal(one.rhs, other.lhs))
        return True if turned else answer if turned is False else None
    return answer


def _unrounded(relation: Any) -> Any:
    """Relation without a rounding that is needless, since what is compared with it is a whole number.

    n ≤ ⌊x⌋ is n ≤ x, n < ⌈x⌉ is n < x, and so on for ⌈x⌉ ≤ n and ⌊x⌋ < n.
    """
    left, right = relation.lhs, relation.rhs
    if not isinstance(relation, Lt | Le) or not {left, right} & {*relation.atoms(*ROUNDED)}:
        return relation
    # which rounding can go depends on its side and on strictness: ⌊x⌋ ≤ n says less than x ≤ n
    below, above = (ceiling, floor) if isinstance(relation, Le) else (floor, ceiling)
    if isinstance(right, above) and _is_whole(left):
        right = right.args[0]
    elif isinstance(left, below) and _is_whole(right):
        left = left.args[0]
    return relation.func(left, right, evaluate=False)


def _is_whole(expression: Any) -> bool:
    """Whether an expression is a whole number for whole letters, by its form."""
    if expression.is_Symbol:
        return counts(expression)
    if isinstance(expression, Pow):
        return _is_whole(expression.base) and expression.exp.is_Integer and expression.exp >= 0
    if isinstance(expression, Add | Mul):
        return all(map(_is_whole, expression.args))
    return bool(expression.is_Integer) or isinstance(expression, floor | ceiling)


def _pointing_left(relation: Any) -> Any:
    if isinstance(relation, Gt):
        return Lt(relation.rhs, relation.lhs, evaluate=False)
    if isinstance(relation, Ge):
        return Le(relation.rhs, relation.lhs, evaluate=False)
    return relation


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return True if one and other else None
