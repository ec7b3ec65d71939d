"""Pipeline stages: each has some of the layers, and hands on its results of a micro-batch

A stage works on one micro-batch at a time, those that came first before the others, and while it works, what it has
made of the one before is on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ..ledger import Ledger, Tally
from ..sizes import Exact, led_to, most


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
    ends: dict[tuple[int, int], Exact] = {}
    found = Schedule(busy=[0] * len(stages))
    for number, batch in enumerate(inputs):
        made = batch
        for stage, (make, takes) in enumerate(zip(stages, works, strict=True)):
            found.end = ends[stage, number] = _end(lambda *at: ends[at], stage, number, work=takes, hop=hop)
            found.busy[stage] += takes
            found.handed_on += stage > 0
            made = make(made)
        found.made[number] = made
    return found


def _end(known: Callable[[Any, Any], Any], stage: Any, number: Any, *, work: Any, hop: Any) -> Any:
    """When a stage has done a micro-batch: it begins once that has come, and once the one before is done."""
    came = known(stage - 1, number) + hop if stage else 0
    free = known(stage, number - 1) if number else 0
    return most(came, free) + work


def enter_slots(ledger: Ledger, stages: Any, batches: Any) -> None:
    """Enter what so many alike stages do, and how long they wait, in slots: the time that one takes for a micro-batch.

    What is handed on is there at once. There may be sizes of stages and of micro-batches.
    """
    end = led_to(partial(_end, work=1, hop=0), stages - 1, batches - 1)
    for _stage in ledger.loop(stages):
        _enter(ledger, "stages.idle", Tally(flops=end - batches))
        for _batch in ledger.loop(batches):
            _enter(ledger, "stages.busy", Tally(flops=1))
    for _stage in ledger.loop(stages - 1):
        for _batch in ledger.loop(batches):
            _enter(ledger, "stages.handed_on", Tally(messages=1))


def _enter(ledger: Ledger, path: str, tally: Tally) -> None:
    ledger.entries.setdefault((path, "slot"), Tally()).add(tally)
