"""Measured products of m tokens with n × k weights beside the times and the crossover that the formulas give them

A product is a decoder of one matrix: its weights are n·k, its batch is the m tokens. So the formulas of a step are
asked with P = n·k and B = m, and with what the datasheet says of the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy

from ..api import compile
from .machines import with_datasheets
from .measured_set import measured_set
from .rows import Numbers, Rows
from .statistics import TwoLines, line_through

FLAT = 16  # tokens up to which the weights alone take the time, on every device and in every format here
STRAIGHT = 4096  # tokens from which arithmetic alone does
_TABLE = ("device", "framework", "format")


@cache
def products() -> Rows:
    """All measured products with their predictions, as `predicted` gives them."""
    return predicted(measured_set("products").rows)


@cache
def all_tables() -> tuple[Table, ...]:
    """Every table of the measured products."""
    return tuple(tables(products()))


def predicted(rows: Rows) -> Rows:
    """Products with what the formulas say of each.

    Columns beside those of the set: W, F and n_bytes of the datasheet, `weights`, the times `reading` (memory_time),
    `arithmetic` (compute_time) and `law` (latency) in seconds, `crossover` (batch_crossover) in tokens, and `ratio`,
    the measured time over the law's.
    """
    rows = with_datasheets(rows)
    weights = rows["n"] * rows["k"]
    letters = {"P": weights, "n_bytes": rows["n_bytes"], "B": rows["m"], "F": rows["F"], "W": rows["W"]}
    law = compile("latency")(**letters)
    return rows.beside(
        weights=weights,
        reading=_asked("memory_time", letters, "P", "n_bytes", "W"),
        arithmetic=_asked("compute_time", letters, "P", "B", "F"),
        law=law,
        crossover=_asked("batch_crossover", letters, "n_bytes", "F", "W"),
        ratio=rows["time"] / law,
    )


def _asked(formula: str, letters: dict[str, Numbers], *names: str) -> Numbers:
    answer: Numbers = compile(formula)(**{name: letters[name] for name in names})
    return answer


@dataclass(frozen=True)
class Curve(TwoLines):
    """Time of one product against its tokens: medians up to `FLAT` of them, and of time over tokens from `STRAIGHT` on.

    Attributes:
        n: outputs of the matrix.
        k: inputs of it.
    """

    n: int
    k: int


@dataclass(frozen=True)
class Table:
    """All products of a device and a framework in one format, with what their lines say.

    Attributes:
        device: the device.
        framework: whose kernels.
        kernel: the format, by its kernel's name.
        predicted: the crossover of the datasheet, in tokens.
        curves: the two lines of each product.
        W: share of the datasheet's bandwidth: the slope of the flat times against the bytes of the weights, inverted.
        F: share of the datasheet's arithmetic: the same of the straight lines, against the operations of a token.
        fixed: time of a product whose weights take no time to read, in seconds.
        rows: how many points there are.
    """

    device: str
    framework: str
    kernel: str
    predicted: float
    curves: tuple[Curve, ...]
    W: float
    F: float
    fixed: float
    rows: int

    @property
    def measured(self) -> float:
        """The crossover: the median of where the lines of the products meet, in tokens."""
        return float(numpy.median([curve.meeting for curve in self.curves]))

    @property
    def error(self) -> float:
        """Measured over predicted, less one."""
        return self.measured / self.predicted - 1


def curves(rows: Rows) -> list[tuple[Rows, Curve]]:
    """Each product of some rows, with its two lines; those without points on both are left out."""
    found = []
    for (n, k), some in rows.groups("n", "k"):
        few, many = some["m"] <= FLAT, some["m"] >= STRAIGHT
        if few.any() and many.any():
            flat = float(numpy.median(some["time"][few]))
            straight = float(numpy.median(some["time"][many] / some["m"][many]))
            found.append((some, Curve(flat, straight, int(n), int(k))))
    return found


def tables(rows: Rows) -> list[Table]:
    """A table for each device, framework and format in some rows, by format and device."""
    found = []
    for (device, framework, kernel), some in rows.groups(*_TABLE):
        of_products = curves(some)
        if len(of_products) < 2:
            continue
        first = {name: float(values[0]) for name, values in some.columns.items() if name in ("W", "F", "crossover")}
        lines = [curve for _, curve in of_products]
        stored = numpy.array([one["weights"][0] * one["n_bytes"][0] for one, _ in of_products])
        # the law's own time of one token, so that this side of the quotient is the catalogue's too
        computed = numpy.array([one["arithmetic"][0] / one["m"][0] for one, _ in of_products])
        read, fixed = line_through(stored / first["W"], numpy.array([line.flat for line in lines]))
        each, _ = line_through(computed, numpy.array([line.straight for line in lines]))
        found.append(
            Table(device, framework, kernel, first["crossover"], tuple(lines), 1 / read, 1 / each, fixed, len(some))
        )
    return sorted(found, key=lambda one: (one.kernel, one.device, one.framework))
