"""An ideal machine: two resources that work side by side

While the arithmetic unit works on one pass, the memory bus brings what the next one needs; a pass ends when both are
done. Loads come in the order of the ledger, as tiles, and so do operations. Nothing here knows how long that takes in
all: the clock of each is moved from tile to tile, and where the later one stands at the end is the time of the pass.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from .counts import Exact, Parts, Ratio


class Finished(NamedTuple):
    """End of a pass: its time, the resource that ended last, and the counts of that resource, by part."""

    time: Exact
    last: str
    done: Parts


def run(loads: Parts, work: Parts, bandwidth: Exact, flops: Exact) -> Finished:
    """Move `loads` at `bandwidth` and do `work` at `flops`, both from the same time on, tile by tile."""
    rates, waiting = {"bus": bandwidth, "unit": flops}, {"bus": loads, "unit": work}
    busy_until: dict[str, Exact] = dict.fromkeys(rates, 0)
    for name, rate in rates.items():  # neither waits for the other, so one may be followed to its end before the other
        for tile in waiting[name].values():
            busy_until[name] += Fraction(1) * tile / rate
    last = "unit" if busy_until["unit"] > busy_until["bus"] else "bus"
    return Finished(busy_until[last], last, waiting[last])


def unless_clock(done: Parts, rate: Any, clock: Any) -> tuple[Parts, Any]:
    """The count and its rate if their quotient is the clock's time; else that time, over 1."""
    counted = Ratio(done, rate).value
    return (done, rate) if at_place(clock) == at_place(counted) else (Parts({"clock": clock}), 1)


def at_place(number: Any) -> Any:
    """The plain number: the `value` at one place of an object that stands for many numbers, else the number itself."""
    return getattr(number, "value", number)
