"""Measured attention of decoding steps beside the time in which the datasheet reads the cache"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy

from ..api import compile
from .machines import with_datasheets
from .measured_set import measured_set
from .rows import Numbers, Rows
from .statistics import A_FIFTIETH, held_out, line_through, off, typical

LONG = 50e-6  # seconds of reading from which a line is drawn: several times what attention takes besides
_TABLE = ("device", "framework", "format")


@cache
def attention() -> Rows:
    """All measured attention with what the formulas say of it, as `predicted` gives it."""
    return predicted(measured_set("attention").rows)


def predicted(rows: Rows) -> Rows:
    """Attention of one layer with `bytes` of its cache (kv_bytes_total), the seconds of `reading` them, and `ratio`.

    The ratio is the measured time over the time of reading at the datasheet's bandwidth.
    """
    rows = with_datasheets(rows)
    letters = {"n_kv_heads": rows["kv_heads"], "d_head": rows["d_head"], "B": rows["B"], "N": rows["N"]}
    held = compile("kv_bytes_total", unfold=True, n_blocks=1)(n_bytes_kv=rows["n_bytes"], **letters)
    reading = held / rows["W"]
    return rows.beside(bytes=held, reading=reading, ratio=rows["time"] / reading)


@dataclass(frozen=True)
class Reading:
    """Reading of caches by a device with the kernels of a framework, in one number format.

    Attributes:
        device: the device.
        framework: whose kernels.
        kernel: the format of the cache.
        W: share of the datasheet's bandwidth: the median, over batches and heads, of the slope against context.
        fixed: the median time at the shortest context, in seconds.
        beaten: points that beat the datasheet by more than a fiftieth.
        most: the largest factor by which one does.
        rows: how many points there are.
    """

    device: str
    framework: str
    kernel: str
    W: float
    fixed: float
    beaten: int
    most: float
    rows: int

    def times(self, rows: Rows) -> Numbers:
        """The forecast time of attention with other caches, in seconds."""
        forecast: Numbers = self.fixed + rows["reading"] / self.W
        return forecast


def readings(rows: Rows) -> list[Reading]:
    """The reading of caches by each device and framework, in each format."""
    return [_reading(device, framework, kernel, some) for (device, framework, kernel), some in rows.groups(*_TABLE)]


def _reading(device: str, framework: str, kernel: str, rows: Rows) -> Reading:
    slopes, begins = [], []
    for _, curve in rows.groups("B", "heads", "kv_heads", "d_head"):
        begins.append(float(curve["time"][curve["N"].argmin()]))
        long = curve.where(curve["reading"] >= LONG)
        if len(long) > 2:
            slopes.append(line_through(long["reading"], long["time"])[0])
    beaten = int((rows["ratio"] < 1 - A_FIFTIETH).sum())
    share, fixed = 1 / float(numpy.median(slopes)), float(numpy.median(begins))
    return Reading(device, framework, kernel, share, fixed, beaten, float(1 / rows["ratio"].min()), len(rows))


@cache
def all_readings() -> tuple[Reading, ...]:
    """Every table of measured attention, by format, share and device."""
    return tuple(sorted(readings(attention()), key=lambda one: (one.kernel, -one.W, one.device)))


@cache
def errors(kernel: str, by: str, least: float = 0.0) -> tuple[float, float, int]:
    """Errors of forecasts with the medians of all others: the median, what nine of ten are below, and how many.

    Args:
        kernel: the format of the cache.
        by: what is held out one by one: "device" or "framework".
        least: seconds of reading from which points are looked at.
    """
    known = {(one.device, one.framework): one for one in all_readings() if one.kernel == kernel}

    def fit(rows: Rows) -> Reading:
        some = [known[pair] for pair in sorted({*rows.each("device", "framework")})]
        share, fixed = (float(numpy.median([getattr(one, name) for one in some])) for name in ("W", "fixed"))
        return Reading("", "", kernel, share, fixed, 0, 0.0, len(rows))

    held, forecast = held_out(attention().of(format=kernel), by, fit, Reading.times)
    apart = off(forecast, held["time"])[held["reading"] >= least]
    return *typical(apart), len(apart)
