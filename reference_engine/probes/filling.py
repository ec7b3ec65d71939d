"""Answers about memory: what is left of it, and what fits"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..memory import OutOfMemory
from .answers import Answer, Asked, Count
from .counts import Parts, Ratio, Selection
from .runs import decoder, fits


@dataclass(frozen=True)
class Left(Answer):
    """Bytes of memory that are free beside the weights, none if they do not fit; over a count, if there is one."""

    over: Count | None = None
    needs = ("memory",)

    def of(self, asked: Asked) -> Parts | Ratio:
        memory = asked.values["memory"]
        try:
            held = decoder(asked.subject, asked.values, 1, memory=memory).ledger
        except OutOfMemory:
            free = Parts({"memory": 0})
        else:
            free = Parts({"memory": memory}) - Selection("held").of(held)
        return free if self.over is None else Ratio(free, self.over.of(asked.moved(batch=1, context=1)))


@dataclass(frozen=True)
class Most(Answer):
    """How many can be allocated before the machine runs out of memory: the last number that fits, up to a limit."""

    of_what: str
    limit: str = ""

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("memory", *((self.limit,) if self.limit else ()))

    def of(self, asked: Asked) -> int:
        limit = asked.values[self.limit] if self.limit else None
        if limit is None and self.of_what == "context" and asked.subject.traits == {"windowed"}:
            limit = asked.values["window"]  # beyond it no block keeps more, and any context fits

        def is_room(number: int) -> bool:
            return (limit is None or number <= limit) and fits(asked.subject, {**asked.values, self.of_what: number})

        return last(is_room)


def last(fits: Callable[[int], bool]) -> int:
    """The last number that fits, given that a smaller one does wherever a larger one does."""
    room, beyond = 0, 1
    while fits(beyond):
        room, beyond = beyond, 2 * beyond
    while beyond - room > 1:
        middle = (room + beyond) // 2
        room, beyond = (middle, beyond) if fits(middle) else (room, middle)
    return room


@dataclass(frozen=True)
class Fits(Answer):
    """Whether weights and caches of a batch can be allocated."""

    needs = ("memory",)

    def of(self, asked: Asked) -> bool:
        return fits(asked.subject, asked.values)
