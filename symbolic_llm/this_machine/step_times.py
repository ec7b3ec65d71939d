"""Times of a decoder's steps beside the forecast that was made before"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy

from ..errors import InvalidValue, shown
from ..files import content
from ..measurements.rows import Numbers
from ..measurements.statistics import A_FIFTIETH, off
from ..reports.rows import aligned, told
from ..units import SECOND, humanize
from .computer import Computer, Noise
from .forecast import Forecast
from .machine import REFUSED, TIMING, noise_remarks
from .sampling import CLAIM, Pace, Progress, Taken, timed
from .two_lines import Fitted, two_lines

FULL, QUICK = Pace(0.4, 3, 90.0), Pace(0.05, 2, 15.0)
_STAIR = 1.2  # growth of the time over that of the batch, from which a step of a staircase is spoken of
_LARGEST_FILE = 2**20  # bytes
_SPIN = 0.2  # seconds
_LEFT = 0.1  # share of a time that is left at least for the matrices


@dataclass(frozen=True)
class Earlier:
    """Times that were saved before, here or elsewhere.

    Attributes:
        title: the machine.
        name: the model.
        times: seconds by batch.
    """

    title: str
    name: str
    times: Mapping[int, float]


@dataclass(frozen=True)
class StepTimes:
    """Measured steps.

    Attributes:
        forecast: the forecast that was made before, of a decoder on a machine.
        system: the machine's operating system and libraries.
        noise: what disturbed it before the steps.
        taken: the times, by batch.
        earlier: times to compare with.
    """

    forecast: Forecast
    system: str
    noise: Noise
    taken: tuple[Taken, ...]
    earlier: Earlier | None = None

    @property
    def times(self) -> Numbers:
        """Best times by batch, in seconds."""
        return numpy.array([one.best for one in self.taken])

    @property
    def errors(self) -> Numbers:
        """Absolute errors of the forecast, as shares of the measured."""
        return off(self.forecast.expected, self.times)

    @cached_property
    def lines(self) -> Fitted | None:
        """Two lines through what matrices took: the times less the forecast of all else.

        None for under three batches, and where all else took most of the times, so that matrices are not seen in them.
        Times that no other round confirmed have no part in it, as long as there are three others.
        """
        sound = numpy.array([one.confirmed for one in self.taken])
        chosen = sound if sound.sum() >= 3 else numpy.ones_like(sound)
        if chosen.sum() < 3:
            return None
        matrices = self.times - self.forecast.fixed - self.forecast.attention
        if numpy.median((matrices / self.times)[chosen]) < _LEFT:
            return None
        found = numpy.maximum(matrices, _LEFT * self.times)
        return two_lines(numpy.array(self.forecast.batches, float)[chosen], found[chosen])

    def __repr__(self) -> str:
        rows: list[tuple[str, ...]] = [("batch", "forecast", "best", "median", "spread", "forecast is", "")]
        if self.earlier is not None:
            rows[0] = (*rows[0][:6], "then", "now/then", "")
        for place, (batch, taken) in enumerate(zip(self.forecast.batches, self.taken, strict=True)):
            expected = float(self.forecast.expected[place])
            cells = (_time(expected), _time(taken.best), _time(taken.median), f"{taken.spread:.0%}")
            row = [f"{batch:,}", *cells, f"{expected / taken.best - 1:+.0%}"]
            if self.earlier is not None:
                then = self.earlier.times.get(batch)
                row += [_time(then), f"{taken.best / then:.2f}"] if then else ["", ""]
            rows.append((*row, "" if taken.confirmed else REFUSED))
        compared = [f"then: {self.earlier.name} on {self.earlier.title}"] if self.earlier is not None else []
        return "\n".join(["measured", *aligned(rows, (len(rows[0]) - 1,)), *compared, "", *self.sentences])

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences on how the forecast did, on the crossover, on stairs and on noise."""
        errors = self.errors
        said = [f"The forecast is off by {numpy.median(errors):.0%} (median), and by {errors.max():.0%} at most."]
        if self.lines is not None:
            seen = "" if self.lines.seen else ", or beyond the batches that were measured"
            said.append(
                f"Arithmetic takes over from reading at a batch of {self.lines.meeting:.3g}{seen}; "
                f"{crossovers(self.forecast)}."
            )
        else:
            said.append(
                "No crossover is seen: there are too few batches, or fixed times and attention take nearly all."
            )
        return (*said, *self._impossible(), *self._stairs(), *noise_remarks(self.noise), *self._refused())

    def _refused(self) -> Iterator[str]:
        pairs = zip(self.forecast.batches, self.taken, strict=True)
        refused = [f"{batch:,}" for batch, taken in pairs if not taken.confirmed]
        if refused:
            batches = f"batch{'es' if len(refused) > 1 else ''} of {', '.join(refused)}"
            yield f"Refused: the {batches}. Two rounds differ, or other programs ran, by more than {CLAIM:.0%}."

    def _impossible(self) -> Iterator[str]:
        faster = self.times < (1 - A_FIFTIETH) * self.forecast.bound
        if faster.any():
            batches = ", ".join(f"{batch:,}" for batch, one in zip(self.forecast.batches, faster, strict=True) if one)
            yield f"Faster than the bound, at a batch of {batches}: caches helped, or W or F is too low."

    def _stairs(self) -> list[str]:
        batches, times = self.forecast.batches, self.times
        steps = zip(batches, batches[1:], times, times[1:], strict=False)
        return [
            f"From {before:,} to {after:,} sequences the time grows {longer / shorter:.2g}-fold: another kernel begins."
            for before, after, shorter, longer in steps
            if longer / shorter > _STAIR * after / before
        ]

    def data(self) -> dict[str, Any]:
        """Dictionary of machine, forecast and times, for JSON."""
        rows = zip(
            self.forecast.batches,
            *(times.tolist() for times in (self.forecast.bound, self.forecast.parts, self.forecast.expected)),
            self.taken,
            strict=True,
        )
        return {
            "model": self.forecast.subject.name,
            "format": self.forecast.subject.format,
            "context": self.forecast.context,
            "machine": {
                "title": self.forecast.title,
                "system": self.system,
                "figures": {what: figure.value for what, figure in self.forecast.device.figures.items()},
                "engine": asdict(self.forecast.engine),
            },
            "fixed": self.forecast.fixed,
            "steps": [
                {
                    "batch": batch,
                    "bound": bound,
                    "parts": parts,
                    "forecast": expected,
                    **told(taken, *TIMING),
                }
                for batch, bound, parts, expected, taken in rows
            ],
            "crossover": {
                "bound": self.forecast.bound_crossover,
                "forecast": self.forecast.crossover,
                "measured": self.lines.meeting if self.lines is not None else None,
            },
            "remarks": [*self.forecast.remarks, *self.sentences],
        }


