"""What a question asks of a run: a closed set of answers, so that no probe can calculate one

Every number in an answer is a selection from the ledger of a run, or a figure of the machine that the question names.
What may be done with them is here, in `times` and in `filling`: they are divided by each other, compared, put on the
clock of an ideal machine, followed along a straight line to where it is zero. A question says which; it has no place
to put a formula.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .counts import Exact, Parts, Passed, Ratio, Selection
from .runs import PROMPT, Passes, Run, passed
from .subjects import SUBJECTS, Subject

Value = int | Ratio | Parts | bool
Source = Callable[[Run, Subject, Mapping[str, Any]], Passes]


@dataclass(frozen=True)
class Asked:
    """A question at one place.

    Attributes:
        subject: whom it is put to.
        run: what is done with the subject.
        values: of all parameters.
        source: who says what the passes of a run enter; whoever is not the engine has to know it from the engine.
    """

    subject: Subject
    run: Run | None
    values: Mapping[str, Any]
    source: Source = passed

    def passes(self) -> tuple[Passed, ...]:
        """The passes of the run here."""
        assert self.run is not None, "this question runs nothing"
        return self.source(self.run, self.subject, self.values)

    def moved(self, **values: int) -> Asked:
        """The same elsewhere; what neither subject nor run knows stays away."""
        known = {name: value for name, value in values.items() if name in self.values}
        return replace(self, values={**self.values, **known})

    def running(self, run: Run) -> Asked:
        """The question of another run: a prompt is read by latent attention with keys and values of heads."""
        reader = self.subject.prompts_as if run is PROMPT else ""
        return replace(self, run=run, subject=SUBJECTS[reader] if reader else self.subject)


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
class IsLess(Answer):
    """Whether a count is smaller than that of another subject of the same shape."""

    count: Count
    than: str

    def of(self, asked: Asked) -> bool:
        mine, theirs = (self.count.of(one) for one in (asked, replace(asked, subject=SUBJECTS[self.than])))
        return bool(mine.value < theirs.value)


@dataclass(frozen=True)
class Fewer(Answer):
    """By how much a count is smaller than that of another subject of the same shape."""

    count: Count
    than: str

    def of(self, asked: Asked) -> Parts:
        mine, theirs = (self.count.of(one) for one in (asked, replace(asked, subject=SUBJECTS[self.than])))
        return theirs - mine


@dataclass(frozen=True)
class Saved(Answer):
    """By how much a count is smaller than with windows as long as the context."""

    count: Count

    def of(self, asked: Asked) -> Parts:
        return self.count.of(asked.moved(window=asked.values["context"])) - self.count.of(asked)
