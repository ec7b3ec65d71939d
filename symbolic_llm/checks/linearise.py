"""Products as letters: a wider question, which solvers find easier

Solvers drown in products of many letters. Written out, both sides of a relation are sums of products, and maxima of
such sums. In the wider question every product is a positive number of its own, and what is left is linear. At any
values of the letters the products are such numbers, so where the wider question has no counterexample, neither has the
theorem. The other way round nothing follows: B·N and N are numbers there that know nothing of each other, so its
counterexamples may be none, and none is believed.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from ..algebra import Add, Max, Min, Mul, Symbol, expand_mul
from ..numeral import valued
from ..unevaluated import carried_out
from .smt_questions import Question


class Widened(Question):
    """A question in which each product of letters is a letter of its own."""


def with_products(relations: Iterable[Any]) -> dict[Any, Any] | None:
    """Each relation with a positive letter in place of every product of letters.

    None where it would be the same question, or where something is divided by a sum, or rounded, or a root.
    """
    found = {}
    for relation in relations:
        try:
            found[relation] = _linear(relation)
        except _NotLinearError:
            return None
    # where nothing is a product the wider question is the narrow one, and would be asked twice
    return found if any(relation != wide for relation, wide in found.items()) else None


def equal_as_maxima(one: Any, other: Any) -> bool:
    """Whether two expressions are the same maxima of the same sums of products, when both are written out."""
    try:
        return bool(_side(valued(one)) == _side(valued(other)))
    except _NotLinearError:
        return False


class _NotLinearError(ValueError):
    """Something that is no sum or maximum of products, however it is written out."""


@lru_cache(maxsize=2**10)
def _linear(relation: Any) -> Any:
    plain = valued(relation)
    if plain in (True, False):
        return plain
    return plain.func(*map(_side, plain.args), evaluate=False)


def _side(term: Any) -> Any:
    """An expression with a letter for each of its products."""
    if isinstance(term, Max | Min):
        return carried_out(term.func, *map(_side, term.args))
    if isinstance(term, Add):
        return term.func(*map(_side, term.args))
    choices = [factor for factor in Mul.make_args(term) if isinstance(factor, Max | Min)]
    if not choices:
        written = expand_mul(term)
        return _side(written) if isinstance(written, Add) else _product(written)
    # c·max(a, b) is max(c·a, c·b) where c is positive; the number, whose sign is known, stays outside
    number, factor = (term / choices[0]).as_coeff_Mul(rational=True)
    if len(choices) > 1 or not factor.is_positive:
        raise _NotLinearError
    return number * _side(carried_out(choices[0].func, *(factor * choice for choice in choices[0].args)))


def _product(term: Any) -> Any:
    number, letters = term.as_coeff_Mul(rational=True)
    if letters == 1 or letters.is_Symbol:
        return term
    bases = (power.as_base_exp() for power in Mul.make_args(letters))
    # a product of positive letters alone is positive, which is all that its new letter says of it
    if not all(base.is_Symbol and base.is_positive and exponent.is_Integer for base, exponent in bases):
        raise _NotLinearError
    # by its text, so that a product is the same letter wherever it stands
    return number * Symbol(str(letters), positive=True)
