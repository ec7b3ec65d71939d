"""Trees: expressions as lists that JSON can hold, for programs that know no SymPy

A whole number, the name of a letter, or a list of an operator and its arguments. `value` of `checks/verify_alone.py`
says what they mean, and calculators evaluate them in the same form (`OPERATORS` of `exact.js`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ..algebra import Add, BooleanAtom, Eq, Ge, Gt, Le, Lt, Max, Min, Mod, Mul, Ne, Pow, Rational, ceiling, floor
from ..numeral import valued
from .parts import counts
from .polynomial import Exact, Polynomial

Tree = Any

_OPERATORS: Mapping[Any, str] = {
    Add: "+",
    Max: "max",
    Min: "min",
    floor: "floor",
    ceiling: "ceil",
    Mod: "mod",
    Eq: "=",
    Ne: "!=",
    Lt: "<",
    Le: "<=",
    Gt: ">",
    Ge: ">=",
}


class NoTree(ValueError):
    """Something that has no tree; the text names it."""


def tree(expression: Any) -> Tree:
    """Tree of an expression or a relation; `NoTree` if it has none."""
    return _tree(valued(expression))


def trees(relations: Iterable[Any]) -> list[Tree]:
    """Trees of some conditions, without those that have none: to make nothing of a condition is to prove more."""
    found = list[Tree]()
    for relation in relations:
        with suppress(NoTree):
            found.append(tree(relation))
    return found


def _tree(plain: Any) -> Tree:
    if isinstance(plain, BooleanAtom):  # of a relation SymPy may find the truth by itself
        return ["=", 0, int(not plain)]
    if plain.is_Integer:
        return int(plain)
    if isinstance(plain, Rational):
        return ["/", int(plain.p), int(plain.q)]
    if plain.is_Symbol:
        return plain.name
    if isinstance(plain, Mul):
        return _quotient(plain)
    if isinstance(plain, Pow):
        base, exponent = plain.base, plain.exp
        if not all(
            factor.is_Integer or counts(factor) for term in Add.make_args(exponent) for factor in Mul.make_args(term)
        ):
            raise NoTree(f"{plain} is multiplied no whole number of times")
        return _quotient(plain) if exponent.is_negative else ["^", _tree(base), _tree(exponent)]
    if plain.func not in _OPERATORS:
        raise NoTree(f"{plain.func.__name__} has no tree")
    return [_OPERATORS[plain.func], *map(_tree, plain.args)]


def _quotient(product: Any) -> Tree:
    """A product with what it is divided by under one line."""
    over, under = list[Tree](), list[Tree]()
    for factor in Mul.make_args(product):
        base, exponent = factor.as_base_exp()
        if isinstance(factor, Rational):
            over += [int(factor.p)] if factor.p != 1 else []
            under += [int(factor.q)] if factor.q != 1 else []
        elif exponent.is_negative:
            under.append(_tree(base**-exponent))
        else:
            over.append(_tree(factor))
    above, below = (["*", *side] if len(side) > 1 else side[0] if side else 1 for side in (over, under))
    # one line for all of a product: a reader sees at once what is divided by, and so does who asks whether it can be 0
    return ["/", above, below] if under else above


def terms(polynomial: Polynomial) -> list[Any]:
    """Polynomial as a list: of each term the factor, and the power of each of its letters."""
    return [
        [number(factor), {name: power for name, power in zip(polynomial.names, powers, strict=True) if power}]
        for powers, factor in polynomial.terms.items()
    ]


def number(value: Exact) -> int | str:
    """Exact number for JSON: a whole one, or a quotient such as "-3/2"."""
    return int(value) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
