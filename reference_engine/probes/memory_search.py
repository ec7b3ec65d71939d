"""Answers about memory: what fits into it"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..memory import OutOfMemory
from ..model import Decoder
from .counts import BOTH, Passed
from .measures import Answer, Asked
from .runs import Passes, Run, Values, decoder
from .subjects import Subject

if TYPE_CHECKING:
    from .registry import Probe

JUST = (1, 3, 40)  # numbers for which memory is made just large enough, or time long enough


@dataclass(frozen=True)
class Most(Answer):
    """Largest batch, or context, that can be allocated before the machine runs out of memory, up to a limit.

    Attributes:
        of_what: of the batch or of its context.
        limit: the parameter that is the limit, if there is one.
    """

    of_what: str
    limit: str = ""
    widths = BOTH

    @property
    def figures(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("memory", *((self.limit,) if self.limit else ()))

    def of(self, asked: Asked) -> int:
        limit = asked.values[self.limit] if self.limit else None
        if limit is None and self.of_what == "context" and asked.subject.traits == {"windowed"}:
            limit = asked.values["window"]  # beyond it no block keeps more, and any context fits

        room = Room(asked, self)

        def fits(number: int) -> bool:
            return (limit is None or number <= limit) and room.fits(**{self.of_what: number})

        return last(fits)

    def decoders(self, subject: Subject, values: Values, memory: Any = None) -> list[Decoder]:
        """Decoders whose weights are placed in so much memory: one, or each share of one."""
        return [decoder(subject, values, 1, memory=memory)]

    def take(self, made: Decoder, values: Values) -> None:
        """Reserve room for the caches of a batch."""
        made.start(values["batch"], values["context"])

    def give_back(self, made: Decoder) -> None:
        """Release the room for the caches of a batch."""
        made.release()

    def leaving_room(self, values: Values, number: int) -> dict[str, int]:
        """Other values of some parameters, with which so many, and more, take more memory than fewer do.

        Windows are wider than the contexts, so that the caches grow up to them.
        """
        return {"window": 2 * number + 1} if "window" in values else {}

    def memory(self, held: int, values: Values) -> Any:
        """Memory of a machine that can just hold so many bytes."""
        return held

    def edges(self, probe: Probe, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Places where memory is just full, and where one byte is missing, for any probe."""
        for number in JUST:
            at = {"batch": 1, "context": 1, **values, self.of_what: number}
            at |= self.leaving_room(at, number)
            placed = self.decoders(probe.subject, at)
            for one in placed:
                self.take(one, at)
            held = max(one.machine.held for one in placed)
            for missing in (0, 1):
                memory = self.memory(held - missing, at)
                yield {name: at[name] for name in probe.parameters} | {"memory": memory}


class Room:
    """Machines with the weights in their memory, if they fit, and room for the caches of one batch after the other."""

    def __init__(self, asked: Asked, filling: Most) -> None:
        self._values, self._filling = asked.values, filling
        self._decoders: list[Decoder] = []
        with suppress(OutOfMemory):
            self._decoders = filling.decoders(asked.subject, asked.values, asked.values["memory"])

    def fits(self, **load: int) -> bool:
        """Whether room for such a batch can be reserved; it is released again."""
        held = [one.ledger.footprint() for one in self._decoders]
        filled = 0
        with suppress(OutOfMemory):
            for one in self._decoders:
                self._filling.take(one, {**self._values, **load})
                filled += 1
        for one in self._decoders:
            self._filling.give_back(one)
        assert held == [one.ledger.footprint() for one in self._decoders], "what was allocated is given back"
        return 0 < filled == len(self._decoders)


def last(fits: Callable[[int], bool], near: int = 1) -> int:
    """The last number that fits, given that a smaller one does wherever a larger one does.

    The search starts from `near`. Wherever that is, the number that is found fits, and one more does not.
    """
    stride = 1
    if fits(near):
        room, beyond = near, near + 1
        while fits(beyond):
            stride *= 2
            room, beyond = beyond, beyond + stride
    else:
        room, beyond = near - 1, near
        while room and not fits(room):
            stride *= 2
            room, beyond = max(0, room - stride), room
    while beyond - room > 1:
        middle = (room + beyond) // 2
        room, beyond = (middle, beyond) if fits(middle) else (room, middle)
    return room


@dataclass(frozen=True)
class Fits(Answer):
    """Whether weights and caches of a batch can be allocated."""

    figures = ("memory",)
    widths = BOTH

    def of(self, asked: Asked) -> bool:
        return Room(asked, Most("batch")).fits()

    def edges(self, probe: Probe, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        return Most("batch").edges(probe, values)


# Room in memory beside a reserve: for a batch, and for what its passes work on

_ACTIVATIONS, _RESERVE = "activations", "reserve"


@dataclass(frozen=True)
class MostBeside(Most):
    """Largest batch, or context, that fits beside a reserve, where each sequence takes room for a pass's arrays too."""

    @property
    def figures(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*super().figures, _RESERVE, _ACTIVATIONS)

    def decoders(self, subject: Subject, values: Values, memory: Any = None) -> list[Decoder]:
        found = super().decoders(subject, values, memory)
        for made in found:
            with made.ledger.scope(_RESERVE):
                made.machine.occupy(values[_RESERVE])
        return found

    def take(self, made: Decoder, values: Values) -> None:
        super().take(made, values)
        for _ in made.ledger.loop(values["batch"]):
            with made.ledger.scope(_ACTIVATIONS):
                made.machine.occupy(values[_ACTIVATIONS])

    def give_back(self, made: Decoder) -> None:
        super().give_back(made)
        if held := made.ledger.footprint(_ACTIVATIONS):
            made.machine.vacate(_ACTIVATIONS, held)


def _held_beside(subject: Subject, values: Values) -> Passes:
    """Weights, a reserve, and room for the caches of a batch and for what its passes work on."""
    filling = MostBeside("batch")
    (made,) = filling.decoders(subject, values)
    filling.take(made, values)
    return (Passed(1, made.ledger),)


HELD_BESIDE = Run("held beside a reserve", ("batch", "context", _RESERVE, _ACTIVATIONS), _held_beside)
