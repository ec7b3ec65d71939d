"""Answers about time: what a run does, put on the clock of an ideal machine"""

from __future__ import annotations

from dataclasses import dataclass, replace

from . import ideal_machine
from .counts import Exact, Parts, Ratio
from .measures import Answer, Asked, Count, Less, Over, Sum, Value, Whether, Zero, elsewhere, zero
from .runs import STEP, STEP_OF_ALL


@dataclass(frozen=True)
class Load:
    """Load of a pass: the bytes that it brings to the chip, and the operations that it does with them."""

    loads: Count
    work: Count

    @property
    def widths(self) -> tuple[str, ...]:
        """Bytes of a number that they depend on, as parameters."""
        return (*self.loads.widths, *self.work.widths)

    @property
    def reading(self) -> Over:
        """Time of the loads alone."""
        return Over(self.loads, "bandwidth")

    @property
    def computing(self) -> Over:
        """Time of the work alone."""
        return Over(self.work, "flops")

    def ticked(self, asked: Asked) -> ideal_machine.Finished:
        """The clock at the end of the pass."""
        return ideal_machine.run(
            self.loads.of(asked), self.work.of(asked), asked.values["bandwidth"], asked.values["flops"]
        )


_RATES = ("flops", "bandwidth")


@dataclass(frozen=True)
class Time(Answer):
    """Time of a pass on the ideal machine, in the mean over all ways in which it can go."""

    load: Load
    figures = _RATES

    def of(self, asked: Asked) -> Ratio:
        return Ratio(*self.done_at(asked))

    def done_at(self, asked: Asked) -> tuple[Parts, Exact]:
        """Counts of the resource that is done last, and its rate."""
        finished = self.load.ticked(asked)
        return finished.done, asked.values["bandwidth" if finished.last == "bus" else "flops"]


def gap(load: Load) -> Less:
    """Excess of the loads' time of a pass over its work's time, both multiplied by both rates."""
    return load.loads * "flops" - load.work * "bandwidth"


@dataclass(frozen=True)
class Steps(Answer):
    """Time of the decoding steps of an answer, one after the other, each on a clock of its own."""

    load: Load
    figures = _RATES

    def of(self, asked: Asked) -> Ratio:
        return Ratio(*self.done_at(asked))

    def steps(self, asked: Asked) -> list[Asked]:
        """Questions about the single steps, each with a context that is one token longer than before."""
        numbers, context = range(1, asked.values["new_tokens"] + 1), asked.values["context"]
        return [replace(asked, run=STEP).moved(context=context + i) for i in numbers]

    def done_at(self, asked: Asked) -> tuple[Parts, Exact]:
        """Counts of the resource that took the steps' time, and its rate.

        Where every step ends with the same resource, these are its counts for the whole answer; else the times of the
        steps are added, over 1.
        """
        time, steps = Time(self.load), self.steps(asked)
        if len({self.load.ticked(step).last for step in steps}) == 1:
            return time.done_at(asked)
        return Parts({"steps": sum(time.of(step).value for step in steps)}), 1


def apart(first: Load, second: Load) -> Sum:
    """Time of a pass whose second load, bytes and work, waits until the first load is done."""
    return Time(first) + Time(second)


def crossing(load: Load, along: str, beyond: tuple[str, ...] = ()) -> Zero:
    """Value of a parameter at which a pass takes as long to load as to work."""
    return Zero(gap(load), along, beyond)


def is_bound(load: Load) -> Whether:
    """Whether the work of a pass is done before its loads."""
    return load.computing < load.reading


def is_memory_time(load: Load) -> Whether:
    """Whether a pass takes exactly as long as its loads."""
    return Whether(Time(load), load.reading, "=")


@dataclass(frozen=True)
class OneMoreSequence(Answer):
    """Increase of an answer with one more sequence, where that reads no more experts."""

    answer: Answer

    def of(self, asked: Asked) -> Value:
        least = 1
        if "n_active" in asked.values:
            asked, least = replace(asked, run=STEP_OF_ALL), asked.values["n_active"] + asked.values["idle"]
        return (elsewhere(self.answer, batch=least + 1) - elsewhere(self.answer, batch=least)).of(asked)


@dataclass(frozen=True)
class CriticalContext(Answer):
    """Context at which one more sequence adds as much time to the loads as to the work.

    While windows fill they make no difference; beyond them the growth is another straight line, if any block has none.
    """

    load: Load
    figures = _RATES

    def of(self, asked: Asked) -> Ratio | int:
        window, growth = asked.values.get("window"), OneMoreSequence(gap(self.load))
        open_ = asked.moved(window=2)
        found = zero(*((context, growth.of(open_.moved(context=context))) for context in (1, 2)))
        over, under = (side.value if isinstance(side, Parts) else side for side in found)
        if window is None and over * under < 0:
            return 0  # none: what a sequence moves before its first token of context takes too long already
        if window is None or 0 < found.value <= window:
            return found
        if "n_global" not in asked.values:
            return 0  # none: beyond its window no block reads more
        return zero(*((context, growth.of(asked.moved(context=context))) for context in (window, window + 1)))
