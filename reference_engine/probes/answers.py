"""What a question asks of a run: a closed set of answers, so that no probe can calculate one

Every number in an answer is a selection from the ledger of a run, or a figure of the machine that the question names.
What may be done with them is here: divided by each other, put on the clock of an ideal machine, compared, followed
along a straight line to where it is zero. A question says which; it has no place to put a formula.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..memory import OutOfMemory
from . import clock
from .counts import Exact, Parts, Passed, Ratio, Selection
from .runs import Run, decoder, fits, passed
from .subjects import SUBJECTS, Subject

Value = int | Ratio | Parts | bool


@dataclass(frozen=True)
class Asked:
    """A question at one place: the subject, what is done with it, and the values of all parameters."""

    subject: Subject
    run: Run | None
    values: Mapping[str, Any]

    def passes(self) -> tuple[Passed, ...]:
        """The passes of the run here."""
        assert self.run is not None, "this question runs nothing"
        return passed(self.run, self.subject, self.values)

    def moved(self, **values: int) -> Asked:
        """The same elsewhere; what neither subject nor run knows stays away."""
        known = {name: value for name, value in values.items() if name in self.values}
        return replace(self, values={**self.values, **known})


class Answer(ABC):
    """What is asked of a run, as data."""

    needs: tuple[str, ...] = ()  # figures of the machine and other parameters that no run takes

    @abstractmethod
    def of(self, asked: Asked) -> Value:
        """What it comes to at one place."""

    def part(self, paths: tuple[str, ...]) -> Answer:
        """The same of some paths only; `TypeError` for what is no count."""
        raise TypeError(f"{type(self).__name__} has no parts")


@dataclass(frozen=True)
class Count(Answer):
    """What the passes of a run did, in the mean over all ways in which it can go; several selections are added."""

    selections: tuple[Selection, ...]

    def part(self, paths: tuple[str, ...]) -> Count:
        return Count(tuple(selection._replace(within=paths) for selection in self.selections))

    def of(self, asked: Asked) -> Parts:
        passes = asked.passes()
        total = Parts()
        for one in passes:
            for selection in self.selections:
                total += selection.of(one.ledger) * one.times
        ways = sum(one.times for one in passes)
        return total if ways == 1 else Parts({part: _plain(Fraction(each, ways)) for part, each in total.items()})


def _plain(mean: Fraction) -> Exact:
    return mean.numerator if mean.denominator == 1 else mean


@dataclass(frozen=True)
class Over(Answer):
    """A count, and the parameter that it is divided by: a rate of the machine, or how many it is for."""

    count: Count
    by: str

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.by,)

    def part(self, paths: tuple[str, ...]) -> Over:
        return replace(self, count=self.count.part(paths))

    def of(self, asked: Asked) -> Ratio:
        return Ratio(self.count.of(asked), asked.values[self.by])


@dataclass(frozen=True)
class Share(Answer):
    """A count, and another of the same run, or of the run elsewhere, that it is divided by."""

    count: Count
    by: Count
    at: tuple[tuple[str, int], ...] = ()

    def of(self, asked: Asked) -> Ratio:
        return Ratio(self.count.of(asked), self.by.of(asked.moved(**dict(self.at))))


@dataclass(frozen=True)
class Together(Answer):
    """Counts of several runs, added."""

    counts: tuple[tuple[Run, Count], ...]

    def of(self, asked: Asked) -> Parts:
        found = Parts()
        for run, count in self.counts:
            found += count.of(replace(asked, run=run))
        return found


@dataclass(frozen=True)
class Growth(Answer):
    """By how much a count grows with one more of something, between its second and third value."""

    count: Count
    along: str

    def part(self, paths: tuple[str, ...]) -> Growth:
        return replace(self, count=self.count.part(paths))

    def of(self, asked: Asked) -> Parts:
        at_3, at_2 = (self.count.of(asked.moved(**{self.along: value})) for value in (3, 2))
        return at_3 - at_2


@dataclass(frozen=True)
class Load:
    """What a pass brings to the chip, and what it computes with it: what the clock of a machine is asked about."""

    loads: Count
    work: Count

    def gap(self, asked: Asked) -> Parts:
        """By how much the time of the loads exceeds that of the work, both multiplied by both rates."""
        return self.loads.of(asked) * asked.values["flops"] - self.work.of(asked) * asked.values["bandwidth"]

    def ticked(self, asked: Asked) -> clock.Finished:
        """The clock at the end of the pass."""
        return clock.run(self.loads.of(asked), self.work.of(asked), asked.values["bandwidth"], asked.values["flops"])


_RATES = ("flops", "bandwidth")


@dataclass(frozen=True)
class Time(Answer):
    """How long a pass takes on the ideal machine, in the mean over all ways in which it can go."""

    load: Load
    needs = _RATES

    def of(self, asked: Asked) -> Ratio:
        finished = self.load.ticked(asked)
        return Ratio(finished.done, asked.values["bandwidth" if finished.last == "bus" else "flops"])


@dataclass(frozen=True)
class Rate(Answer):
    """How many tokens a pass gives logits for, in its time on the ideal machine."""

    load: Load
    needs = _RATES

    def of(self, asked: Asked) -> Ratio:
        finished = self.load.ticked(asked)
        rate = asked.values["bandwidth" if finished.last == "bus" else "flops"]
        return Ratio(asked.passes()[0].tokens * rate, finished.done)


@dataclass(frozen=True)
class Tokens(Answer):
    """For how many tokens a pass gives logits."""

    def of(self, asked: Asked) -> int:
        return asked.passes()[0].tokens


@dataclass(frozen=True)
class Then(Answer):
    """How long a pass takes and then, one after the other, as many of another run as tokens are generated."""

    load: Load
    first: Run
    needs = (*_RATES, "new_tokens")

    def of(self, asked: Asked) -> Ratio:
        before, step = Time(self.load).of(replace(asked, run=self.first)), Time(self.load).of(asked.moved(context=1))
        done = before.numerator * step.denominator
        for _ in range(asked.values["new_tokens"]):
            done += step.numerator * before.denominator
        return Ratio(done, before.denominator * step.denominator)


@dataclass(frozen=True)
class Crossing(Answer):
    """Where both times are equal: where the straight line of their gap through two places meets zero.

    Attributes:
        load: whose times.
        along: what is moved.
        beyond: parameters that together lie before the two places; from 1 on where there are none.
    """

    load: Load
    along: str
    beyond: tuple[str, ...] = ()
    needs = _RATES

    def of(self, asked: Asked) -> Ratio:
        first = sum(asked.values[name] for name in self.beyond) or 1
        return zero(*((x, self.load.gap(asked.moved(**{self.along: x}))) for x in (first, first + 1)))


def zero(one: tuple[int, Parts], two: tuple[int, Parts]) -> Ratio:
    """Where the straight line through two points meets zero."""
    (x_1, y_1), (x_2, y_2) = one, two
    return Ratio(y_1 * x_2 - y_2 * x_1, y_1 - y_2)


@dataclass(frozen=True)
class CriticalContext(Answer):
    """At which context one more sequence adds as much time to the loads as to the work.

    While windows fill they make no difference; beyond them the growth is another straight line, if any block has none.
    """

    load: Load
    needs = _RATES

    def growth(self, asked: Asked, context: int) -> Parts:
        """By how much the gap of the times grows with one more sequence."""
        two, one = (self.load.gap(asked.moved(context=context, batch=batch)) for batch in (2, 1))
        return two - one

    def of(self, asked: Asked) -> Ratio | int:
        window = asked.values.get("window")
        open_ = asked.moved(window=2)
        found = zero(*((context, self.growth(open_, context)) for context in (1, 2)))
        if window is None or 0 < found.value <= window:
            return found
        if "n_global" not in asked.values:
            return 0  # none: beyond its window no block reads more
        return zero(*((context, self.growth(asked, context)) for context in (window, window + 1)))


@dataclass(frozen=True)
class IsBound(Answer):
    """Whether the work of a pass is done before its loads; or, for one more sequence, whether that adds less work."""

    load: Load
    of_one_more: bool = False
    needs = _RATES

    def of(self, asked: Asked) -> bool:
        if self.of_one_more:
            return bool(CriticalContext(self.load).growth(asked, asked.values["context"]).value < 0)
        return bool(self.load.gap(asked).value > 0)


@dataclass(frozen=True)
class IsMemoryTime(Answer):
    """Whether a pass takes exactly as long as its loads."""

    load: Load
    needs = _RATES

    def of(self, asked: Asked) -> bool:
        return Time(self.load).of(asked).value == Over(self.load.loads, "bandwidth").of(asked).value


@dataclass(frozen=True)
class IsLess(Answer):
    """Whether a count is smaller than that of another subject of the same shape."""

    count: Count
    than: str

    def of(self, asked: Asked) -> bool:
        mine, theirs = (self.count.of(one) for one in (asked, replace(asked, subject=SUBJECTS[self.than])))
        return bool(mine.value < theirs.value)


# What fits


@dataclass(frozen=True)
class Left(Answer):
    """Bytes of memory that are free once the weights are held, none if they do not fit; over a count, if there is one."""

    over: Count | None = None
    needs = ("memory",)

    def of(self, asked: Asked) -> Parts | Ratio:
        memory = asked.values["memory"]
        try:
            held = decoder(asked.subject, asked.values, 1, memory=memory).ledger
        except OutOfMemory:
            free = Parts({"memory": 0})
        else:
            free = Parts({"memory": memory}) - Selection("held").of(held)
        return free if self.over is None else Ratio(free, self.over.of(asked.moved(batch=1, context=1)))


@dataclass(frozen=True)
class Most(Answer):
    """How many can be allocated before the machine runs out of memory: the last number that fits, up to a limit."""

    of_what: str
    limit: str = ""

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("memory", *((self.limit,) if self.limit else ()))

    def of(self, asked: Asked) -> int:
        limit = asked.values[self.limit] if self.limit else None
        if limit is None and self.of_what == "context" and asked.subject.traits == {"windowed"}:
            limit = asked.values["window"]  # beyond it no block keeps more, and any context fits

        def is_room(number: int) -> bool:
            return (limit is None or number <= limit) and fits(asked.subject, {**asked.values, self.of_what: number})

        return last(is_room)


def last(fits: Callable[[int], bool]) -> int:
    """The last number that fits, given that a smaller one does wherever a larger one does."""
    room, beyond = 0, 1
    while fits(beyond):
        room, beyond = beyond, 2 * beyond
    while beyond - room > 1:
        middle = (room + beyond) // 2
        room, beyond = (middle, beyond) if fits(middle) else (room, middle)
    return room


@dataclass(frozen=True)
class Fits(Answer):
    """Whether weights and caches of a batch can be allocated."""

    needs = ("memory",)

    def of(self, asked: Asked) -> bool:
        return fits(asked.subject, asked.values)
