"""Kinds of pictures: the numbers that each shows, taken from sweeps, and its drawing"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import cycle
from textwrap import fill
from typing import Any

from .. import presets
from ..catalogue.named import (
    attainable_flops,
    compute_time_with_attention,
    latency_with_cache,
    memory_time_with_cache,
    ridge_point,
    separate_latency,
    sequences_that_fit,
    throughput_with_cache,
)
from ..errors import InvalidValue, NoSolution, Underdetermined, option
from ..formulas.shared import weights_fit
from ..notation import LETTERS, B, N, named
from ..presets.parse_value import read_value
from ..units import FLOP, SECOND, humanize
from .drawing import COLOURS, INK, MARKERS, PALE, batch_scale, log_scale
from .grid import Sweep, computed
from .operations import INTENSITY, Line, Operations
from .sweeping import is_axis, sweep

_CONTEXT, _LARGEST = 4096, 1024  # where no context and no batches are given
_BETWEEN = 16  # points from a batch to the double, where none are given
_FORMATS = {"dtype": "arithmetic", "weights": "weights", "cache": "cache"}
_NEEDED = {"model": "a model ({})", "hardware": "a machine ({}, or F and W)"}
_WORK = {name: symbol.name for symbol in (B, N) for name in (symbol.name, *LETTERS[symbol].aliases)}


class Chart(ABC):
    """A kind of picture, of one question.

    Attributes:
        given: the presets.
        work: `N`, and `B` if it was given.
    """

    lists: tuple[str, ...] = ()  # what may be several
    needs: tuple[str, ...] = ("model", "hardware")

    def __init__(self, given: Mapping[str, Any], letters: Mapping[str, Any]) -> None:
        work = [(_WORK[name], value) for name, value in letters.items() if name in _WORK]
        machine = {name: value for name, value in letters.items() if name not in _WORK}
        if len(work) > len(dict(work)):
            raise InvalidValue("N or B was given twice, under two names.")
        self.work: dict[str, Any] = {"N": _CONTEXT, **dict(work)}
        for name, value in self.work.items():
            read = [int(read_value(LETTERS[named(name)], one)) for one in _several(value)]
            self.work[name] = read if is_axis(value) else read[0]
        self.given = {name: value for name, value in given.items() if value is not None}
        if machine:
            bases = _several(given["hardware"])
            devices = [presets.of_letters(base, **machine) for base in bases]
            self.given["hardware"] = devices if is_axis(given["hardware"]) else devices[0]
        for name in self.needs:
            if name not in self.given:
                raise Underdetermined(f"this plot needs {_NEEDED[name].format(option(name))}.")
        for name, value in {**self.given, **self.work}.items():
            if is_axis(value) and name not in self.lists:
                raise InvalidValue(
                    f"this plot takes a single value for {option(name) if name in presets.NAMES else name}."
                )

    @abstractmethod
    def draw(self, figure: Any) -> None:
        """Draw it on an empty figure of matplotlib."""

    def _title(self, what: str, load: str) -> str:
        """Title of the picture: model and machine where there is one of each, then what holds for all of it."""
        one = {name: value for name, value in self.given.items() if not is_axis(value)}
        subject = presets.model(one["model"]).title if "model" in one else ""
        machine = presets.hardware(one["hardware"]).title if "hardware" in one else ""
        head = " on ".join(filter(None, (subject, machine)))
        formats = [f"{said} in {one[name]}" for name, said in _FORMATS.items() if name in one]
        models = map(presets.model, _several(self.given["model"])) if "model" in self.given else ()
        beyond = filter(None, (model.beyond(max(_several(self.work["N"]))) for model in models))
        return "\n".join((": ".join(filter(None, (what, head))), ", ".join(filter(None, (load, *formats))), *beyond))

    def _finish(self, figure: Any, what: str, load: str) -> None:
        """Add title and legend, which stand beside the axes and so hide no points."""
        figure.suptitle(self._title(what, load), x=0.01, ha="left", fontsize=10)
        figure.legend(loc="outside lower left")

    def _batches(self, room: Any) -> list[int]:
        """Batches that were given; else enough for a line beyond what fits, with the largest batch that does."""
        import numpy

        if "B" in self.work:
            if not is_axis(self.work["B"]):
                raise InvalidValue("this plot has the batch as its axis: give several values, as in B=[1, 2, 4].")
            return sorted({*self.work["B"]})
        held = int(numpy.nanmax(room)) if room is not None else 0
        last = min(_LARGEST, 2 ** (held.bit_length() + 1)) if held else _LARGEST
        steps = numpy.geomspace(1, last, _BETWEEN * (last.bit_length() - 1) + 1).round()
        fits = [] if room is None else [int(one) for one in room.flat if 1 <= one <= last]
        return sorted({*map(int, steps), *fits})

    def _room(self, contexts: list[Any]) -> Any:
        """Number of sequences that fit, by choice of presets and context: 0 if the weights do not; None if unknown.

        It is unknown where nothing says what memory a machine has.
        """
        import numpy

        try:
            found = sweep(sequences_that_fit, **self.given, N=contexts)
        except Underdetermined:
            return None
        for reason in found.reasons.values():
            if str(weights_fit.otherwise) not in reason:
                raise NoSolution(reason)
        return numpy.nan_to_num(computed(found.values))


class Roofline(Chart):
    """Picture of the roofline of machines, with the operations of a decoding step on it."""

    lists = ("hardware",)
    needs = ("hardware",)

    def draw(self, figure: Any) -> None:  # noqa: D102
        import numpy

        devices = _several(self.given["hardware"])
        _few(len(devices))
        machines = {"hardware": devices, "dtype": self.given.get("dtype")}
        points = self._points()
        intensities = [float(lines[0].intensity) for lines in points]
        ridges = _values(sweep(ridge_point, **machines))
        ends = numpy.log10([*ridges, *intensities])
        along = numpy.union1d(numpy.logspace(ends.min() - 0.7, ends.max() + 0.7, 129), ridges)
        roofs = _values(sweep(attainable_flops, **machines, I_matrix=along))
        axes = figure.subplots()
        for device, ridge, roof, colour in zip(devices, ridges, roofs, COLOURS, strict=False):
            name = presets.hardware(device).title
            label = f"{name}: up to {humanize(roof.max(), FLOP / SECOND)}, ridge point {humanize(ridge, INTENSITY)}"
            axes.plot(along, roof, color=colour, label=label)
            axes.axvline(ridge, color=colour, linestyle=":", linewidth=0.9)
        sizes = cycle(((110, 3), (35, 4)))  # a small one on a large one, where two are close
        for lines, marker, x, (size, above) in zip(points, cycle(MARKERS), intensities, sizes, strict=False):
            heights = _values(sweep(attainable_flops, **machines, I_matrix=[x]))[:, 0]
            axes.scatter(
                [x] * len(heights), heights, size, COLOURS[: len(heights)], marker=marker, ec="white", zorder=above
            )
            axes.plot([], [], marker, color=INK, label=fill(f"{_names(lines)} ({humanize(x, INTENSITY)})", 95))
        log_scale(axes, "x", along, lambda x: f"{x:,g}")
        log_scale(axes, "y", roofs, lambda y: humanize(y, FLOP / SECOND))
        axes.set(xlabel="intensity (FLOP/byte)", ylabel="attainable arithmetic (FLOP/s)", xlim=(along[0], along[-1]))
        self._finish(figure, "Roofline", self._load if points else "")

    def _points(self) -> list[list[Line]]:
        """Operations of a step in groups of the same intensity, the least first; none without a model."""
        if "model" not in self.given:
            return []
        formats = {name: self.given[name] for name in ("weights", "cache") if name in self.given}
        found = Operations(
            self.given["model"],
            dtype=self.given["dtype"],
            **formats,
            context=self.work["N"],
            batch=self.work.get("B", 1),
        )
        self._load = f"a decoding step, batch {found.batch:,}, context {found.tokens:,}"
        groups: dict[Fraction, list[Line]] = {}
        for line in found.lines:
            groups.setdefault(line.intensity, []).append(line)
        return [groups[intensity] for intensity in sorted(groups)]


class Step(Chart):
    """Picture of the time of a decoding step against the batch, with the bounds that it lies between."""

    lists = ("B",)

    def draw(self, figure: Any) -> None:  # noqa: D102
        room = self._room([self.work["N"]])
        batches = self._batches(room)
        asked = {**self.given, "N": self.work["N"], "B": batches}
        found = sweep(memory_time_with_cache, **asked)
        at, reading = found.coordinates["B"], _values(found)
        arithmetic, whole, parts = (
            _values(sweep(formula, **asked))
            for formula in (compute_time_with_attention, latency_with_cache, separate_latency)
        )
        axes = figure.subplots()
        marker = "o" if len(at) == 1 else ""
        for times, label, colour, line, width in (
            (whole, "full overlap: the longer of reading and arithmetic (lower bound)", PALE, "-", 5),
            (parts, "part by part: matrices, then attention", COLOURS[1], "-", 1.6),
            (reading + arithmetic, "no overlap: reading plus arithmetic (upper bound)", INK, ":", 1.6),
            (reading, "reading weights and cache", COLOURS[0], "--", 1.2),
            (arithmetic, "arithmetic", COLOURS[2], "--", 1.2),
        ):
            axes.plot(at, times, line, color=colour, linewidth=width, marker=marker, label=label)
        batch_scale(axes, "x")
        log_scale(axes, "y", whole, lambda y: humanize(y, SECOND))
        axes.set(xlabel="batch (sequences)", ylabel="time of a decoding step (s)", xlim=(min(at), max(at)))
        axes.set_ylim(bottom=whole.min() / 10)
        if room is not None and room[0] < max(at):
            label = f"beyond the {room[0]:,.0f} sequences that fit" if room[0] else str(weights_fit.otherwise)
            axes.axvspan(max(room[0], min(at)), max(at), color="#eeeeee", zorder=0, label=label)
        self._finish(figure, "Time of a decoding step", f"context {self.work['N']:,}")


class Frontier(Chart):
    """Picture of tokens a second against the time of a decoding step, along the batch."""

    lists = ("model", "hardware", "dtype", "weights", "cache", "N", "B")

    def draw(self, figure: Any) -> None:  # noqa: D102
        import numpy

        contexts = _several(self.work["N"])
        room = self._room(contexts)
        batches = self._batches(room)
        asked = {**self.given, "N": contexts, "B": batches}
        times, rates = (sweep(formula, **asked) for formula in (latency_with_cache, throughput_with_cache))
        xs, ys, at = _values(times), _values(rates), times.coordinates["B"]
        curves = [*numpy.ndindex(xs.shape[:-1])]
        _few(len(curves))
        marked = numpy.isin(at, [4**power for power in range(6)]) if "B" not in self.work else at > 0
        axes = figure.subplots()
        for place, colour in zip(curves, COLOURS, strict=False):
            label = self._curve(times, place)
            fits = at <= (numpy.inf if room is None else room[place])
            if not fits.any():
                axes.plot([], [], color=colour, label=f"{label}: does not fit")
                continue
            last = at == at[fits].max()
            full = room is not None and room[place] <= at.max()
            x, y = xs[place], ys[place]
            ended = f": memory is full at {at[fits].max():,}" if full else ""
            axes.plot(x[fits], y[fits], color=colour, label=f"{label}{ended}")
            axes.plot(x[fits & marked], y[fits & marked], "o", color=colour, markersize=4)
            if full:
                axes.plot(x[last], y[last], "o", color=colour, markersize=8, fillstyle="none")
            for one in numpy.flatnonzero(fits & (marked | last)):
                by, side = ((-5, 3), "right") if one else ((0, -11), "center")
                where = {"textcoords": "offset points", "ha": side, "fontsize": 7, "color": colour}
                axes.annotate(f"{at[one]:,}", (x[one], y[one]), by, **where)
        if not axes.texts:
            raise NoSolution("there is no frontier, because not even one sequence fits.")
        log_scale(axes, "x", xs, lambda x: humanize(x, SECOND))
        log_scale(axes, "y", ys, lambda y: f"{y:,g}")
        axes.set(xlabel="time of a decoding step, so time per output token (s)", ylabel="throughput (tokens/s)")
        axes.margins(y=0.1)  # for the numbers below the first points
        load = f"context {contexts[0]:,}" if len(contexts) == 1 else ""
        self._finish(
            figure, "Throughput against latency", ", ".join(filter(None, ("points are labelled with the batch", load)))
        )

    def _curve(self, found: Sweep, place: tuple[int, ...]) -> str:
        """Label that tells a curve from the others."""
        several = [axis for axis in found.axes[: len(place)] if len(found.coordinates[axis]) > 1] or ["N"]
        said = []
        for axis, at in zip(found.axes, place, strict=False):
            if axis in several:
                given = _several(self.given[axis])[at] if axis in self.given else None
                said.append(_called(axis, found.coordinates[axis][at], given))
        return ", ".join(said)


KINDS: dict[str, type[Chart]] = {"roofline": Roofline, "step": Step, "frontier": Frontier}


def _called(axis: str, value: Any, given: Any) -> str:
    if axis in ("model", "hardware"):
        return str(getattr(presets, axis)(given).title)
    return f"context {value:,}" if axis == "N" else f"{_FORMATS[axis]} in {value}"


def _several(value: Any) -> list[Any]:
    return [*value] if is_axis(value) else [value]


def _few(curves: int) -> None:
    if curves > len(COLOURS):
        raise InvalidValue(f"{curves:,} curves are too many to tell apart: ask for at most {len(COLOURS)}.")


def _values(found: Sweep) -> Any:
    """Values of a sweep; `NoSolution` with the first reason where some cell has no value."""
    if (reason := next(iter(found.reasons.values()), None)) is not None:
        raise NoSolution(reason)
    return computed(found.values)


def _names(lines: Sequence[Line]) -> str:
    """Names of operations, with the group before their dots said once: "mlp: gate, up; output"."""
    groups: dict[str, list[str]] = {}
    for line in lines:
        group, _, name = line.name.rpartition(".")
        groups.setdefault(group, []).append(name)
    return "; ".join(f"{group}: {', '.join(names)}" if group else ", ".join(names) for group, names in groups.items())
