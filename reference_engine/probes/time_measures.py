"""Answers about time: what a run does, put on the clock of an ideal machine"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import index
from typing import Any

from . import ideal_machine
from .measures import Answer, Asked, Combined, Count, Value, Zero, elsewhere, zero
from .runs import STEP, STEP_OF_ALL, Run, passed


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
    def reading(self) -> Combined:
        """Time of the loads alone."""
        return self.loads / "bandwidth"

    @property
    def computing(self) -> Combined:
        """Time of the work alone."""
        return self.work / "flops"

    def ticked(self, asked: Asked) -> ideal_machine.Clocks:
        """The clocks of both resources at the end of the pass."""
        rates = asked.values["bandwidth"], asked.values["flops"]
        return ideal_machine.run(self.loads.tiles(asked), self.work.tiles(asked), *rates)


_RATES = ("flops", "bandwidth")


@dataclass(frozen=True)
class Time(Answer):
    """Time of a pass on the ideal machine, in the mean over all ways in which it can go."""

    load: Load
    figures = _RATES

    def of(self, asked: Asked) -> Value:
        return max(self.load.ticked(asked))


def gap(load: Load) -> Combined:
    """Excess of the loads' time of a pass over its work's time, both multiplied by both rates."""
    return load.loads * "flops" - load.work * "bandwidth"


@dataclass(frozen=True)
class Steps(Answer):
    """Time of the decoding steps of an answer, one after the other, each on a clock of its own.

    Where every step ends with the same resource, that resource's clock of the whole answer says it.
    """

    load: Load
    figures = _RATES

    def steps(self, asked: Asked) -> list[Asked]:
        """Questions about the single steps, each with a context that is one token longer than before."""
        numbers, context = range(1, asked.values["new_tokens"] + 1), asked.values["context"]
        return [replace(asked, run=STEP).moved(context=context + i) for i in numbers]

    def of(self, asked: Asked) -> Value:
        time, steps = Time(self.load), self.steps(asked)
        if len({self.load.ticked(step).last for step in steps}) == 1:
            return time.of(asked)
        return sum(time.of(step) for step in steps)


@dataclass(frozen=True)
class OnClock(Answer):
    """Time at which something is done that was run with a clock.

    The answer is the time that counts come to if the clock stands at just that, else the clock's.

    Attributes:
        counted: the time that counts come to.
        run: what the clock ran in.
        numbers: parameters that stand for numbers, one after the other, since the clock runs in loops over them.
    """

    counted: Answer
    run: Run
    numbers: tuple[str, ...] = ()

    def of(self, asked: Asked) -> Value:
        for name in self.numbers:
            index(asked.values.get(name, 1))  # which tells whoever asks with letters
        counted, values = self.counted.of(asked), {name: at_place(value) for name, value in asked.values.items()}
        (done,) = passed(self.run, asked.subject, values)
        return counted if at_place(counted) == done.clock else done.clock


def at_place(number: Any) -> Any:
    """The plain number: the `value` at one place of an object that stands for many numbers, else the number itself."""
    return getattr(number, "value", number)


def apart(first: Load, second: Load) -> Combined:
    """Time of a pass whose second load, bytes and work, waits until the first load is done."""
    return Time(first) + Time(second)


def crossing(load: Load, along: str, beyond: tuple[str, ...] = ()) -> Zero:
    """Value of a parameter at which a pass takes as long to load as to work."""
    return Zero(gap(load), along, beyond)


def is_bound(load: Load) -> Combined:
    """Whether the work of a pass is done before its loads."""
    return load.computing < load.reading


def is_memory_time(load: Load) -> Combined:
    """Whether a pass takes exactly as long as its loads."""
    return Time(load).is_as_much_as(load.reading)


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

    def of(self, asked: Asked) -> Value:
        window, growth = asked.values.get("window"), OneMoreSequence(gap(self.load))
        open_ = asked.moved(window=2)
        found = zero(*((context, growth.of(open_.moved(context=context))) for context in (1, 2)))
        if window is None and found < 0:
            return 0  # none: what a sequence moves before its first token of context takes too long already
        if window is None or 0 < found <= window:
            return found
        if "n_global" not in asked.values:
            return 0  # none: beyond its window no block reads more
        return zero(*((context, growth.of(asked.moved(context=context))) for context in (window, window + 1)))
