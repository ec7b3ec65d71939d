"""The corner between reading and arithmetic: the longer of both, their sum, or something between

A real machine reaches shares of its datasheet's bandwidth and arithmetic, and each product takes a fixed time besides.
These three letters are fitted, by medians, on some devices, and other devices are predicted with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

import numpy

from .products import Table, all_tables, products, tables
from .rows import Array, Numbers, Rows
from .statistics import held_out, off, typical

Join = Callable[[Numbers, Numbers], Numbers]


def smooth(power: float) -> Join:
    """The smooth maximum of a power: the sum at one, the maximum as it grows."""

    def join(one: Numbers, other: Numbers) -> Numbers:
        larger, smaller = numpy.maximum(one, other), numpy.minimum(one, other)
        joined: Numbers = larger * (1 + (smaller / larger) ** power) ** (1 / power)
        return joined

    return join


LONGER, SUM, SQUARES, SMOOTH = "the longer", "the sum", "the root of the squares", "a smooth maximum"
# The third is smooth_attainable_flops, in seconds
_JOINS: Final[dict[str, Join]] = {LONGER: numpy.maximum, SUM: numpy.add, SQUARES: smooth(2)}
_POWERS = numpy.arange(1.2, 4.05, 0.2)
_FACTORS = (1.0, 1.05, 1.1, 1.15, 1.2, 1.25)
NEAR = 2.0  # times the crossover, and one over that: what is called near it


@dataclass(frozen=True)
class Forecast:
    """A forecast of products on a device: shares of its datasheet, a fixed time, and a way to join both times.

    Attributes:
        W: share of the bandwidth.
        F: share of the arithmetic.
        fixed: in seconds.
        join: joins the two times.
        power: of the smooth maximum; 0 where it is none.
    """

    W: float
    F: float
    fixed: float
    join: Join
    power: float = 0.0

    def times(self, rows: Rows) -> Numbers:
        """The forecast time of each product, in seconds."""
        return self.fixed + self.join(rows["reading"] / self.W, rows["arithmetic"] / self.F)


def fitted(rows: Rows, how: str, found: tuple[Table, ...] = ()) -> Forecast:
    """A forecast for some rows: medians of the shares in their tables, then whatever leaves the least median error.

    Both shares may still be larger by one factor, since a sum of two times asks for larger shares than the longer does;
    a smooth maximum has its power besides.

    Args:
        rows: the products to fit.
        how: how the two times join.
        found: the tables of these rows and perhaps of others, where they are known already.
    """
    here = {*rows.each("device", "framework")}
    mine = [one for one in found or tables(rows) if (one.device, one.framework) in here]
    W, F, fixed = (float(numpy.median([getattr(one, name) for one in mine])) for name in ("W", "F", "fixed"))
    joins = [(_JOINS[how], 0.0)] if how in _JOINS else [(smooth(power), float(power)) for power in _POWERS]
    tried = (Forecast(factor * W, factor * F, fixed, *join) for join in joins for factor in _FACTORS)
    return min(tried, key=lambda one: float(numpy.median(off(one.times(rows), rows["time"]))))


@dataclass(frozen=True)
class Error:
    """Errors of forecasts of what was held out.

    Attributes:
        how: how the two times were joined.
        by: what was held out, one by one.
        median: of the absolute errors, of the measured time.
        high: nine tenths of the absolute errors lie below.
        at_corner: the median of predicted over measured, less one, near the crossover.
        rows: how many products were predicted.
    """

    how: str
    by: str
    median: float
    high: float
    at_corner: float
    rows: int


@cache
def errors(kernel: str = "bfloat16") -> tuple[Error, ...]:
    """Held-out errors of each way to join, by device and by framework."""
    rows = products().of(format=kernel)
    return tuple(_error(rows, how, by) for by in ("device", "framework") for how in (LONGER, SUM, SQUARES, SMOOTH))


def _error(rows: Rows, how: str, by: str) -> Error:
    known = tuple(one for one in all_tables() if one.kernel == rows["format"][0])
    held, predicted = held_out(rows, by, partial(fitted, how=how, found=known), Forecast.times)
    near = near_crossover(held)
    at_corner = float(numpy.median(predicted[near] / held["time"][near]) - 1)
    return Error(how, by, *typical(off(predicted, held["time"])), at_corner, len(held))


def near_crossover(rows: Rows) -> Array:
    """Whether each product has about as many tokens as the datasheet's crossover: half as many to twice as many."""
    place = rows["m"] / rows["crossover"]
    return (place >= 1 / NEAR) & (place <= NEAR)
