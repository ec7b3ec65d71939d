"""Answers about targets: what a machine can do in the time, and with the memory, that it has"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from .measures import Answer, Asked, Combined, Given, Zero
from .memory_search import JUST, Most, Room, last
from .time_measures import Load, Time

if TYPE_CHECKING:
    from .registry import Probe


_A_MOMENT = Fraction(1, 10**9)
_PLENTY = 10**9  # of time, or of memory


class _Within(Answer):
    """An answer about a largest batch that times have to allow."""

    @property
    @abstractmethod
    def times(self) -> tuple[Time | Combined, ...]:
        """Times that have to be within the target."""

    def edges(self, probe: Probe, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Places where a target is just met, and where a moment is missing.

        Where memory counts too, there is plenty of it, and then plenty of time while memory is just full.
        """
        asked = Asked(probe.subject, probe.asks.run, {**values, **probe.asks.fixed})
        enough = {"memory": _PLENTY} if "memory" in probe.parameters else {}
        for batch, time in product(JUST, self.times):
            took = time.of(asked.moved(batch=batch))
            for target in (took, took * (1 - _A_MOMENT)):
                yield {name: values[name] for name in probe.parameters} | {"target": target, **enough}
        if enough:
            yield from ({**at, "target": _PLENTY} for at in Most("batch").edges(probe, values))


@dataclass(frozen=True)
class MostWithin(_Within):
    """The largest batch whose pass, or one of its two resources alone, takes no longer than a target.

    Attributes:
        time: how long that takes.
        in_memory: whether the machine has to have room for the batch as well.
    """

    time: Time | Combined
    in_memory: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        return (*self.time.needs, "target", *(("memory",) if self.in_memory else ()))

    @property
    def times(self) -> tuple[Time | Combined, ...]:
        return (self.time,)

    def of(self, asked: Asked) -> int:
        most = Most("batch").of(asked) if self.in_memory else None

        def served(batch: int) -> bool:
            in_time = (self.time <= "target").of(asked.moved(batch=batch))
            return bool(in_time) and (most is None or batch <= most)

        return last(served, self._near(asked, most))

    def _near(self, asked: Asked, most: int | None) -> int:
        """First batch to try: where a line through batches 1 and 2 meets the target, but no more than `most`."""
        found = [] if most is None else [most]
        for time in (self.time.load.reading, self.time.load.computing) if isinstance(self.time, Time) else (self.time,):
            one, two = (time.of(asked.moved(batch=batch)) for batch in (1, 2))
            if two > one:
                found.append(1 + int((asked.values["target"] - one) / (two - one)))
        return max(1, min(found, default=1))


@dataclass(frozen=True)
class StoppedBy(_Within):
    """Number of the resource that one more sequence lacks first: 1 for room, 2 for time to load, 3 for time to work."""

    load: Load
    figures = ("flops", "bandwidth", "target", "memory")

    @property
    def times(self) -> tuple[Combined, ...]:
        return self.load.reading, self.load.computing

    def of(self, asked: Asked) -> int:
        more = asked.moved(batch=MostWithin(Time(self.load), in_memory=True).of(asked) + 1)
        lacking = (number for number, time in enumerate(self.times, 2) if not (time <= "target").of(more))
        return next(lacking) if Room(more, Most("batch")).fits() else 1


def reaches(time: Combined) -> Zero:
    """Batch at which a time, on the straight line through one sequence and two, is that of a target."""
    return Zero(time - Given("target"), "batch")
