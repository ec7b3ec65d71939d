"""Shares of a datasheet that programs reach, and their fixed time of a step, fitted to measured batches and steps

    python -m symbolic_llm.measurements.stacks

writes them into the presets.

Three letters make a forecast of the law, part by part: a fixed time of every pass, that of a step or of a prompt
(T_overhead), and the shares of the bandwidth (U_memory) and of the arithmetic (U_compute) that a program reaches. Where
whole batches are measured, U_compute also bears whatever else a program does for each sequence.

Letters are fitted for each program, number format and device, for models with experts and without apart; each model is
held out in turn, or, where one model alone was measured, each length of a prompt. Those of a class of devices are
fitted to the batches of several, and each device is held out in turn. Fewer batches than `LEAST` make no entry, and
neither do those of a single length, or of a single device or model of a class.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy

from .. import presets
from ..files import write
from ..presets.stacks import bits_of, in_formats
from .machines import classes, framework_title, source_of
from .measured_set import measured_set
from .rows import Numbers, Rows, joined
from .stack_batches import FORMATS, PAIRS, PASSES, TIMES, measured
from .statistics import off, spread

PATH = Path(presets.__file__).parent / "stacks.toml"
LEAST = 10  # batches that make an entry
_NEAREST = 0.9  # of the batches, those that letters are chosen by
_ALONE: Final = "length"  # what is held out of a single model
_HEADER = """\
# Written by `python -m symbolic_llm.measurements.stacks` from measured batches; a test holds it against them. A
# fit has what a program reaches: a fixed time of every pass, and shares of W and F. A range has the least and
# most of a letter in the fits that leave one model, device or length out. `error` is the median absolute error of
# what was left out, and eight of ten of it lie between `low` and `high` times the forecast. `fp16` stands for
# every format of 16 bits; `batch` and `context` are the largest that were measured.
"""


@dataclass(frozen=True)
class Letters:
    """The fixed time of a pass and the shares of a datasheet that a program reaches.

    Attributes:
        overhead: the fixed time of a pass, in seconds.
        pair: which of the pairs of shares.
    """

    overhead: float
    pair: int

    @property
    def memory(self) -> float:
        """Share of the bandwidth."""
        return PAIRS[self.pair][0]

    @property
    def compute(self) -> float:
        """Share of the arithmetic."""
        return PAIRS[self.pair][1]

    def times(self, rows: Rows) -> Numbers:
        """The forecast time of each batch over its steps, in seconds."""
        forecast: Numbers = self.overhead * rows[PASSES] + rows[TIMES][:, self.pair]
        return forecast


def fitted(rows: Rows) -> Letters:
    """The letters that leave the nearest nine in ten the least mean error, each pair with its best fixed time."""
    measured, law, passes = rows["time"][:, None], rows[TIMES], rows[PASSES][:, None]
    fixed = numpy.maximum(0, _weighted_median((measured - law) / passes, rows[PASSES] / rows["time"]))
    nearest = numpy.sort(off(law + fixed * passes, measured), axis=0)[: int(_NEAREST * len(rows))]
    best = int(numpy.round(nearest.mean(axis=0), 9).argmin())  # so that no last digit decides
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
    """Batches of one program in the same number formats, and the devices that they are a forecast for.

    Attributes:
        framework: the program.
        title: the device, or the class of devices.
        presets: the devices.
        rows: the batches.
        by: what is held out one by one, "model", "device", or "length" of the prompts of a single model.
    """

    framework: str
    title: str
    presets: tuple[str, ...]
    rows: Rows
    by: str

    @cached_property
    def fits(self) -> dict[Any, Letters]:
        """The letters that were fitted without a model, device or length, by what was left out."""
        left_out = self.rows.values(self.by)
        return {one: fitted(self.rows.where(self.rows[self.by] != one)) for one in left_out}

    def forecast(self) -> tuple[Rows, Numbers]:
        """The batches, group by group, and the forecast of each by letters that were fitted without its group."""
        held = [(letters, self.rows.where(self.rows[self.by] == one)) for one, letters in self.fits.items()]
        return joined([some for _, some in held]), numpy.concatenate([fit.times(some) for fit, some in held])

    @property
    def enough(self) -> bool:
        """Whether there are enough batches for letters, two to hold out, and for a class two models."""
        several = [self.by, "model"] if self.by == "device" else [self.by]
        return len(self.rows) >= LEAST and all(len(self.rows.values(one)) > 1 for one in several)

    def entry(self) -> dict[str, Any]:
        """The fields of the file."""
        rows, by, stack = self.rows, self.by, framework_title(self.framework)
        held, forecast = self.forecast()
        apart, around = off(forecast, held["time"]), spread(held["time"] / forecast)
        own = fitted(rows)
        fits = [own, *self.fits.values()]
        ranges = {
            "T_overhead_range": [_milliseconds(edge(one.overhead for one in fits)) for edge in (min, max)],
            "U_memory_range": [edge(one.memory for one in fits) for edge in (min, max)],
            "U_compute_range": [edge(one.compute for one in fits) for edge in (min, max)],
        }
        same = {name: rows.values(name)[0] for name in (*FORMATS, "kind", "measured")}
        on = self.title if rows["devices"][0] == 1 else f"{rows['devices'][0]:.0f} × {self.title}"
        of_experts = ", with experts" if same["kind"] == "experts" else ""
        return {
            "name": f"{stack} on {on} {in_formats(same['weights'], same['cache'])}{of_experts}",
            "stack": stack,
            **same,
            "on": on,
            "count": int(rows["devices"][0]),
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
            "context": int(rows["context"].max()),
            "models": rows.values("model"),
            "source": "; ".join(measured_set(name).source for name in rows.values("set")),
        }


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def _rounded(share: float) -> float:
    return round(share, 3)


def groups(rows: Rows) -> Iterator[Group]:
    """The groups of batches: of each program and format those of each device, then those of each class."""
    for (framework, *_), some in rows.groups("framework", "devices", *FORMATS, "kind"):
        for (device,), of_device in some.groups("device"):
            preset = str(source_of(device))
            by = "model" if len(of_device.values("model")) > 1 else _ALONE
            yield Group(framework, presets.hardware(preset).title, (preset,), of_device, by)
        for title, known in classes():
            within = some.where(numpy.array([str(source_of(device)) in known for device in some["device"].tolist()]))
            yield Group(framework, title, tuple(known), within, "device")


def entries(rows: Rows) -> list[dict[str, Any]]:
    """The entries of the file, by program and format; of each those for one device first."""
    made = [group.entry() for group in groups(rows) if group.enough]
    return sorted(
        made, key=lambda one: (one["stack"].lower(), -bits_of(one["weights"]), len(one["devices"]), one["name"])
    )


def text(rows: Rows) -> str:
    """The file."""
    # values of TOML such as these are those of JSON
    tables = ("\n".join(f"{key} = {json.dumps(value)}" for key, value in one.items()) for one in entries(rows))
    return "\n\n".join([f"{_HEADER}\nleast = {LEAST}", *(f"[[fits]]\n{table}" for table in tables)]) + "\n"


if __name__ == "__main__":
    write(PATH, text(measured()).encode())
