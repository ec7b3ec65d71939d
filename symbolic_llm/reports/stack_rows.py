"""Rows on times of a program: intervals, by what measured batches of it reach of a datasheet"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from .. import presets
from ..answers.explanation import Explanation
from ..answers.memory_fit import given
from ..architecture import Trait
from ..catalogue.named import separate_latency, separate_prefill_time
from ..errors import listed
from ..expressions.arithmetic import number
from ..formula import Formula
from ..notation import F, W
from ..presets.stacks import StackFit, stack_fit, stack_fits, stack_named
from ..units import SECOND, SEQUENCE, TOKEN, Unit, humanize
from .report import Letters, Report
from .rows import Row

Interval = tuple[Fraction, Fraction]

_SIXTEEN = 16  # bits of arithmetic and cache in every batch that was measured
_PEAKS = {"U_memory": W, "U_compute": F}


class StackForecast:
    """Rows and a sentence of a report on times of a program, and the same as data.

    Args:
        report: the report.
        stack: the program's name.

    Attributes:
        answer: the sentence that comes first with others; "" where there is no forecast.
    """

    def __init__(self, report: Report, stack: object) -> None:
        self._report, self._stack = report, stack_named(stack)
        self._fit = self._found()
        self._step = self._between(lambda fit: self._time_of_step(fit, report.at))
        self.answer = ""
        if isinstance(self._step, tuple) and isinstance(self._fit, StackFit):
            self.answer = (
                f"With {self._stack} a decoding step is forecast to take {_said(self._step, SECOND)}, "
                f"by {self._fit.rows} measured batches of requests."
            )

    def steps(self, section: str, beside: str) -> Iterator[Row]:
        """Rows on a decoding step and its tokens a second, with what is to be said `beside` every time."""
        yield self._row(section, "decoding step", "stack_step_time", self._step, SECOND, self._reached, beside)
        rate, unit = self._rate(self._step), TOKEN / SECOND
        yield self._row(section, "tokens per second", "stack_throughput", rate, unit, "batch ÷ that", beside)

    def request(self, section: str, prompt: int, new: int, beside: str) -> Row:
        """Row on a whole request, with what is to be said `beside` it: what the measured batches are."""
        batch = self._report.at["B"]

        def whole(fit: StackFit) -> Fraction | str:
            first = self._law(fit, separate_prefill_time, self._report.counted({"N": Fraction(prompt), "B": batch}))
            # the step in the middle of the answer stands for all, as where the letters are fitted
            step = self._time_of_step(fit, {"N": Fraction(2 * prompt + new, 2), "B": batch})
            return first if isinstance(first, str) else step if isinstance(step, str) else first + new * step

        found = self._between(whole)
        return self._row(section, "end-to-end time", "stack_request_time", found, SECOND, self._reached, beside)

    def _found(self) -> StackFit | str:
        """Letters of the program, or the sentence that says why that is not known."""
        report, stack = self._report, self._stack
        asked, device = report.presets, presets.hardware(report.presets.hardware or "")
        if asked.heard is not None:
            return f"batches of {stack} were measured with weights in one format alone"
        others = {_bits(format) for format in (asked.dtype, asked.cache or asked.dtype) if format is not None}
        if others != {_SIXTEEN}:
            return f"batches of {stack} were measured with arithmetic and cache in {_SIXTEEN} bits alone"
        bits = _bits(asked.weights or asked.dtype or "")
        fit = stack_fit(stack, device.name, bits)
        if fit is None:
            return f"too few batches of {stack} in {bits} bits on {device.title} were measured; {self._where(bits)}"
        if Trait.EXPERTS in report.model.traits:
            return f"batches of {stack} were measured with models without experts alone"
        if report.batch > fit.batch:
            return f"batches of {stack} on {fit.on} were measured up to {humanize(fit.batch, SEQUENCE)}"
        return fit

    def _where(self, bits: int) -> str:
        """Words on where there are enough batches with weights of so many bits."""
        alike = [fit for fit in stack_fits() if fit.bits == bits]
        if own := [fit.on for fit in alike if fit.stack == self._stack]:
            return f"there are enough on {listed(own)}"
        stacks = dict.fromkeys(fit.stack for fit in alike)
        return f"in {bits} bits there are enough of {listed(stacks) if stacks else 'no stack'}"

    def _law(self, fit: StackFit, formula: Formula, letters: Letters) -> Fraction | str:
        """The time of a formula with what the program reaches, in seconds, or the reason why there is none."""
        peaks = {share: given(self._report.presets, letter) for share, letter in _PEAKS.items()}
        reached = {_PEAKS[share].name: peak * fit.letters[share] for share, peak in peaks.items() if peak is not None}
        found = self._report.explained(formula, {**letters, **reached})
        return Fraction(found.exact) if isinstance(found, Explanation) else found

    def _time_of_step(self, fit: StackFit, load: Letters) -> Fraction | str:
        law = self._law(fit, separate_latency, load)
        return law if isinstance(law, str) else fit.letters["T_overhead"] + law

    def _between(self, time: Callable[[StackFit], Fraction | str]) -> Interval | str:
        """The interval of a forecast time, or the reason why there is none."""
        if isinstance(self._fit, str):
            return self._fit
        forecast = time(self._fit)
        return forecast if isinstance(forecast, str) else (forecast * self._fit.low, forecast * self._fit.high)

    def _rate(self, step: Interval | str) -> Interval | str:
        return step if isinstance(step, str) else (self._report.batch / step[1], self._report.batch / step[0])

    def _row(self, section: str, label: str, key: str, found: Interval | str, unit: Unit, *notes: str) -> Row:
        """Row with an interval in place of a value, or with the reason why there is none."""
        label = f"  {label}, forecast with {self._stack}"
        if isinstance(found, str):
            return Row(section, label, key, None, unit, note=found)
        return Row(section, label, key, None, unit, note=", ".join(filter(None, notes)), bound=_said(found, unit))

    @property
    def _reached(self) -> str:
        """Note on what a forecast rests on, and how far it is off; "" without one."""
        fit = self._fit
        if isinstance(fit, str):
            return ""
        letters = ", ".join(
            f"{letter} = {number(value) if letter in _PEAKS else humanize(value, SECOND)}"
            for letter, value in fit.letters.items()
        )
        beyond = f", none beyond {fit.context:,} tokens" if self._report.context > fit.context else ""
        return (
            f"8 in 10 of {fit.rows} measured batches of requests{beyond}; "
            f"median error {number(100 * fit.error)} % on {fit.on}, each {fit.held_out} held out in turn; "
            f"{letters}; {fit.source}"
        )

    def data(self) -> dict[str, Any]:
        """Dictionary for JSON: letters with their ranges, intervals and what they rest on, or the reason for none."""
        fit, step, rate = self._fit, self._step, self._rate(self._step)
        if isinstance(fit, str) or isinstance(step, str) or isinstance(rate, str):
            return {"stack": self._stack, "reason": step}
        letters = {name: {"value": number(value), **_edges(fit.ranges[name])} for name, value in fit.letters.items()}
        return {
            "stack": self._stack,
            "reason": "",
            "on": fit.on,
            "bits": fit.bits,
            "letters": letters,
            "step_time": _edges(step),
            "tokens_per_second": _edges(rate),
            "held_out": fit.held_out,
            "median_error": number(fit.error),
            "rows": fit.rows,
            "batch": fit.batch,
            "context": fit.context,
            "models": [*fit.models],
            "source": fit.source,
        }


def _bits(format: str) -> int:
    """Whole bits of a number in a format, without its share of scales."""
    return int(8 * Fraction(presets.storage(format)["n_bytes"]))


def _said(interval: Interval, unit: Unit) -> str:
    return " to ".join(humanize(edge, unit, 3) for edge in interval)


def _edges(interval: Interval) -> dict[str, int | float]:
    return dict(zip(("least", "most"), map(number, interval), strict=True))