def measure_steps(
    computer: Computer,
    predicted: Forecast,
    *,
    quick: bool = False,
    earlier: Earlier | None = None,
    progress: Progress = lambda line: None,
) -> StepTimes:
    """Times of the steps that a forecast was made of.

    Args:
        computer: where they run.
        predicted: the forecast.
        quick: shorter, and so noisier.
        earlier: times to compare with.
        progress: is told what is being done.
    """
    progress("filling caches")
    noise = computer.noise(_SPIN)
    actions = {
        f"a batch of {batch:,}": computer.step(predicted.subject, batch, predicted.context)
        for batch in predicted.batches
    }
    taken = timed(computer, actions, QUICK if quick else FULL, progress)
    return StepTimes(predicted, computer.system, noise, tuple(taken.values()), earlier)


def forecast_text(predicted: Forecast) -> str:
    """Table of the forecast, as it is printed before anything is run."""
    read, computed, attended = predicted.shares
    rows: list[tuple[str, ...]] = [("batch", "bound", "part by part", "forecast")]
    for batch, *times in zip(predicted.batches, predicted.bound, predicted.parts, predicted.expected, strict=True):
        rows.append((f"{batch:,}", *map(_time, times)))
    return "\n".join(
        [
            f"{title(predicted)}, on {predicted.title}",
            "",
            *aligned(rows, ()),
            "",
            f"bound: the longer of all reading and all arithmetic, by the figures of {predicted.device.title}",
            "part by part: matrices, then attention, by the same figures",
            f"forecast: {_time(predicted.fixed)} for the step, then part by part, as the engine reaches them: matrices",
            f"are read at {read:.0%} of W and computed at {computed:.0%} of F, attention reads at {attended:.0%} of W",
            f"crossover: a batch of {crossovers(predicted)}",
            *predicted.remarks,
        ]
    )


def title(predicted: Forecast) -> str:
    """Phrase with the decoder, its format and its context."""
    subject = predicted.subject
    return f"{subject.name}, weights in {subject.format}, {predicted.context:,} tokens in each sequence"


def crossovers(predicted: Forecast) -> str:
    """Phrase with the crossovers that the formulas give."""
    said = [
        f"{'no formula for' if at is None else f'{at:.3g} by'} {what}"
        for at, what in ((predicted.bound_crossover, "the bound"), (predicted.crossover, "the forecast"))
    ]
    return ", ".join(said)


def earlier(path: str) -> Earlier:
    """Times in a file that `measure` saved; `InvalidValue` says what is wrong with another."""
    text = content(path, _LARGEST_FILE, InvalidValue, "is larger than any file of times")
    where = shown(path)
    try:
        found = json.loads(text)
        times = {step["batch"]: step["best"] for step in found["steps"]}
        title, name = found["machine"]["title"], found["model"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise InvalidValue(f"{where} is no file that symbolic-llm measure saved.") from None
    sound = all(type(batch) is int and type(took) in (int, float) and 0 < took < 1e9 for batch, took in times.items())
    if not times or not sound or not isinstance(title, str) or not isinstance(name, str):
        raise InvalidValue(f"{where} is no file that symbolic-llm measure saved.")
    return Earlier(shown(title, 100), shown(name, 100), {batch: float(took) for batch, took in times.items()})


def _time(seconds: float) -> str:
    return humanize(seconds, SECOND, 3)
