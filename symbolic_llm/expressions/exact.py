"""Exact numbers from expressions

Fractions in, fractions out: nothing is rounded before the very end, so counts can be compared with `==`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from operator import itemgetter
from typing import Any

from .. import algebra
from ..algebra import Mul, Pow
from ..unevaluated import Max, changing
from .arithmetic import plain
from .as_code import as_function

_HIGH = 16  # powers up to which roots of a polynomial are found at once

Compute = Callable[[Mapping[Any, Fraction | int]], Any]

_function = lru_cache(maxsize=2**13)(as_function)


def exact(expression: Any, values: Mapping[Any, Fraction | int]) -> Any:
    """The exact value of an expression, or the truth of a relation; `KeyError` for a letter without a value."""
    compute, letters = _function(expression)
    found = compute(*[plain(values[letter]) for letter in letters])
    return found if isinstance(found, bool) else Fraction(found)


@lru_cache(maxsize=2**12)
def exactly(expression: Any) -> tuple[Compute, tuple[Any, ...]]:
    """Function that computes an expression, and its letters: their values have to be `plain`, and so is the result."""
    compute, letters = _function(expression)
    if len(letters) > 1:
        read = itemgetter(*letters)
        return (lambda values: compute(*read(values))), letters
    return (lambda values: compute(*[values[letter] for letter in letters])), letters


def letters_needed(expression: Any, values: Mapping[Any, Fraction | int]) -> frozenset[Any]:
    """Letters whose values are needed beside the known ones: all others, but those that are taken zero times."""
    if not (lacking := frozenset(expression.free_symbols - values.keys())) or not expression.args:
        return lacking
    # only a letter divides in what is dropped: zero times what may be infinite is no zero
    if isinstance(expression, Mul) and all(_divides_by_letters(one) for one in expression.args):
        known = (one for one in expression.args if one.free_symbols <= values.keys())
        if any(exact(one, values) == 0 for one in known):
            return frozenset()
    return frozenset().union(*(letters_needed(one, values) for one in expression.args))


def _divides_by_letters(expression: Any) -> bool:
    """Whether nothing but letters and numbers stands below a line, so that it is finite: letters are positive."""
    if isinstance(expression, Pow) and not (expression.exp.is_Integer and expression.exp > 0):
        return bool(expression.base.is_Symbol or expression.base.is_Number) and not expression.exp.free_symbols
    return all(map(_divides_by_letters, expression.args))


def put_in(expression: Any, changes: Mapping[Any, Any]) -> Any:
    """`xreplace` that keeps each maximum as it is written: SymPy would search long for which argument is the larger."""
    found = changing(expression, (algebra.Max,), lambda argument: put_in(argument, changes))
    maxima = {maximum: Max(*arguments) for maximum, arguments in found}
    return replaced(expression, {**maxima, **changes})


def replaced(expression: Any, changes: Mapping[Any, Any]) -> Any:
    """`xreplace`, but SymPy is not asked whether a relation with a high power is true: it would look for roots."""
    sides = [side.xreplace(changes) for side in expression.args] if expression.is_Relational else []
    if any(power.exp.is_Number and power.exp > _HIGH for side in sides for power in side.atoms(Pow)):
        return expression.func(*sides, evaluate=False)
    return expression.xreplace(changes)
