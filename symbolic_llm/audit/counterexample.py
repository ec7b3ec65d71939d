"""Small numbers at which a printed equation and the true one come to different values"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..algebra import prime
from ..errors import SymbolicLLMError
from ..expressions.arithmetic import Inexact
from ..expressions.exact import exact
from ..expressions.printing import text
from ..notation import LETTERS

_TRIES = 8
_NO_VALUE = (ZeroDivisionError, Inexact, KeyError, ValueError, SymbolicLLMError)  # a pole, a root, a circle of letters


@dataclass(frozen=True)
class Counterexample:
    """Numbers at which two sides of an equation differ, both evaluated exactly.

    Attributes:
        at: letters with their values, in base units.
        printed: what the printed side comes to.
        true: what the formula comes to.
    """

    at: tuple[tuple[str, Fraction], ...]
    printed: Fraction
    true: Fraction

    def __str__(self) -> str:
        """`at B = 2, W = 3: 12 by what is printed, 6 by the formula`."""
        letters = ", ".join(f"{letter} = {value}" for letter, value in self.at)
        return f"at {letters}: the printed equation gives {self.printed}, the formula {self.true}"


def counterexample(
    printed: Any, true: Any, presupposed: Sequence[Any], conditions: Sequence[Any]
) -> Counterexample | None:
    """The first of a few choices of small numbers at which both sides differ; None if they differ at none of them.

    Args:
        printed: the printed side, a SymPy expression.
        true: the formula's side.
        presupposed: equations that give letters their values, each before those that it rests on.
        conditions: relations that hold where the formula does; those with other letters are passed over.
    """
    given = [one.lhs for one in presupposed]
    sides = [printed, true, *(side for one in presupposed for side in (one.lhs, one.rhs))]
    found = set[Any]().union(*(side.free_symbols for side in sides))
    free = sorted(found.difference(given), key=lambda letter: letter.name)
    for numbers in _choices(len(free)):
        at = dict(zip(free, numbers, strict=True))
        try:
            for one in reversed(presupposed):
                at[one.lhs] = exact(one.rhs, at)
            holding = all(exact(one, at) for one in conditions if one.free_symbols <= at.keys())
            holding = holding and all(exact(one, at) for one in presupposed)
            here, there = exact(printed, at), exact(true, at)
        except _NO_VALUE:
            continue
        if holding and here != there and all(at[one].denominator == 1 for one in found if LETTERS[one].whole):
            letters = sorted(found, key=lambda letter: letter.name)
            return Counterexample(tuple((text(one), at[one]) for one in letters), here, there)
    return None


def _choices(number: int) -> Iterator[list[Fraction]]:
    """Choices of small numbers: primes, whose products all differ, then powers of two, which divide each other."""
    for start in range(1, _TRIES + 1):
        yield [Fraction(prime(start + place)) for place in range(number)]
    for start in range(1, _TRIES + 1):
        yield [Fraction(2 ** (start + place)) for place in range(number)]
