"""Robust statistics of measured over predicted, and errors of fits on what they were not fitted to"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy

from .rows import Array, Numbers, Rows, joined

Fit = TypeVar("Fit")

A_FIFTIETH = 0.02  # more than rounding and a clock's last digit: what a time has to fall by to count as less


@dataclass(frozen=True)
class TwoLines:
    """The longer of two lines: one flat, one through zero.

    Attributes:
        flat: the time of few, in seconds.
        straight: the time of a further one among many, in seconds.
    """

    flat: float
    straight: float

    @property
    def meeting(self) -> float:
        """Number of tokens, or of whatever is on the other axis, where both lines meet."""
        return self.flat / self.straight


@dataclass(frozen=True)
class Spread:
    """A range in which most of some numbers lie.

    Attributes:
        median: half of them lie below.
        low: a tenth lies below.
        high: a tenth lies above.
        rows: how many there are.
    """

    median: float
    low: float
    high: float
    rows: int


def spread(numbers: Array) -> Spread:
    """The median of some numbers and their first and last tenth."""
    low, median, high = numpy.quantile(numbers, (0.1, 0.5, 0.9))
    return Spread(float(median), float(low), float(high), len(numbers))


def typical(errors: Numbers) -> tuple[float, float]:
    """The median of some errors, and what nine of ten are below."""
    return float(numpy.median(errors)), float(numpy.quantile(errors, 0.9))


def off(predicted: Array, measured: Array) -> Numbers:
    """Absolute errors of predictions, as shares of the measured."""
    return numpy.abs(predicted / measured - 1)


def line_through(x: Numbers, y: Numbers) -> tuple[float, float]:
    """Slope and intercept of a line: the median slope between two points, and the median of what is left (Theil–Sen).

    A few points far off move neither.
    """
    one, other = numpy.triu_indices(len(x), 1)
    apart = x[one] != x[other]
    slope = float(numpy.median((y[other] - y[one])[apart] / (x[other] - x[one])[apart]))
    return slope, float(numpy.median(y - slope * x))


def held_out(
    rows: Rows, by: str, fit: Callable[[Rows], Fit], predict: Callable[[Fit, Rows], Numbers], *, least: int = 0
) -> tuple[Rows, Numbers]:
    """Predictions of each group of rows by a fit to all other groups.

    Args:
        rows: measured rows.
        by: the column that tells the groups apart, such as the device.
        fit: fits some rows.
        predict: predicts other rows with a fit.
        least: fewest rows that a fit is made of; a group without so many others is left out.

    Returns:
        The rows, group by group, and the prediction of each.
    """
    groups = [group for group in rows.values(by) if (rows[by] != group).sum() >= least]
    left = [rows.where(rows[by] == group) for group in groups]
    predicted = [predict(fit(rows.where(rows[by] != group)), some) for group, some in zip(groups, left, strict=True)]
    return joined(left), numpy.concatenate(predicted)
