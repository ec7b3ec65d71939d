"""Measured decoding steps: whether the cache is read beside the matrices or after them

Part by part, a step takes what its matrices take and then what attention takes (separate_latency). As a whole, it takes
the longer of all reading and all arithmetic (latency_with_cache). The two are told apart without a datasheet: from the
steps of one sequence and those with the shortest context, which are measured, all others are predicted by each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy

from ..api import compile
from ..errors import InvalidValue
from ..presets import model
from .machines import source_of
from .measured_set import measured_set
from .rows import Array, Numbers, Rows, joined
from .statistics import held_out, line_through, off, typical

PARTS: Final = "part by part"
WHOLE: Final = "the longer of two sums"
FORMULAS: Final = {PARTS: "separate_latency", WHOLE: "latency_with_cache"}
MANY = 16  # sequences from which caches are read for long
_MODEL = "llama-3-8b"  # of our own steps
_OF_A_LAYER = ("qkv", "out", "gate_up", "down")


@cache
def all_steps() -> Rows:
    """All measured steps with what both laws make of them, but those that the predictions rest on.

    Columns: device, framework, model, B, N, time, and the predicted time by each law, in seconds.
    """
    ours = measured_set("gpu_steps").rows
    ours = ours.beside(model=numpy.full(len(ours), _MODEL))
    names = ("device", "framework", "model", "B", "N", "time")
    rows = joined([measured_set("llama_cpp_steps").rows, ours], *names)
    return joined(list(anchored(rows)), *names, *FORMULAS)


def anchored(rows: Rows) -> Iterator[Rows]:
    """The steps of each device and model that both laws predict from its others, with the predictions in seconds."""
    for _, some in rows.groups("device", "framework", "model"):
        shortest = some["N"].min()
        at = _timed(some, "B", "N")
        known = [(B, shortest) in at and (1, N) in at for B, N in some.each("B", "N")]
        others = some.where(numpy.array(known) & (some["B"] > 1) & (some["N"] > shortest))
        matrices = numpy.array([at[B, shortest] for B in others["B"].tolist()])
        longer_cache = numpy.array([at[1, N] - at[1, shortest] for N in others["N"].tolist()])
        read = at[1, shortest] + others["B"] * longer_cache
        yield others.beside(
            **{PARTS: matrices + others["B"] * longer_cache, WHOLE: numpy.maximum(matrices, read)},
        )


@dataclass(frozen=True)
class Errors:
    """Errors of both laws on some steps.

    Attributes:
        parts: the median absolute error part by part, of the measured time.
        parts_high: nine tenths of those lie below.
        whole: the median absolute error of the longer of two sums.
        whole_high: nine tenths of those lie below.
        rows: how many steps there are.
    """

    parts: float
    parts_high: float
    whole: float
    whole_high: float
    rows: int


def errors(rows: Rows) -> Errors:
    """The errors of both laws on steps that have a prediction by each."""
    parts, whole = (typical(off(rows[law], rows["time"])) for law in FORMULAS)
    return Errors(*parts, *whole, len(rows))


@cache
def ours() -> Rows:
    """Our own steps beside what the datasheets say: the time by the formula of each law, in seconds."""
    parts = []
    for (device,), some in measured_set("gpu_steps").rows.groups("device"):
        asked: dict[str, Any] = {"model": _MODEL, "hardware": source_of(device), "dtype": "bf16"}
        laws = {law: compile(formula, **asked)(B=some["B"], N=some["N"]) for law, formula in FORMULAS.items()}
        parts.append(some.beside(**laws))
    return joined(parts)


@dataclass(frozen=True)
class Line:
    """A forecast of a step from the law's time: a fixed time, and the law over the share that is reached.

    Attributes:
        law: which law.
        share: of the datasheet.
        fixed: in seconds.
    """

    law: str
    share: float
    fixed: float

    def times(self, rows: Rows) -> Numbers:
        """The forecast times, in seconds."""
        forecast: Numbers = self.fixed + rows[self.law] / self.share
        return forecast


def fitted(rows: Rows, law: str) -> Line:
    """The line of measured times against a law's."""
    slope, fixed = line_through(rows[law], rows["time"])
    return Line(law, 1 / slope, fixed)


@cache
def forecasts(law: str) -> Rows:
    """Our own steps with a law's forecast of each from the other card, in the column `forecast`, in seconds."""
    held, predicted = held_out(ours(), "device", lambda rows: fitted(rows, law), Line.times)
    return held.beside(forecast=predicted)


@cache
def forecast_errors() -> dict[str, tuple[float, float]]:
    """Errors of each law's forecast of one of our cards from the other: the median, and what nine of ten are below."""
    return {law: typical(off(forecasts(law)["forecast"], forecasts(law)["time"])) for law in FORMULAS}


@dataclass(frozen=True)
class Foretold:
    """A step of one of our cards as three tell it.

    Attributes:
        bound: the time of the law with the datasheet's peaks, part by part, in seconds.
        forecast: that law with the share and the fixed time of the other card, in seconds.
        time: the measured time, in seconds.
    """

    bound: float
    forecast: float
    time: float

    @property
    def error(self) -> float:
        """Forecast over measured, less one."""
        return self.forecast / self.time - 1


def foretold(device: str, B: int, N: int) -> Foretold:
    """The step of a card with so many sequences of so many tokens; `InvalidValue` where it was not timed."""
    found = forecasts(PARTS).of(device=device, B=B, N=N)
    if not len(found):
        raise InvalidValue(f"no step of {B} sequences with {N:,} tokens each was timed on {device}.")
    return Foretold(*(float(found[name][0]) for name in (PARTS, "forecast", "time")))


def many(rows: Rows) -> Array:
    """Whether each step has many sequences."""
    chosen: Array = rows["B"] >= MANY
    return chosen


@cache
def summed() -> Rows:
    """Our own steps beside the sum of their parts as these were timed one by one, in the column `sum`, in seconds.

    A step of B sequences is the products of each layer with B tokens, the layer's attention, and the product with the
    output matrix. Norms, rotations and gates were not timed.
    """
    products = measured_set("gpu_products").rows.of(format="bfloat16")
    attention = measured_set("gpu_attention").rows
    product = _timed(products, "device", "what", "m")
    attend = _timed(attention, "device", "B", "N")
    rows = measured_set("gpu_steps").rows
    layers = model(_MODEL).letters["n_blocks"]
    sums = [
        layers * (sum(product[device, name, B] for name in _OF_A_LAYER) + attend[device, B, N])
        + product[device, "head", B]
        for device, B, N in rows.each("device", "B", "N")
    ]
    return rows.beside(sum=numpy.array(sums))


def _timed(rows: Rows, *names: str) -> dict[tuple[object, ...], float]:
    return dict(zip(rows.each(*names), rows["time"].tolist(), strict=True))


@cache
def remainder() -> dict[str, float]:
    """Time of a step besides its parts, in seconds: the median of each of our cards."""
    return {device: float(numpy.median(some["time"] - some["sum"])) for (device,), some in summed().groups("device")}


@cache
def summed_errors() -> tuple[float, float]:
    """Errors of the sum with the other card's remainder: the median, and what nine of ten are below."""
    held, predicted = held_out(
        summed(),
        "device",
        lambda rows: float(numpy.median(rows["time"] - rows["sum"])),
        lambda fixed, rows: rows["sum"] + fixed,
    )
    return typical(off(predicted, held["time"]))
