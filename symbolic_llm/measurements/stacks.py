"""Shares of a datasheet that programs reach, and their fixed time of a step, fitted to measured batches

    python -m symbolic_llm.measurements.stacks

writes them into the presets.

Three letters make a forecast of the law, part by part: a fixed time of every step (T_overhead), and the shares of the
bandwidth (U_memory) and of the arithmetic (U_compute) that a program reaches. What is measured is a whole batch: a
prompt, and as many steps as it has tokens. Its time over its steps is what the letters are fitted to, so U_compute also
bears whatever else a program does for each sequence.

Letters of a device are fitted to its own batches, and each model is held out in turn. Those of a class of devices are
fitted to the batches of several, and each device is held out in turn. Fewer batches than `LEAST` make no entry, and
neither do those of a single model, or of a single device of a class.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy

from .. import presets
from ..api import compile
from ..files import write
from . import requests
from .machines import classes, framework_title, source_of
from .measured_set import measured_set
from .rows import Numbers, Rows, joined
from .statistics import held_out, off, spread

PATH = Path(presets.__file__).parent / "stacks.toml"
LEAST = 10  # batches that make an entry
_HEADER = """\
# Written by `python -m symbolic_llm.measurements.stacks` from measured batches; a test holds it against them. A
# fit has what a program reaches: a fixed time of every step, and shares of W and F. A range has the least and
# most of a letter in the fits that leave one model or device out. `error` is the median absolute error of what
# was left out, and eight of ten of it lie between `low` and `high` times the forecast. `bits` are those of a
# weight; `batch` and `context` are the largest that were measured.
"""
# Models of the pages and one more, whose shapes are those of a preset; devices of the pages and one more.
_MODELS: Final = {**requests.MODELS, "Qwen/Qwen2-7B": "qwen2.5-7b"}
_DEVICES: Final = (*requests.DEVICES, "gh200")
_OF_W = [step / 20 for step in range(4, 21)]
# finer where small, since what a program does for each sequence makes it so
_OF_F = [0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]
_PAIRS = [*product(_OF_W, _OF_F)]
_TIMES = "times"  # of a step and its part of the prompt, a column for each pair


@dataclass(frozen=True)
class Letters:
    """The fixed time of a step and the shares of a datasheet that a program reaches.

    Attributes:
        overhead: the fixed time of a step, in seconds.
        pair: which of the pairs of shares.
    """

    overhead: float
    pair: int

    @property
    def memory(self) -> float:
        """Share of the bandwidth."""
        return _PAIRS[self.pair][0]

    @property
    def compute(self) -> float:
        """Share of the arithmetic."""
        return _PAIRS[self.pair][1]

    def times(self, rows: Rows) -> Numbers:
        """The forecast time of each batch over its steps, in seconds."""
        forecast: Numbers = self.overhead + rows[_TIMES][:, self.pair]
        return forecast


def batches(rows: Rows) -> Rows:
    """Batches on one device that it holds, as they were measured, with their time over their steps at all shares.

    Args:
        rows: rows of the set of requests.
    """
    found = []
    of_one = rows.where(rows["devices"] == 1)
    for asked, some, letters in requests.that_fit(of_one, _MODELS, _DEVICES):
        step, prefill = compile("separate_latency", **asked), compile("separate_prefill_time", **asked)
        N, B, W, F = some["N"], some["B"], letters["W"], letters["F"]
        at = [
            # the step in the middle of the answer stands for all
            step(B=B, N=1.5 * N, W=W * memory, F=F * compute) + prefill(B=B, N=N, W=W * memory, F=F * compute) / N
            for memory, compute in _PAIRS
        ]
        named = numpy.full(len(some), asked["model"])
        found.append(some.beside(model=named, time=some["time"] / N, **{_TIMES: numpy.stack(at, axis=1)}))
    return joined(found)


def fitted(rows: Rows) -> Letters:
    """The letters that leave the least median error: of each pair of shares, the fixed time that fits them best."""
    measured, law = rows["time"][:, None], rows[_TIMES]
    fixed = numpy.maximum(0, _weighted_median(measured - law, 1 / rows["time"]))
    errors = numpy.median(numpy.abs((law + fixed) / measured - 1), axis=0)
    best = int(numpy.round(errors, 9).argmin())  # so that no last digit decides
    return Letters(float(fixed[best]), best)


def _weighted_median(columns: Numbers, weights: Numbers) -> Numbers:
    """The weighted median of each column: of all fixed times, that with the least sum of relative errors."""
    order = columns.argsort(axis=0)
    passed = weights[order].cumsum(axis=0)
    middle = (passed >= passed[-1] / 2).argmax(axis=0)
    found: Numbers = numpy.take_along_axis(columns, numpy.take_along_axis(order, middle[None], axis=0), axis=0)[0]
    return found


@dataclass(frozen=True)
class Group:
    """Batches of one program, and the devices that they are a forecast for.

    Attributes:
        framework: the program.
        title: the device, or the class of devices.
        presets: the devices.
        rows: the batches.
        by: what is held out one by one, "model" or "device".
    """

    framework: str
    title: str
    presets: tuple[str, ...]
    rows: Rows
    by: str

    @property
    def enough(self) -> bool:
        """Whether there are enough batches for letters, and two to hold out."""
        return len(self.rows) >= LEAST and len(self.rows.values(self.by)) > 1

    def entry(self) -> dict[str, Any]:
        """The fields of the file."""
        rows, by, stack = self.rows, self.by, framework_title(self.framework)
        held, forecast = held_out(rows, by, fitted, Letters.times)
        apart, around = off(forecast, held["time"]), spread(held["time"] / forecast)
        own = fitted(rows)
        fits = [own, *(fitted(rows.where(rows[by] != one)) for one in rows.values(by))]
        ranges = {
            "T_overhead_range": [_milliseconds(edge(one.overhead for one in fits)) for edge in (min, max)],
            "U_memory_range": [edge(one.memory for one in fits) for edge in (min, max)],
            "U_compute_range": [edge(one.compute for one in fits) for edge in (min, max)],
        }
        return {
            "name": f"{stack} on {self.title} in 16 bits",
            "stack": stack,
            "bits": 16,
            "on": self.title,
            "devices": [*self.presets],
            "T_overhead": _milliseconds(own.overhead),
            "U_memory": own.memory,
            "U_compute": own.compute,
            **ranges,
            "held_out": by,
            "error": _rounded(float(numpy.median(apart))),
            "low": _rounded(around.low),
            "high": _rounded(around.high),
            "rows": len(rows),
            "batch": int(rows["B"].max()),
            "context": int(2 * rows["N"].max()),
            "models": rows.values("model"),
            "source": measured_set("requests").source,
        }


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _rounded(share: float) -> float:
    return round(share, 3)


def groups(rows: Rows) -> Iterator[Group]:
    """The groups of batches: of each program those of each device, then those of each class."""
    for (framework,), some in rows.groups("framework"):
        for (device,), of_device in some.groups("device"):
            preset = str(source_of(device))
            yield Group(framework, presets.hardware(preset).title, (preset,), of_device, "model")
        for title, known in classes():
            within = some.where(numpy.array([str(source_of(device)) in known for device in some["device"].tolist()]))
            yield Group(framework, title, tuple(known), within, "device")


@cache
def measured() -> Rows:
    """All batches that letters are fitted to."""
    return batches(measured_set("requests").rows)


def entries(rows: Rows) -> list[dict[str, Any]]:
    """The entries of the file, by program; of each those for one device first."""
    made = [group.entry() for group in groups(rows) if group.enough]
    return sorted(made, key=lambda one: (one["stack"].lower(), len(one["devices"]), one["on"]))


def text(rows: Rows) -> str:
    """The file."""
    # values of TOML such as these are those of JSON
    tables = ("\n".join(f"{key} = {json.dumps(value)}" for key, value in one.items()) for one in entries(rows))
    return "\n\n".join([f"{_HEADER}\nleast = {LEAST}", *(f"[[fits]]\n{table}" for table in tables)]) + "\n"


if __name__ == "__main__":
    write(PATH, text(measured()).encode())
