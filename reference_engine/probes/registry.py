"""How a probe is entered"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

Exact = int | Fraction


class Parts(dict[str, Exact]):
    """A count by the parts of the decoder that it comes from. Sums and multiples are taken part by part."""

    @property
    def value(self) -> Exact:
        """Their sum."""
        return sum(self.values())

    def __add__(self, other: Parts) -> Parts:
        return Parts({part: self.get(part, 0) + other.get(part, 0) for part in self | other})

    def __sub__(self, other: Parts) -> Parts:
        return self + other * -1

    def __mul__(self, factor: Exact) -> Parts:
        return Parts({part: count * factor for part, count in self.items()})

    def __floordiv__(self, divisor: int) -> Parts:
        """Every part divided on its own, so the divisor has to divide them all."""
        return Parts({part: count // divisor for part, count in self.items()})


class Ratio(NamedTuple):
    """Two counts and what they are to be divided to; kept apart so that each can be examined."""

    numerator: Exact | Parts
    denominator: Exact | Parts

    @property
    def value(self) -> Fraction:
        """The quotient."""
        over, under = (side.value if isinstance(side, Parts) else side for side in self)
        return Fraction(over) / Fraction(under)


Answer = int | Ratio | Parts | bool


@dataclass(frozen=True)
class Probe:
    """A question with its name, its wording and the parameters it takes.

    `quantity` names the letter whose value it measures. A probe that measures a part of something, or answers with yes
    or no, has none: it witnesses a step or a theorem, never an equation. `architecture` says in which ways the decoder
    that is asked is not the plain one: "experts", "mixed" or "windowed" blocks, "latent" attention.
    """

    name: str
    question: str
    ask: Callable[..., Answer]
    parameters: tuple[str, ...]
    quantity: str = ""
    architecture: frozenset[str] = frozenset()


PROBES: dict[str, Probe] = {}


def enter(
    name: str,
    question: str,
    ask: Callable[..., Answer],
    parameters: tuple[str, ...],
    quantity: str = "",
    architecture: Iterable[str] = (),
) -> None:
    """Enter a question under its name."""
    PROBES[name] = Probe(
        name, inspect.cleandoc(question).rstrip("."), ask, parameters, quantity, frozenset(architecture)
    )


def probe(
    name: str, quantity: str = "", architecture: Iterable[str] = ()
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Enter a function as the probe `name`, which measures `quantity`; its docstring is the question."""

    def entered(function: Callable[..., Answer]) -> Callable[..., Answer]:
        enter(
            name,
            function.__doc__ or "",
            function,
            tuple(inspect.signature(function).parameters),
            quantity,
            architecture,
        )
        return function

    return entered
