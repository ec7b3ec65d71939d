"""Pipeline stages: each has some of the layers, and hands on its results of a micro-batch

Events come in the order of their times. A stage works on one micro-batch at a time, those that came first before the
others, and while it works, what it has made of the one before is on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from .ring import Exact


@dataclass
class Schedule:
    """Result of a run: end of the last micro-batch, busy time of each stage, number of hand-overs, outputs."""

    end: Exact = 0
    busy: list[Exact] = field(default_factory=list)
    handed_on: int = 0
    made: dict[int, Any] = field(default_factory=dict)

    @property
    def idle(self) -> list[Exact]:
        """Time that each stage waited until the end."""
        return [self.end - busy for busy in self.busy]


def run(
    stages: Sequence[Callable[[Any], Any]], inputs: Sequence[Any], work: Exact | Sequence[Exact], hop: Exact
) -> Schedule:
    """Send micro-batches through stages that take `work` for each, with `hop` on the way from one to the next.

    Stages that are not alike have a `work` each.
    """
    works = work if isinstance(work, Sequence) else [work] * len(stages)
    free: list[Exact] = [0] * len(stages)
    found = Schedule(busy=[0] * len(stages))
    waiting: list[tuple[Exact, int, int, Any]] = []
    for number, batch in enumerate(inputs):
        heappush(waiting, (0, number, 0, batch))
    while waiting:
        came, number, stage, batch = heappop(waiting)
        free[stage] = max(came, free[stage]) + works[stage]
        found.busy[stage] += works[stage]
        made = stages[stage](batch)
        if stage + 1 < len(stages):
            found.handed_on += 1
            heappush(waiting, (free[stage] + hop, number, stage + 1, made))
        else:
            found.made[number] = made
            found.end = max(found.end, free[stage])
    return found
