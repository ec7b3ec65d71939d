"""Answers to questions about a run: measures, and combinations of them

A measure is a selection from the ledger of a run, a parameter, or what a clock, a memory or a lot comes to: those have
modules of their own. Combinations of measures are here: sums, quotients, values at another place, comparisons, and the
zero of a straight line through two of them. A question names them; it has no place for a number or a function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from operator import add, eq, le, lt, mul, sub
from typing import TYPE_CHECKING, Any

from ..sizes import Exact
from .counts import Passed, Selection
from .runs import PROMPT, Passes, Run, passed
from .subjects import SUBJECTS, Subject

if TYPE_CHECKING:
    from .registry import Probe

Value = Exact | bool
Source = Callable[[Run, Subject, Mapping[str, Any]], Passes]


@dataclass(frozen=True)
class Asked:
    """A question at one place.

    Attributes:
        subject: the subject that it is put to.
        run: what is done with the subject.
        values: of all parameters.
        source: says what the passes of a run enter; one that is not the engine has to know it from the engine.
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
        """The question with other values of some parameters; names that neither it nor its run knows are left out."""
        known = {*self.values, *(self.run.takes if self.run else ())}
        return replace(self, values={**self.values, **{n: value for n, value in values.items() if n in known}})

    def running(self, run: Run) -> Asked:
        """The question about another run; latent attention reads a prompt with keys and values of heads."""
        reader = self.subject.prompts_as if run is PROMPT else ""
        return replace(self, run=run, subject=SUBJECTS[reader] if reader else self.subject)


