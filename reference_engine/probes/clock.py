"""An ideal machine: two resources that work side by side

While the arithmetic unit works on one pass, the memory bus brings what the next one needs; a pass ends when both are
done. Loads come in the order of the ledger, as tiles, and so do operations. Nothing here knows how long that takes in
all: the clock is moved from event to event, and where it stands at the last one is the time of the pass.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from operator import index
from typing import Any, NamedTuple

from .counts import Exact, Parts, Ratio


class Finished(NamedTuple):
    """When a pass ended, and what the resource that ended it had done until then, by part."""

    time: Exact
    last: str
    done: Parts


def run(loads: Parts, work: Parts, bandwidth: Exact, flops: Exact, start: Exact = 0) -> Finished:
    """Move `loads` at `bandwidth` and do `work` at `flops`, both from a time on, tile by tile."""
    rates = {"bus": bandwidth, "unit": flops}
    waiting = {"bus": deque(loads.items()), "unit": deque(work.items())}
    busy_until: dict[str, Exact] = dict.fromkeys(rates, start)
    done = {name: Parts() for name in rates}
    last = "bus"
    while any(waiting.values()):
        free = min((name for name in rates if waiting[name]), key=lambda name: busy_until[name])
        part, tile = waiting[free].popleft()
        busy_until[free] += Fraction(1) * tile / rates[free]
        done[free][part] = done[free].get(part, 0) + tile
        if busy_until[free] >= busy_until[last]:
            last = free
    return Finished(busy_until[last], last, done[last])


def unless_clock(done: Parts, rate: Any, clock: Any) -> tuple[Parts, Any]:
    """What was counted and what it is divided by; where that is another time than a clock shows, the clock."""
    counted = Ratio(done, rate).value
    return (Parts({"clock": clock}), 1) if clock < counted or clock > counted else (done, rate)


def at_place(value: Any) -> Any:
    """The plain number of a parameter, which may be a polynomial with a value at this place."""
    return value if isinstance(value, int | Fraction) else index(value)
