"""The parts of an expression, each once

SymPy goes through an expression as often as a part stands in it, which for a root in every term of a long sum takes
longer than what is done with it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..algebra import fraction, together


def parts(expression: Any) -> list[Any]:
    """The expression and all it is made of, the outer ones first, in the same order in every process."""
    found, seen = [expression], {expression}
    for one in found:  # it grows on the way
        new = [arg for arg in dict.fromkeys(one.args) if arg not in seen]
        found += new
        seen.update(new)
    return found


def letters_in(expression: Any) -> frozenset[Any]:
    """Symbols of an expression."""
    return frozenset(part for part in parts(expression) if part.is_Symbol)


def of_kind(expression: Any, kind: type | tuple[type, ...]) -> list[Any]:
    """Parts of an expression that are of some classes: maxima, say, or powers."""
    return [part for part in parts(expression) if isinstance(part, kind)]


@lru_cache(maxsize=2**10)  # solvers are asked about the same conditions in many cases
def over_one(expression: Any) -> tuple[Any, Any]:
    """Numerator and denominator, over one denominator as SymPy writes it."""
    over, under = fraction(together(expression))
    return over, under