class Answer(ABC):
    """A quantity that is asked of a run, as data."""

    figures: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """Figures of the machine and other parameters that no run takes: its own, then those of what it is made of."""
        return _together(self.figures, self, "needs")

    @property
    def widths(self) -> tuple[str, ...]:
        """Bytes of a number that it depends on, as parameters."""
        return _together((), self, "widths")

    @abstractmethod
    def of(self, asked: Asked) -> Value:
        """Value of the answer at one place."""

    def edges(self, probe: Probe, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Places where a little more or less of something changes the answer of a probe; none of what is counted."""
        return iter(())

    def part(self, paths: tuple[str, ...]) -> Answer:
        """The answer with counts of some paths only; `TypeError` if it counts nothing."""
        raise TypeError(f"{type(self).__name__} has no parts")

    # Combinations; a name stands for the value of a parameter

    def __add__(self, other: Answer | str) -> Combined:
        return Combined(self, "+", _answer(other))

    def __sub__(self, other: Answer | str) -> Combined:
        return Combined(self, "−", _answer(other))

    def __mul__(self, other: Answer | str) -> Combined:
        return Combined(self, "·", _answer(other))

    def __truediv__(self, other: Answer | str) -> Combined:
        return Combined(self, "/", _answer(other))

    def __lt__(self, other: Answer | str) -> Combined:
        return Combined(self, "<", _answer(other))

    def __le__(self, other: Answer | str) -> Combined:
        return Combined(self, "≤", _answer(other))

    def is_as_much_as(self, other: Answer) -> Combined:
        """Whether another answer is the same; `==` says whether it is the same question."""
        return Combined(self, "=", other)


def _answer(one: Answer | str) -> Answer:
    return Given(one) if isinstance(one, str) else one


def _together(own: tuple[str, ...], held: object, what: str) -> tuple[str, ...]:
    """Its own, then what each part says that something is made of, once; parts of a tuple are parts of it too."""
    parts = held if type(held) is tuple else vars(held).values()
    of_parts = (_together((), one, what) if type(one) is tuple else getattr(one, what, ()) for one in parts)
    return tuple(dict.fromkeys(chain(own, *of_parts)))


@dataclass(frozen=True)
class Count(Answer):
    """Counts from the passes of a run, in the mean over all ways in which it can go; several selections are added."""

    selections: tuple[Selection, ...]

    def part(self, paths: tuple[str, ...]) -> Count:
        return Count(tuple(selection._replace(within=paths) for selection in self.selections))

    def of(self, asked: Asked) -> Exact:
        return sum(self.tiles(asked))

    def tiles(self, asked: Asked) -> list[Exact]:
        """The counts that it is the sum of, in the order of the ledger."""
        passes = asked.passes()
        ways = sum(one.times for one in passes)
        found = ((one.times, each) for one in passes for which in self.selections for each in which.of(one.ledger))
        return [each if times == ways else each * Fraction(times, ways) for times, each in found]


@dataclass(frozen=True)
class Given(Answer):
    """Value of a parameter: a target, a price."""

    name: str

    @property
    def figures(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.name,)

    def of(self, asked: Asked) -> Any:
        return asked.values[self.name]


@dataclass(frozen=True)
class Tokens(Answer):
    """Number of tokens that go through a pass."""

    def of(self, asked: Asked) -> int:
        return asked.passes()[0].tokens


# Combinations of answers


Term = str | int | Answer


@dataclass(frozen=True)
class Elsewhere(Answer):
    """An answer at another place, of another run, or of another subject of the same shape.

    Attributes:
        answer: what is asked there.
        at: parameters that have another value there, each with the summands of it: parameters, numbers, answers.
        run: another run, if it is not that of the question.
        subject: name of another subject; "" for that of the question.
    """

    answer: Answer
    at: tuple[tuple[str, tuple[Term, ...]], ...] = ()
    run: Run | None = None
    subject: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        terms = [one for _, those in self.at for one in those]
        of_terms = (one.needs if isinstance(one, Answer) else (one,) for one in terms if not isinstance(one, int))
        return (*self.answer.needs, *chain(*of_terms))

    def part(self, paths: tuple[str, ...]) -> Elsewhere:
        return replace(self, answer=self.answer.part(paths))

    def of(self, asked: Asked) -> Value:
        there = asked.running(self.run) if self.run else asked
        if self.subject:
            there = replace(there, subject=SUBJECTS[self.subject])
        return self.answer.of(there.moved(**{name: sum(_term(one, asked) for one in terms) for name, terms in self.at}))


def _term(one: Term, asked: Asked) -> Any:
    return one if isinstance(one, int) else _answer(one).of(asked)


def elsewhere(answer: Answer, *, run: Run | None = None, subject: str = "", **at: Term | tuple[Term, ...]) -> Elsewhere:
    """An answer for another run or subject, or for other values of parameters; a tuple stands for its sum."""
    places = ((name, value if isinstance(value, tuple) else (value,)) for name, value in at.items())
    return Elsewhere(answer, tuple(places), run, subject)


def growth(answer: Answer, along: str) -> Combined:
    """Increase of an answer between the second and the third value of a parameter."""
    third, second = (Elsewhere(answer, ((along, (number,)),)) for number in (3, 2))
    return third - second


_COMBINED: dict[str, Callable[[Any, Any], Value]] = {
    "+": add,
    "−": sub,
    "·": mul,
    "/": lambda one, other: Fraction(1) * one / other,
    "<": lt,
    "≤": le,
    "=": eq,
}


@dataclass(frozen=True)
class Combined(Answer):
    """Sum, difference, product or quotient of two answers, or whether they are in a relation.

    Attributes:
        one: the first answer.
        how: the sign that stands between them: "+", "−", "·" or "/", or "<", "≤" or "=".
        other: the second.
    """

    one: Answer
    how: str
    other: Answer

    def part(self, paths: tuple[str, ...]) -> Combined:
        if self.how == "/":  # of what is divided; what it is divided by stays
            return replace(self, one=self.one.part(paths))
        if self.how in "+−":
            return replace(self, one=self.one.part(paths), other=self.other.part(paths))
        raise TypeError(f"an answer with {self.how} has no parts")

    def of(self, asked: Asked) -> Value:
        return _COMBINED[self.how](self.one.of(asked), self.other.of(asked))


@dataclass(frozen=True)
class AtLeastZero(Answer):
    """An answer, or 0 where it is less: what is free beside something that may take more than there is."""

    answer: Answer

    def of(self, asked: Asked) -> Value:
        found = self.answer.of(asked)
        return found if found > 0 else 0


@dataclass(frozen=True)
class Zero(Answer):
    """Value of a parameter at which an answer is zero, on the straight line through two neighbouring values.

    Attributes:
        answer: the answer whose zero it is.
        along: the parameter.
        beyond: parameters whose sum is the first of the two values; that is 1 where there are none.
        against: a parameter that is moved the other way, so that the sum of both stays the same.
    """

    answer: Answer
    along: str
    beyond: tuple[str, ...] = ()
    against: str = ""

    def of(self, asked: Asked) -> Value:
        first = sum(asked.values[name] for name in self.beyond) or 1
        return zero(*((x, self.answer.of(self._moved(asked, x))) for x in (first, first + 1)))

    def _moved(self, asked: Asked, to: int) -> Asked:
        if not self.against:
            return asked.moved(**{self.along: to})
        together = asked.values[self.along] + asked.values[self.against]
        return asked.moved(**{self.along: to, self.against: together - to})


def zero(one: tuple[int, Value], two: tuple[int, Value]) -> Value:
    """Zero of the straight line through two points."""
    (x_1, y_1), (x_2, y_2) = one, two
    return Fraction(1) * (y_1 * x_2 - y_2 * x_1) / (y_1 - y_2)
