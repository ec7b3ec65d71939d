"""Branches of an answer: ratios of polynomials that are compared, with both ways to go on

The engine's answer to a question is calculated with ratios of polynomials for numbers. Where two of them are compared,
their signs may tell how that comes out, or what is known of the branch does. Else there are two branches from there on,
one where the gap is at least 0, and one where it is at most that. So all branches of an answer together leave no place
out, and in each it is one ratio of polynomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from ..expressions.arithmetic import plain
from ..expressions.polynomial import Exact, Polynomial
from .regions import Fact, is_negative, of_ratio, sign

_Answer = TypeVar("_Answer")
Config = Mapping[str, Exact]


class Way:
    """The way through all comparisons that leads to one branch.

    Attributes:
        place: a value of each parameter, for what is gone through one by one, as the steps of an answer are.
        facts: what is known there, the conditions first.
        taken: of each comparison that the facts before did not decide, its gap and whether that is at least 0.
        outcomes: how each comparison came out, of those as well that were decided.
        fixed: parameters that were taken for plain numbers on the way, since something is done so often.
    """

    def __init__(
        self, place: Config, conditions: Sequence[Fact], before: Sequence[bool] = (), replayed: Sequence[bool] = ()
    ) -> None:
        self.place = place
        self.facts = list(conditions)
        self.taken = list[tuple[Polynomial, bool]]()
        self.outcomes = list[bool]()
        self.fixed = dict[str, Exact]()
        self._before, self._replayed = before, replayed

    def at_least_zero(self, ratio: Symbolic) -> bool:
        """Whether a ratio is nowhere negative in this branch."""
        number = len(self.outcomes)
        if number < len(self._replayed):  # with other letters, of which no sign is known
            outcome = self._replayed[number]
        else:
            gap = of_ratio(ratio.over, ratio.below)
            known = self._known(gap)
            outcome = self._chosen(gap) if known is None else known
        self.outcomes.append(outcome)
        return outcome

    def _known(self, gap: Polynomial) -> bool | None:
        """Whether a gap is at least 0, if that is known; where it may just be 0 and else is less, it is not."""
        if sign(gap) in (0, 1) or any(sign(gap.plus(fact.gap, -1)) in (0, 1) for fact in self.facts):
            return True
        for fact in self.facts:
            below = gap.plus(fact.gap)
            if is_negative(below) or (fact.strict and sign(below) in (0, -1)):
                return False
        return False if is_negative(gap) else None

    def _chosen(self, gap: Polynomial) -> bool:
        number = len(self.taken)
        outcome = self._before[number] if number < len(self._before) else True
        self.taken.append((gap, outcome))
        self.facts.append(Fact(gap if outcome else gap.scaled(-1), strict=not outcome))
        return outcome


def ways_through(
    place: Config, conditions: Sequence[Fact], answer: Callable[[Way], _Answer]
) -> Iterator[tuple[Way, _Answer]]:
    """All branches of an answer: each with its way, those first where more gaps are at least 0."""
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        before = waiting.pop()
        way = Way(place, conditions, before)
        yield way, answer(way)
        outcomes = [outcome for _, outcome in way.taken]
        waiting += [(*outcomes[:place], False) for place in range(len(before), len(outcomes))]


class Symbolic:
    """A ratio of polynomials in the parameters.

    Attributes:
        over: the numerator.
        under: the denominator, or None for 1.
    """

    __slots__ = ("_way", "over", "under")

    def __init__(self, way: Way, over: Polynomial, under: Polynomial | None = None) -> None:
        self._way, self.over, self.under = way, over, under

    @property
    def below(self) -> Polynomial:
        """The denominator as a polynomial."""
        return Polynomial.constant(1, self.over.names) if self.under is None else self.under

    def __bool__(self) -> bool:
        """Whether it is anything but zero everywhere."""
        return bool(self.over.terms)

    @property
    def value(self) -> Exact:
        """The number at the place of its way."""
        point = [self._way.place[name] for name in self.over.names]
        return plain(Fraction(self.over(point)) / self.below(point))

    def __index__(self) -> int:
        """How often something is done, at the place; its parameters are plain numbers then."""
        names = self.over.names
        self._way.fixed |= {n: self._way.place[n] for n in names if self.over.degree(n) or self.below.degree(n)}
        return int(self.value)

    def __add__(self, other: Any) -> Symbolic:
        if other.__class__ is int and not other:
            return self
        theirs = self._with(other)
        if (self.under and self.under.terms) == (theirs.under and theirs.under.terms):
            return Symbolic(self._way, self.over.plus(theirs.over), self.under)
        mine, its = self.over.times(theirs.below), theirs.over.times(self.below)
        return Symbolic(self._way, mine.plus(its), self.below.times(theirs.below))

    __radd__ = __add__

    def __mul__(self, other: Any) -> Symbolic:
        if not isinstance(other, Symbolic):
            return Symbolic(self._way, self.over.scaled(other), self.under)
        under = self.under if other.under is None else other.under.times(self.below)
        return Symbolic(self._way, self.over.times(other.over), under)

    __rmul__ = __mul__

    def __neg__(self) -> Symbolic:
        return self * -1

    def __sub__(self, other: Any) -> Symbolic:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Symbolic:
        return self.__neg__().__add__(other)

    def __pow__(self, power: int) -> Symbolic:
        found: Symbolic = self
        for _ in range(power - 1):
            found = found * self
        return found

    def __truediv__(self, other: Any) -> Symbolic:
        return self.__mul__(other._upside_down() if isinstance(other, Symbolic) else 1 / Fraction(other))

    def __rtruediv__(self, other: Exact) -> Symbolic:
        return self._upside_down().__mul__(other)

    def __ge__(self, other: Any) -> bool:
        return self._way.at_least_zero(self - other)

    def __le__(self, other: Any) -> bool:
        return self._way.at_least_zero(other - self)

    def __gt__(self, other: Any) -> bool:
        return not self.__le__(other)

    def __lt__(self, other: Any) -> bool:
        return not self.__ge__(other)

    def _upside_down(self) -> Symbolic:
        return Symbolic(self._way, self.below, self.over)

    def _with(self, number: Any) -> Symbolic:
        if isinstance(number, Symbolic):
            return number
        return Symbolic(self._way, Polynomial.constant(number, self.over.names))


def polynomials_of(number: Any, names: tuple[str, ...]) -> tuple[Polynomial, Polynomial]:
    """Numerator and denominator of a ratio, or of a plain number."""
    if isinstance(number, Symbolic):
        return number.over, number.below
    return Polynomial.constant(number, names), Polynomial.constant(1, names)
