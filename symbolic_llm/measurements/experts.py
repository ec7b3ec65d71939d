"""Measured layers of routed experts beside the time that the formulas give them

A batch reads as many experts as it is expected to pick, if all are picked equally often, and computes with those that
each token is routed to. An expert is taken to have three matrices, as those of most models have.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy

from ..api import compile
from .machines import with_datasheets
from .measured_set import measured_set
from .rows import Numbers, Rows
from .statistics import held_out, off, typical

BALANCED = "balanced"
SHAPE = ("d_model", "d_expert", "n_active", "n_experts")


@cache
def experts() -> Rows:
    """All measured layers of experts with what the formulas say of each, as `predicted` gives it."""
    return predicted(measured_set("experts").rows)


def predicted(rows: Rows) -> Rows:
    """Layers of experts with their predictions.

    Columns beside those of the set: `reading` the expected experts (expert_weights_read), `reading_all` of them
    (all_expert_weights_read), `arithmetic`, the `law` as the longer of the first and the last, all in seconds, and
    `ratio`, the measured time over the law's.
    """
    rows = with_datasheets(rows)
    letters = {name: rows[name] for name in ("n_active", "n_experts")}
    expert = compile("expert_parameters")(d_model=rows["d_model"], d_expert=rows["d_expert"])
    active = rows["n_active"] * expert  # what every token is multiplied with
    shape = {"P": active, "P_expert": expert, "n_moe": numpy.ones(len(rows)), **letters}
    stored = {"n_bytes": rows["n_bytes"], "W": rows["W"]}
    read = compile("memory_time")(P=compile("expert_weights_read")(**shape, B=rows["B"]), **stored)
    arithmetic = compile("compute_time")(P=active, B=rows["B"], F=rows["F"])
    law = numpy.maximum(read, arithmetic)
    return rows.beside(
        reading=read,
        reading_all=compile("memory_time")(P=compile("all_expert_weights_read")(**shape), **stored),
        arithmetic=arithmetic,
        law=law,
        ratio=rows["time"] / law,
    )


@dataclass(frozen=True)
class Shares:
    """Shares of the datasheet that layers of experts reach.

    Attributes:
        W: of the bandwidth, the median where reading takes longer.
        F: of the arithmetic, the median where that takes longer.
    """

    W: float
    F: float

    def times(self, rows: Rows) -> Numbers:
        """The forecast times of other layers, in seconds."""
        forecast: Numbers = numpy.maximum(rows["reading"] / self.W, rows["arithmetic"] / self.F)
        return forecast


def shares(rows: Rows) -> Shares:
    """The shares that some layers reach."""
    reads = rows["reading"] >= rows["arithmetic"]
    return Shares(*(float(1 / numpy.median(rows["ratio"][some])) for some in (reads, ~reads)))


@cache
def errors(kernel: str, by: str) -> tuple[float, float, int]:
    """Errors of forecasts with the shares of all others: the median, what nine of ten are below, and how many.

    Args:
        kernel: the format.
        by: what is held out one by one: "device" or "framework".
    """
    held, forecast = held_out(experts().of(format=kernel), by, shares, Shares.times)
    return *typical(off(forecast, held["time"])), len(held)
