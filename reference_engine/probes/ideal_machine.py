"""An ideal machine: two resources that work side by side

While the arithmetic unit works on one pass, the memory bus brings what the next one needs; a pass ends when both are
done. Loads come in the order of the ledger, as tiles, and so do operations. Nothing here knows how long that takes in
all: the clock of each is moved from tile to tile, and where the later one stands at the end is the time of the pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from ..sizes import Exact


class Clocks(NamedTuple):
    """Times at which the memory bus and the arithmetic unit are done with a pass."""

    bus: Exact
    unit: Exact

    @property
    def last(self) -> str:
        """The resource that is done last; the bus if both end at once."""
        return "unit" if self.unit > self.bus else "bus"


def run(loads: Iterable[Exact], work: Iterable[Exact], bandwidth: Exact, flops: Exact) -> Clocks:
    """Move `loads` at `bandwidth` and do `work` at `flops`, both from the same time on, tile by tile."""
    # neither waits for the other, so one may be followed to its end before the other
    return Clocks(_busy_until(loads, bandwidth), _busy_until(work, flops))


def _busy_until(tiles: Iterable[Exact], rate: Exact) -> Exact:
    clock: Exact = 0
    for tile in tiles:
        clock += Fraction(1) * tile / rate
    return clock
