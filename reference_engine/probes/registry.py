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


class Parts(dict[str, int]):
    """A count by the parts of the decoder that it comes from."""

    @property
    def value(self) -> int:
        """Their sum."""
        return sum(self.values())


Answer = int | Ratio | Parts | bool


@dataclass(frozen=True)
class Probe:
    """A question with its name, its wording and the parameters it takes.

    `quantity` names the letter whose value it measures. A probe that measures a part of something, or answers with yes
    or no, has none: it witnesses a step or a theorem, never an equation.
    """

    name: str
    question: str
    ask: Callable[..., Answer]
    parameters: tuple[str, ...]
    quantity: str = ""


PROBES: dict[str, Probe] = {}


def enter(
    name: str, question: str, ask: Callable[..., Answer], parameters: tuple[str, ...], quantity: str = ""
) -> None:
    """Enter a question under its name."""
    PROBES[name] = Probe(name, inspect.cleandoc(question).rstrip("."), ask, parameters, quantity)


def probe(name: str, quantity: str = "") -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Enter a function as the probe `name`, which measures `quantity`; its docstring is the question."""

    def entered(function: Callable[..., Answer]) -> Callable[..., Answer]:
        enter(name, function.__doc__ or "", function, tuple(inspect.signature(function).parameters), quantity)
        return function

    return entered
