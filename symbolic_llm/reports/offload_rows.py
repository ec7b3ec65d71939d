"""Rows for layers in a second memory: how many stay, how many lie there, and how fast a step is with them"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ..answers.explanation import Explanation
from ..answers.gather import picked
from ..answers.memory_fit import given
from ..answers.one_sided import bound
from ..architecture import Trait
from ..catalogue.named import layers_that_fit, offloaded_step_time, streaming_break_even
from ..errors import InvalidValue, listed, option
from ..expressions.arithmetic import number
from ..formula import Formula
from ..notation import LETTERS, F, M_layer, R, W_host, n_movable
from ..presets.parse_value import read_option
from ..units import BYTE, ONE, SEQUENCE, humanize
from . import number_search
from .report import Letters, Report
from .rows import Row, noted

OPTIONS = ("host_bandwidth", "host_flops", "host_memory", "host_link")
_STEP = "decoding step, layers where they lie"


def pointer() -> str:
    """Remark that says how to ask for layers in a second memory."""
    return f"Layers may lie in a second memory: {option('host_bandwidth', '=')} says how fast that is."


@dataclass(frozen=True)
class Host:
    """A second memory, and what computes beside it, as they are asked about.

    Attributes:
        bandwidth: bytes a second that are read of it.
        flops: peak arithmetic of what computes beside it; None where not known.
        memory: its bytes; None where not known.
        link: bytes a second of it that the machine is brought; None where that is not asked.
    """

    bandwidth: Fraction
    flops: Fraction | None = None
    memory: Fraction | None = None
    link: Fraction | None = None

    @classmethod
    def read(cls, options: Mapping[str, object]) -> Host | None:
        """The second memory of `OPTIONS` by name; None where none is given."""
        given = {
            name.removeprefix("host_"): read_option(name, options[name])
            for name in OPTIONS
            if options[name] is not None
        }
        if given and "bandwidth" not in given:
            bandwidth, *others = map(option, OPTIONS)
            raise InvalidValue(f"{listed(others)} are of a second memory: give {bandwidth} too.")
        return cls(**given) if given else None

    @property
    def rates(self) -> dict[str, Fraction]:
        """Letters of the second memory that are known."""
        return {"W_host": self.bandwidth} | ({} if self.flops is None else {"F_host": self.flops})


class Offload:
    """Rows and a sentence of a report on layers in a second memory.

    Attributes:
        rows: the rows.
        answer: the sentence that comes first with others; "" where no layer has to move, or none can.
    """

    def __init__(self, report: Report, host: Host, load: str) -> None:
        self._report, self._host = report, host
        self._title = f"A second memory at {humanize(host.bandwidth, LETTERS[W_host].unit, 4)}, {load}"
        routed = Trait.EXPERTS in report.model.traits
        self._experts = "the experts of " if routed else ""
        self._layers = "blocks" if routed else "layers"
        self.answer = ""
        label = "blocks whose experts stay" if routed else "layers that stay"
        stay = self._row(label, "layers_near", layers_that_fit, report.at)
        every, each = (self._of_model(letter) for letter in (n_movable, M_layer))
        if stay.value is None or every is None or each is None:
            self.rows = [stay]
            return
        far, memory = every - stay.value, host.memory
        small = "" if memory is None or far * each <= memory else humanize(memory, BYTE, 4)
        self.rows = [noted(stay, f"of {every}"), self._there(far, each, small), *self._steps(far, every, small)]

    def _row(self, label: str, key: str, what: Formula, letters: Letters, *, note: str = "") -> Row:
        return self._report.row(self._title, label, key, what, letters, note=note)

    def _of_model(self, letter: object) -> Fraction | None:
        """The value of a letter of layers, by the model's own sum; None where it has none."""
        by = {one.quantity: one for one in picked(layers_that_fit, self._report.presets)}
        found = self._report.explained(by[letter]) if letter in by else ""
        return found.exact if isinstance(found, Explanation) else None

    def _there(self, far: Fraction, each: Fraction, small: str) -> Row:
        """Row with the layers in the second memory; `small` is its size where they do not fit."""
        note = f"all others, {humanize(each, BYTE, 4)} each, {humanize(far * each, BYTE, 4)} together"
        note += f", which does not fit into {small}" if small else ""
        label = f"{'blocks whose experts are' if self._experts else 'layers'} in the second memory"
        return Row(self._title, label, "layers_far", far, ONE, note=note)

    def _steps(self, far: Fraction, every: Fraction, small: str) -> list[Row]:
        """Rows on a decoding step whose layers are multiplied where they lie, and on one that streams them."""
        at = {**self._report.at, "n_far": far}
        step = self._row(_STEP, "offloaded_step_time", offloaded_step_time, at | self._host.rates)
        step = noted(step, self._binds(step))
        rate = self._rate(step, "tokens per second", "offloaded_throughput")
        if step.value is not None or step.bound:
            found = rate.shown().replace("≤", "at most")
            where = f"{self._experts}{far} of {every} {self._layers} in the second memory"
            lacks = f", whose {small} are too small for {'it' if far == 1 else 'them'}," if small else ""
            self.answer = f"With {where}{lacks} it decodes {found}."
        return [step, rate, *self._streamed(at)]

    def _rate(self, step: Row, label: str, key: str) -> Row:
        """Row with the tokens a second of a step."""
        unit, tokens = LETTERS[R].unit, Fraction(self._report.batch)
        note = f"the tokens of a step by {offloaded_step_time.name}"
        row = partial(Row, self._title, f"  {label}", key, unit=unit, note=note)
        if step.value is not None:
            return row(tokens / step.value)
        least = bound(offloaded_step_time, step.letters, self._report.presets)
        return row(None, bound="" if least is None else f"≤ {humanize(tokens / least.value, unit, 4)}")

    def _binds(self, step: Row) -> str:
        """Note on the share of a step that is spent in the second memory, and on what limits that."""
        if step.value is None or self._host.flops is None:
            return ""
        bandwidth, flops = 2 * self._host.bandwidth, 2 * self._host.flops
        times = []
        for faster in ({"W_host": bandwidth}, {"W_host": bandwidth, "F_host": flops}):
            found = self._report.explained(offloaded_step_time, {**step.letters, **faster})
            assert isinstance(found, Explanation), "it has a value at other rates"
            times.append(found.exact)
        # twice as fast a second memory takes half the time of its layers away
        share = 2 * (step.value - times[1]) / step.value
        binds = "memory-bound" if times[0] < step.value else "compute-bound"
        return f"{number(round(100 * share, 1))} % of it in the second memory, {binds} there"

    def _streamed(self, at: Letters) -> list[Row]:
        """Rows on a step that streams its layers, and on the batch up to which these are faster where they lie."""
        link, flops = self._host.link, given(self._report.presets, F)
        if link is None:
            return []
        rates = {"W_host": link} | ({} if flops is None else {"F_host": flops})
        label = "decoding step, layers streamed"
        step = self._row(label, "streamed_step_time", offloaded_step_time, {**at, **rates})
        rate = self._rate(step, "tokens per second, layers streamed", "streamed_throughput")
        return [step, rate, self._border(link)]

    def _border(self, link: Fraction) -> Row:
        """Row with the largest batch whose layers are faster where they lie than streamed."""
        row = partial(Row, self._title, "largest batch that is faster where they lie", "streaming_break_even")
        letters = {**self._host.rates, "W_stream": link}

        def faster(batch: int) -> Explanation | str:
            return self._report.explained(streaming_break_even, {**letters, "B": Fraction(batch)})

        if isinstance(one := faster(1), str):
            return row(None, note=one)
        found = number_search.last(lambda batch: not isinstance(said := faster(batch), str) and said.exact is True)
        return row(Fraction(found), SEQUENCE, formula=streaming_break_even.name, letters=letters)
