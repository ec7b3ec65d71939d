"""Answers about time: what a run does, put on the clock of an ideal machine"""

from __future__ import annotations

from dataclasses import dataclass, replace

from . import clock
from .answers import Answer, Asked, Count, Over
from .counts import Exact, Parts, Ratio
from .runs import STEP, STEP_OF_ALL, Run


@dataclass(frozen=True)
class Load:
    """What a pass brings to the chip, and what it computes with it: what the clock of a machine is asked about."""

    loads: Count
    work: Count

    def gap(self, asked: Asked) -> Parts:
        """By how much the time of the loads exceeds that of the work, both multiplied by both rates."""
        flops: Exact = asked.values["flops"]
        bandwidth: Exact = asked.values["bandwidth"]
        return self.loads.of(asked) * flops - self.work.of(asked) * bandwidth

    def ticked(self, asked: Asked) -> clock.Finished:
        """The clock at the end of the pass."""
        return clock.run(self.loads.of(asked), self.work.of(asked), asked.values["bandwidth"], asked.values["flops"])


_RATES = ("flops", "bandwidth")


@dataclass(frozen=True)
class Time(Answer):
    """How long a pass takes on the ideal machine, in the mean over all ways in which it can go; or each of a count."""

    load: Load
    each: Count | None = None
    needs = _RATES

    def of(self, asked: Asked) -> Ratio:
        done, rate = self.done_at(asked)
        return Ratio(done, self.each.of(asked) * rate if self.each else rate)

    def done_at(self, asked: Asked) -> tuple[Parts, Exact]:
        """What the resource that is done last has done, and at which rate."""
        finished = self.load.ticked(asked)
        return finished.done, asked.values["bandwidth" if finished.last == "bus" else "flops"]


@dataclass(frozen=True)
class Rate(Answer):
    """For how many tokens a pass gives logits, or what else is counted of it, in its time on the ideal machine."""

    load: Load
    count: Count | None = None
    needs = _RATES

    def of(self, asked: Asked) -> Ratio:
        done, rate = Time(self.load).done_at(asked)
        return Ratio(self.count.of(asked) * rate if self.count else asked.passes()[0].tokens * rate, done)


@dataclass(frozen=True)
class Tokens(Answer):
    """For how many tokens a pass gives logits."""

    def of(self, asked: Asked) -> int:
        return asked.passes()[0].tokens


@dataclass(frozen=True)
class TokensIn(Answer):
    """For how many tokens a pass gives logits, in the time that another answer says."""

    time: Answer

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.time.needs

    def of(self, asked: Asked) -> Ratio:
        time = self.time.of(asked)
        assert isinstance(time, Ratio)
        return Ratio(time.denominator * asked.passes()[0].tokens, time.numerator)


@dataclass(frozen=True)
class Then(Answer):
    """How long a pass takes and then, one after the other, as many of another run as tokens are generated."""

    load: Load
    first: Run
    needs = (*_RATES, "new_tokens")

    def of(self, asked: Asked) -> Ratio:
        time = Time(self.load)
        (prompt, at), (step, then) = time.done_at(replace(asked, run=self.first)), time.done_at(asked.moved(context=1))
        return Ratio(prompt * then + step * (at * asked.values["new_tokens"]), at * then)


@dataclass(frozen=True)
class Steps(Answer):
    """How long the decoding steps of an answer take, one after the other, each on a clock of its own.

    Attributes:
        load: what the clock of a step is asked about.
        first: what is done before, and takes its time too.
        each: whether the time is divided by the number of steps.
    """

    load: Load
    first: Run | None = None
    each: bool = False
    needs = _RATES

    def of(self, asked: Asked) -> Ratio:
        done, rate = self.done_at(asked)
        if self.first:
            prompt, at = Time(self.load).done_at(asked.running(self.first))
            done, rate = prompt * rate + done * at, at * rate
        return Ratio(done, rate * asked.values["new_tokens"] if self.each else rate)

    def steps(self, asked: Asked) -> list[Asked]:
        """Each step; it has one token more before it than the one before."""
        numbers, context = range(1, asked.values["new_tokens"] + 1), asked.values["context"]
        return [replace(asked, run=STEP).moved(context=context + i) for i in numbers]

    def done_at(self, asked: Asked) -> tuple[Parts, Exact]:
        """What was done in the steps by what took their time, and at which rate.

        Where every step ends with the same resource, that is all that it did for the answer; else the times are added.
        """
        time, steps = Time(self.load), self.steps(asked)
        if len({self.load.ticked(step).last for step in steps}) == 1:
            return time.done_at(asked)
        return Parts({"steps": sum(time.of(step).value for step in steps)}), 1


@dataclass(frozen=True)
class Apart(Answer):
    """How long a pass takes whose second load waits until the first is done, both what it brings and its work."""

    first: Load
    second: Load
    needs = _RATES

    def of(self, asked: Asked) -> Ratio:
        (one, at), (two, then) = (Time(load).done_at(asked) for load in (self.first, self.second))
        return Ratio(one * then + two * at, at * then)


@dataclass(frozen=True)
class Crossing(Answer):
    """Where both times are equal: where the straight line of their gap through two places meets zero.

    Attributes:
        load: whose times.
        along: what is moved.
        beyond: parameters that together lie before the two places; from 1 on where there are none.
        against: what is moved the other way, so that both together stay the same.
    """

    load: Load
    along: str
    beyond: tuple[str, ...] = ()
    against: str = ""
    needs = _RATES

    def of(self, asked: Asked) -> Ratio:
        first = sum(asked.values[name] for name in self.beyond) or 1
        return zero(*((x, self.load.gap(self._moved(asked, x))) for x in (first, first + 1)))

    def _moved(self, asked: Asked, to: int) -> Asked:
        if not self.against:
            return asked.moved(**{self.along: to})
        together = asked.values[self.along] + asked.values[self.against]
        return asked.moved(**{self.along: to, self.against: together - to})


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
        """By how much the gap of the times grows with one more sequence, where that reads no more experts."""
        least = 1
        if "n_active" in asked.values:
            asked, least = replace(asked, run=STEP_OF_ALL), asked.values["n_active"] + asked.values["idle"]
        two, one = (self.load.gap(asked.moved(context=context, batch=batch)) for batch in (least + 1, least))
        return two - one

    def of(self, asked: Asked) -> Ratio | int:
        window = asked.values.get("window")
        open_ = asked.moved(window=2)
        found = zero(*((context, self.growth(open_, context)) for context in (1, 2)))
        over, under = (side.value if isinstance(side, Parts) else side for side in found)
        if window is None and over * under < 0:
            return 0  # none: what a sequence moves before its first token of context takes too long already
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
class IsSame(Answer):
    """Whether a pass takes just as long one way as another."""

    one: Time | Apart
    other: Time | Apart
    needs = _RATES

    def of(self, asked: Asked) -> bool:
        return bool(self.one.of(asked).value == self.other.of(asked).value)


@dataclass(frozen=True)
class IsMemoryTime(Answer):
    """Whether a pass takes exactly as long as its loads."""

    load: Load
    needs = _RATES

    def of(self, asked: Asked) -> bool:
        return Time(self.load).of(asked).value == Over(self.load.loads, "bandwidth").of(asked).value
