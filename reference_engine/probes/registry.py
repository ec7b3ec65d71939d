"""How a probe is entered"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple


class Ratio(NamedTuple):
    """Two counts and what they are to be divided to; kept apart so that each can be examined."""

    numerator: int | Fraction
    denominator: int | Fraction

    @property
    def value(self) -> Fraction:
        """The quotient."""
        return Fraction(self.numerator) / Fraction(self.denominator)


Answer = int | Ratio | bool


@dataclass(frozen=True)
class Probe:
    """A question with its name, its wording and the parameters it takes."""

    name: str
    question: str
    ask: Callable[..., Answer]
    parameters: tuple[str, ...]


PROBES: dict[str, Probe] = {}


def probe(name: str) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Enter a function as the probe `name`; its docstring is the question."""

    def enter(function: Callable[..., Answer]) -> Callable[..., Answer]:
        question = inspect.cleandoc(function.__doc__ or "").rstrip(".")
        PROBES[name] = Probe(name, question, function, tuple(inspect.signature(function).parameters))
        return function

    return enter
