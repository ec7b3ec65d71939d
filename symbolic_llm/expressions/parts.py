"""The parts of an expression, each once

SymPy goes through an expression as often as a part stands in it, which for a root in every term of a long sum takes
longer than what is done with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from ..notation import LETTERS
from ..reached import reached


def parts(expression: Any) -> list[Any]:
    """The expression and all it is made of, the outer ones first, in the same order in every process."""
    return reached([expression], attrgetter("args"))


def letters_in(expression: Any) -> frozenset[Any]:
    """Symbols of an expression."""
    return frozenset(part for part in parts(expression) if part.is_Symbol)


def of_kind(expression: Any, kind: type | tuple[type, ...]) -> list[Any]:
    """Parts of an expression that are of some classes: maxima, say, or powers."""
    return [part for part in parts(expression) if isinstance(part, kind)]


def counts(letter: Any) -> bool:
    """Whether a letter stands for a whole number."""
    return letter in LETTERS and LETTERS[letter].whole


def letters_of(relations: Iterable[Any]) -> tuple[Any, ...]:
    """The letters of some relations, in the order of the notation."""
    found = {symbol for relation in relations for symbol in relation.free_symbols}
    known = [symbol for symbol in LETTERS if symbol in found]
    return (*known, *sorted(found - set(known), key=str))
