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
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Any

from .counts import Exact, Parts, Passed, Ratio, Selection
from .runs import PROMPT, Passes, Run, passed
from .subjects import SUBJECTS, Subject

if TYPE_CHECKING:
    from .registry import Probe

Value = int | Ratio | Parts | bool
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

    def __add__(self, other: Answer | str) -> Sum:
        return Sum((self, _answer(other)))

    def __sub__(self, other: Answer | str) -> Less:
        return Less(self, _answer(other))

    def __mul__(self, other: Answer | str) -> Product:
        return Product((self, _answer(other)))

    def __truediv__(self, other: Answer | str) -> Answer:
        return Quotient(self, _answer(other))

    def __lt__(self, other: Answer | str) -> Whether:
        return Whether(self, _answer(other))

    def __le__(self, other: Answer | str) -> Whether:
        return Whether(self, _answer(other), "≤")


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

    def __truediv__(self, other: Answer | str) -> Answer:
        return Over(self, other) if isinstance(other, str) else super().__truediv__(other)

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
    """Quotient of a count and a parameter: a rate of the machine, or the number of things it is for."""

    count: Count
    by: str

    @property
    def figures(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.by,)

    def part(self, paths: tuple[str, ...]) -> Over:
        return replace(self, count=self.count.part(paths))

    def of(self, asked: Asked) -> Ratio:
        return Ratio(self.count.of(asked), asked.values[self.by])


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
    if isinstance(one, Answer):
        return _number(one.of(asked))  # type: ignore[arg-type]
    return asked.values[one] if isinstance(one, str) else one


def elsewhere(answer: Answer, *, run: Run | None = None, subject: str = "", **at: Term | tuple[Term, ...]) -> Elsewhere:
    """An answer for another run or subject, or for other values of parameters; a tuple stands for its sum."""
    places = ((name, value if isinstance(value, tuple) else (value,)) for name, value in at.items())
    return Elsewhere(answer, tuple(places), run, subject)


def growth(answer: Answer, along: str) -> Less:
    """Increase of an answer between the second and the third value of a parameter."""
    third, second = (Elsewhere(answer, ((along, (number,)),)) for number in (3, 2))
    return Less(third, second)


@dataclass(frozen=True)
class Sum(Answer):
    """Sum of several answers: times one after the other, counts of several runs."""

    answers: tuple[Answer, ...]

    def of(self, asked: Asked) -> Value:
        return _plain_of(reduce(_added, (ratio(one.of(asked)) for one in self.answers)))


@dataclass(frozen=True)
class Product(Answer):
    """Product of several answers: a time and how often it passes, an amount and its price."""

    answers: tuple[Answer, ...]

    def of(self, asked: Asked) -> Value:
        found = [ratio(one.of(asked)) for one in self.answers]
        over, under = (reduce(_times, side) for side in zip(*found, strict=True))
        return _plain_of(Ratio(over, under))


@dataclass(frozen=True)
class _OfTwo(Answer):
    """An answer that is made of two answers."""

    one: Answer
    other: Answer

    def both(self, asked: Asked) -> tuple[Ratio, Ratio]:
        """The two answers as ratios."""
        return ratio(self.one.of(asked)), ratio(self.other.of(asked))


@dataclass(frozen=True)
class Less(_OfTwo):
    """Difference of two answers: the first less the second."""

    def part(self, paths: tuple[str, ...]) -> Less:
        return Less(self.one.part(paths), self.other.part(paths))

    def of(self, asked: Asked) -> Value:
        one, (over, under) = self.both(asked)
        return _plain_of(_added(one, Ratio(_times(over, -1), under)))


@dataclass(frozen=True)
class Quotient(_OfTwo):
    """Quotient of two answers: operations for a byte, tokens in a time."""

    def part(self, paths: tuple[str, ...]) -> Quotient:
        return Quotient(self.one.part(paths), self.other)

    def of(self, asked: Asked) -> Ratio:
        (over, under), (by, divided) = self.both(asked)
        return Ratio(over, by) if _is_same(under, divided) else Ratio(_times(over, divided), _times(under, by))


@dataclass(frozen=True)
class Whether(_OfTwo):
    """Whether one answer is less than another, at most that, or the same."""

    relation: str = "<"

    def of(self, asked: Asked) -> bool:
        one, other = (both.value for both in self.both(asked))
        return {"<": one < other, "≤": one <= other, "=": one == other}[self.relation]


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


def zero(one: tuple[int, Value], two: tuple[int, Value]) -> Ratio:
    """Zero of the straight line through two points, as a ratio."""
    (x_1, first), (x_2, second) = one, two
    (y_1, under), (y_2, below) = ratio(first), ratio(second)
    if not _is_same(under, below):
        y_1, y_2 = _times(y_1, below), _times(y_2, under)
    return Ratio(_plus(_times(y_1, x_2), _times(y_2, -x_1)), _plus(y_1, _times(y_2, -1)))


# Ratios, whose parts are kept apart as long as one of both has some

Side = Exact | Parts


def ratio(value: Value) -> Ratio:
    """The value of an answer as a ratio, over 1 if it is none."""
    return value if isinstance(value, Ratio) else Ratio(value, 1)


def _number(side: Side) -> Exact:
    return side.value if isinstance(side, Parts) else side


def _plus(one: Side, other: Side) -> Side:
    return one + other if isinstance(one, Parts) and isinstance(other, Parts) else _number(one) + _number(other)


def _times(one: Side, other: Side) -> Side:
    if type(other) is int and other == 1:  # a rate stays the same rate
        return one
    if isinstance(other, Parts):
        one, other = other, one
    return one * _number(other)


def _is_same(one: Side, other: Side) -> bool:
    """Whether two denominators are one and the same rate, or the same plain number."""
    return one is other or (type(one) is type(other) is int and one == other)


def _added(one: Ratio, other: Ratio) -> Ratio:
    (over, under), (more, below) = one, other
    if _is_same(under, below):
        return Ratio(_plus(over, more), under)
    return Ratio(_plus(_times(over, below), _times(more, under)), _times(under, below))


def _plain_of(found: Ratio) -> Value:
    """The ratio, or its numerator alone where the denominator is the number 1."""
    over, under = found
    return over if type(under) is int and under == 1 else found  # type: ignore[return-value]
