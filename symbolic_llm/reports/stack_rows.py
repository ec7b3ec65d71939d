"""Rows on times of a program: intervals, by what measured batches of it reach of a datasheet"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from ..answers.explanation import Explanation
from ..answers.stack_forecast import (
    TILES,
    fit_of,
    letter_said,
    more_than_measured,
    padded,
    padding_of,
    reached,
    rests_on,
    said,
    without_prompts,
)
from ..errors import InvalidValue, option
from ..expressions.arithmetic import number
from ..notation import C_seq
from ..presets.stacks import REQUESTS, StackFit, stack_named
from ..units import SECOND, TOKEN, Unit
from .report import Letters, Report
from .rows import Row, told

Interval = tuple[Fraction, Fraction]


class StackForecast:
    """Rows and a sentence of a report on times of a program, and the same as data.

    Args:
        report: the report.
        stack: the program's name.

    Attributes:
        answer: the sentence that comes first with others; "" where there is no forecast.
    """

    def __init__(self, report: Report, stack: object) -> None:
        split = report.split
        if split is not None and (split.pipeline, split.data) != (1, 1):
            raise InvalidValue(f"a stack is measured where devices share every layer: give {option('tensor')} alone.")
        self._report, self._stack, self._split = report, stack_named(stack), split
        self._fit = self._found()
        self._step = self._between(lambda fit: self._time_of_step(fit, report.at))
        self.answer = ""
        if isinstance(self._step, tuple) and isinstance(self._fit, StackFit):
            self.answer = (
                f"With {self._stack} a decoding step is forecast to take {said(self._step, SECOND)}, "
                f"by {self._fit.rows} measured {self._fit.measured}."
            )

    def steps(self, section: str, beside: str) -> Iterator[Row]:
        """Rows on a decoding step and its tokens a second, with what is to be said `beside` every time."""
        yield self._row(section, "decoding step", "stack_step_time", self._step, SECOND, self._reached, beside)
        rate, unit = self._rate(self._step), TOKEN / SECOND
        yield self._row(section, "tokens per second", "stack_throughput", rate, unit, "batch ÷ that", beside)

    def request(self, section: str, prompt: int, new: int, beside: str) -> Row:
        """Row on a whole request, with what is to be said `beside` it: what the measured batches are."""
        batch = self._report.at["B"]
        prompts = {"N": Fraction(prompt), "B": batch, **self._report.shared}

        def whole(fit: StackFit) -> Fraction | str:
            if fit.measured != REQUESTS:
                return without_prompts(fit)
            first = self._law(fit, self._report.law("prefill", by_parts=True), self._report.counted(prompts))
            # the step in the middle of the answer stands for all, as where the letters are fitted
            step = self._time_of_step(fit, {"N": Fraction(2 * prompt + new, 2), "B": batch})
            if isinstance(first, str) or isinstance(step, str):
                return first if isinstance(first, str) else str(step)
            return fit.letters["T_overhead"] + Fraction(first.exact) + new * step

        found = self._between(whole)
        return self._row(section, "end-to-end time", "stack_request_time", found, SECOND, self._reached, beside)

    def _found(self) -> StackFit | str:
        """Letters of the program, or the sentence that says why that is not known."""
        fit = fit_of(self._stack, self._report.presets, 1 if self._split is None else self._split.tensor)
        return fit if isinstance(fit, str) else more_than_measured(fit, self._report.batch) or fit

    def _law(self, fit: StackFit, formula: str, letters: Letters) -> Explanation | str:
        """A formula with what the program reaches, or the reason why it has no value."""
        return self._report.explained(formula, letters, reached(self._report.presets, fit))

    def _time_of_step(self, fit: StackFit, load: Letters) -> Fraction | str:
        name = self._report.law("step", by_parts=True)
        law = self._law(fit, name, {**load, **self._report.shared})
        if self._tiles > 1 and isinstance(law, Explanation):
            law = self._law(fit, name, {**load, **padded(law, self._tiles)})
        return law if isinstance(law, str) else fit.letters["T_overhead"] + Fraction(law.exact)

    @property
    def _tiles(self) -> int:
        return padding_of(self._report.presets) if self._split is None else 1

    def _between(self, time: Callable[[StackFit], Fraction | str]) -> Interval | str:
        """The interval of a forecast time, or the reason why there is none."""
        if isinstance(self._fit, str):
            return self._fit
        forecast = time(self._fit)
        return forecast if isinstance(forecast, str) else self._fit.interval(forecast)

    def _rate(self, step: Interval | str) -> Interval | str:
        return step if isinstance(step, str) else (self._report.batch / step[1], self._report.batch / step[0])

    def _row(self, section: str, label: str, key: str, found: Interval | str, unit: Unit, *notes: str) -> Row:
        """Row with an interval in place of a value, or with the reason why there is none."""
        label = f"  {label}, forecast with {self._stack}"
        if isinstance(found, str):
            return Row(section, label, key, None, unit, note=found)
        return Row(section, label, key, None, unit, note=", ".join(filter(None, notes)), bound=said(found, unit))

    @property
    def _reached(self) -> str:
        """Note on what a forecast rests on, and how far it is off; "" without one."""
        fit = self._fit
        if isinstance(fit, str):
            return ""
        letters = ", ".join(f"{letter} = {letter_said(letter, value)}" for letter, value in fit.letters.items())
        rows = f", {C_seq} × {self._tiles}, since {TILES}" if self._tiles > 1 else ""
        return f"{rests_on(fit, self._report.context)}; {letters}{rows}; {fit.source}"

    def data(self) -> dict[str, Any]:
        """Dictionary for JSON: letters with their ranges, intervals and what they rest on, or the reason for none."""
        fit, step, rate = self._fit, self._step, self._rate(self._step)
        if isinstance(fit, str) or isinstance(step, str) or isinstance(rate, str):
            return {"stack": self._stack, "reason": step}
        letters = {name: {"value": number(value), **_edges(fit.ranges[name])} for name, value in fit.letters.items()}
        return {
            "stack": self._stack,
            "reason": "",
            **told(fit, "on", "bits", "weights", "cache", "arithmetic", "measured"),
            "letters": letters,
            "rows_of_tiles": self._tiles,
            "step_time": _edges(step),
            "tokens_per_second": _edges(rate),
            "held_out": fit.held_out,
            "median_error": number(fit.error),
            **told(fit, "rows", "batch", "context", "models", "source"),
        }


def _edges(interval: Interval) -> dict[str, int | float]:
    return dict(zip(("least", "most"), map(number, interval), strict=True))
