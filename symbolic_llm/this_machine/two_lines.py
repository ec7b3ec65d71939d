"""Times against a batch as two lines: flat while the weights are read, then straight while arithmetic is done"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy

from ..measurements.rows import Numbers
from ..measurements.statistics import TwoLines


@dataclass(frozen=True)
class Fitted(TwoLines):
    """Two lines through times against a batch.

    Attributes:
        seen: whether two batches or more lie on each, so that both are measured and not only bounded.
    """

    seen: bool = False


def two_lines(batches: Numbers, times: Numbers) -> Fitted:
    """Two lines through times, the batches ascending: those with the least sum of logarithmic errors.

    Every place between two batches is tried as the corner. Left of it the flat line is the median time, right of it the
    other one the median time of each: a few times far off move neither.
    """
    tried = []
    for corner in range(1, len(batches)):
        flat = float(numpy.median(times[:corner]))
        straight = float(numpy.median(times[corner:] / batches[corner:]))
        law = numpy.maximum(flat, straight * batches)
        error = float(numpy.abs(numpy.log(law / times)).sum())
        tried.append((error, Fitted(flat, straight)))
    found = min(tried, key=lambda one: one[0])[1]
    least = min((batches < found.meeting).sum(), (batches > found.meeting).sum())
    return replace(found, seen=bool(least > 1))
