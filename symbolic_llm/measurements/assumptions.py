"""Assumptions of the formulas that measured products break

Each assumption is dropped by itself, and the time is predicted anew without it. The one named for a product is that
whose dropping comes nearest to the measured time, if it comes near at all; a product that is near the law breaks none,
and one that is faster than its datasheet allows says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Final

import numpy

from ..api import compile
from .corner import SMOOTH, fitted
from .products import Table, all_tables, products
from .rows import Numbers, Rows
from .statistics import A_FIFTIETH, off

_OF_A_VALUE = 2.0  # bytes of a value of the vectors, which stay in 16 bits in every kernel here but a few
NEAR = 0.1  # off by less: near
HOLDS, FASTER, TOGETHER, NONE = "none: it holds", "faster than the datasheet allows", "several at once", "none of these"
PEAKS: Final = "the datasheet's peaks are reached"
FIXED: Final = "nothing else takes time"
OVERLAP: Final = "reading and computing overlap"
ACTIVATIONS: Final = "activations stay on the chip"
KINDS: Final = (HOLDS, PEAKS, FIXED, OVERLAP, ACTIVATIONS, TOGETHER, NONE, FASTER)


def without(rows: Rows, table: Table) -> Mapping[str, Numbers]:
    """The time of each product of a table with one assumption dropped, in seconds, by assumption.

    Args:
        rows: products of one device, framework and format.
        table: their lines, which give the shares of the datasheet and the fixed time.
    """
    reading, arithmetic = rows["reading"], rows["arithmetic"]
    vectors = rows["m"] * (rows["n"] + rows["k"])
    moved = compile("memory_time")(P=vectors, n_bytes=numpy.full(len(rows), _OF_A_VALUE), W=rows["W"])
    return {
        PEAKS: numpy.maximum(reading / table.W, arithmetic / table.F),
        FIXED: numpy.maximum(reading, arithmetic) + table.fixed,
        OVERLAP: reading + arithmetic,
        ACTIVATIONS: numpy.maximum(reading + moved, arithmetic),  # inputs are read from memory, and outputs written
    }


def broken(rows: Rows, table: Table) -> list[str]:
    """For each product of a table, the assumption that it breaks, by the rule of this module."""
    measured = rows["time"]
    dropped = without(rows, table)
    apart = numpy.array([off(times, measured) for times in dropped.values()])
    nearest, least = apart.argmin(axis=0), apart.min(axis=0)
    can_be = table.W > 0 and table.F > 0  # a slow path may be faster the more it reads
    all_dropped = off(fitted(rows, SMOOTH, (table,)).times(rows), measured) if can_be else numpy.ones(len(rows))
    names = [*dropped]
    return [
        FASTER
        if ratio < 1 - A_FIFTIETH
        else HOLDS
        if abs(1 - 1 / ratio) <= NEAR
        else names[which]
        if how_far <= NEAR
        else TOGETHER
        if together <= NEAR
        else NONE
        for ratio, which, how_far, together in zip(
            rows["ratio"].tolist(), nearest.tolist(), least.tolist(), all_dropped.tolist(), strict=True
        )
    ]


@cache
def counted() -> dict[str, Counter[str]]:
    """Numbers of products of each format by the assumption that they break."""
    found: dict[str, Counter[str]] = {}
    for table in all_tables():
        rows = products().of(device=table.device, framework=table.framework, format=table.kernel)
        found.setdefault(table.kernel, Counter()).update(broken(rows, table))
    return found
