"""Regions: where some polynomials of the parameters, the facts that hold there, are at least 0

Parameters are positive, and those that count are at least 1. So a polynomial without negative coefficients is nowhere
negative, and neither is one that has none after 1 + x is put in for each x that counts. That facts cannot hold together
is shown by multipliers: if these are positive everywhere, and the facts times their multipliers add up to something
that is nowhere positive, then there is no place where all facts hold, but where one of them is just 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import combinations, permutations
from math import comb, gcd, lcm
from operator import ge, sub
from typing import Any, TypeVar

from ..algebra import Ge, Gt, Le, Lt, Max, Min
from ..expressions.arithmetic import plain
from ..expressions.polynomial import Exact, Polynomial, Powers
from ..expressions.rational import quotient
from .subjects import counts

Facts = tuple[Polynomial, ...]
Multipliers = dict[int, Polynomial]  # by the place of a fact


@dataclass(frozen=True)
class Fact:
    """Something that is at least 0 in a branch, or more than that if it is `strict`."""

    gap: Polynomial
    strict: bool = False


def facts_of(relations: Sequence[Any], names: tuple[str, ...]) -> Iterator[Fact]:
    """The facts that some inequalities state; whatever else is stated, nothing is made of it.

    Who makes nothing of a condition decides more than is claimed.
    """
    for relation in relations:
        if not isinstance(relation, Ge | Gt | Le | Lt) or relation.has(Max, Min):
            continue
        gap = relation.gts - relation.lts
        if {symbol.name for symbol in gap.free_symbols} <= set(names) and (found := quotient(gap)) is not None:
            over, under = (Polynomial.over(part, names) for part in found)
            yield Fact(of_ratio(over, under), isinstance(relation, Gt | Lt))


def of_ratio(over: Polynomial, under: Polynomial) -> Polynomial:
    """A polynomial that has the sign of a ratio wherever that has a value."""
    below = sign(under)
    # a/b has the sign of a·b, and where that of b is known, of ±a, which is shorter
    return primitive(over.scaled(below) if below else over.times(under))


def primitive(polynomial: Polynomial) -> Polynomial:
    """The polynomial without factors that are positive everywhere: numbers and letters that all terms share."""
    if not polynomial.terms:
        return polynomial
    shared = tuple(map(min, *polynomial.terms)) if len(polynomial.terms) > 1 else next(iter(polynomial.terms))
    below = lcm(*(factor.denominator for factor in polynomial.terms.values()))
    whole = {powers: int(factor * below) for powers, factor in polynomial.terms.items()}
    content = gcd(*whole.values())
    return Polynomial(
        {tuple(map(sub, powers, shared)): factor // content for powers, factor in whole.items()}, polynomial.names
    )


def sign(polynomial: Polynomial) -> int | None:
    """1 if it is nowhere negative, −1 if nowhere positive, 0 if it is zero; None if its coefficients do not tell."""
    # a cheap look before all terms are written out: those coefficients are among theirs, so two signs there settle it
    if (found := _one_sign(polynomial.terms.values())) is not None or _at_ends(polynomial) is None:
        return found
    return _one_sign(_from_one_on(polynomial).values())


def _at_ends(polynomial: Polynomial) -> int | None:
    """The sign where each parameter that counts is 1, and where all of them are large: coefficients that stay."""
    counting = [place for place, name in enumerate(polynomial.names) if counts(name)]
    at_one, degrees = dict[Powers, Exact](), {powers: sum(powers[at] for at in counting) for powers in polynomial.terms}
    for powers, factor in polynomial.terms.items():
        rest = tuple(0 if place in counting else power for place, power in enumerate(powers))
        # with x = 0 in 1 + x only these sums are left, and of the highest degree nothing is added to a coefficient
        at_one[rest] = at_one.get(rest, 0) + factor
    highest = max(degrees.values())
    large = [factor for powers, factor in polynomial.terms.items() if degrees[powers] == highest]
    return _one_sign([*(factor for factor in at_one.values() if factor), *large])


def _one_sign(coefficients: Any) -> int | None:
    signs = {factor > 0 for factor in coefficients}
    return 0 if not signs else None if len(signs) > 1 else 1 if signs.pop() else -1


def _from_one_on(polynomial: Polynomial) -> dict[Powers, Exact]:
    """Its terms with 1 + x in the place of each parameter x that counts."""
    terms: dict[Powers, Exact] = dict(polynomial.terms)
    for place, name in enumerate(polynomial.names):
        if not counts(name) or not any(powers[place] for powers in terms):
            continue
        moved: dict[Powers, Exact] = {}
        for powers, factor in terms.items():
            for power in range(powers[place] + 1):
                at = (*powers[:place], power, *powers[place + 1 :])
                moved[at] = moved.get(at, 0) + factor * comb(powers[place], power)
        terms = {powers: factor for powers, factor in moved.items() if factor}
    return terms


def empty(facts: Facts) -> Iterator[Multipliers]:
    """Multipliers that show that facts cannot hold together, but where those that have one are just 0; none if open.

    Tried are one fact alone, two of them added, one that is another times something, one divided by the others, and
    some of them added so or so often.
    """
    telling = {place: fact for place, fact in enumerate(facts) if fact.terms}
    for place, fact in telling.items():
        if sign(fact) == -1:
            yield {place: Polynomial.constant(1, fact.names)}
    for one, other in combinations(telling, 2):
        # two that are at least 0 and add up to at most 0 are both 0
        if sign(facts[one].plus(facts[other])) in (0, -1):
            yield dict.fromkeys((one, other), Polynomial.constant(1, facts[one].names))
    for one, other in permutations(telling, 2):
        # one is the other times something negative: they have different signs, or are both 0
        if (by := exact_quotient(facts[one], facts[other])) is not None and _one_sign(by.terms.values()) == -1:
            yield {one: Polynomial.constant(1, facts[one].names), other: by.scaled(-1)}
    yield from (found for place in telling if (found := _divided(facts, place)) is not None)
    if (added := _added(telling)) is not None:
        yield added


def shows(facts: Mapping[int, Polynomial], multipliers: Multipliers) -> bool:
    """Whether facts add up to something that is nowhere positive, with multipliers that are positive everywhere."""
    # a multiplier has to be positive in earnest: with one that may be 0 its fact says nothing where it is
    total = [facts[place].times(by) for place, by in multipliers.items() if _one_sign(by.terms.values()) == 1]
    return len(total) == len(multipliers) > 0 and sign(reduce(Polynomial.plus, total)) in (0, -1)


def excluded(facts: Sequence[Fact], stated: Facts, apart: Polynomial) -> Multipliers | None:
    """Multipliers that show that a branch and a case meet nowhere, or just where `apart` is 0; None if none are found.

    Where a case ends another begins, which has the same value there and is compared with the branch too: so it does not
    matter there. It does where a branch has no other places than those where a case ends.

    Args:
        facts: what holds in the branch.
        stated: what holds in the case.
        apart: what is not 0 where the two would not be the same.
    """
    gaps, border = tuple(fact.gap for fact in facts), list[Polynomial]()
    if (thin := _thin(gaps)) is not None:
        # strict facts are never just 0, so then the branch is nowhere at all, and need not be compared
        if any(facts[place].strict for place in thin) or contradict(gaps, thin):
            return thin
        border = [gaps[place] for place in thin]
    both = (*gaps, *stated)
    for found in empty(both):
        ends = [both[place] for place in found if place >= len(gaps)]
        # where a case ends, the neighbouring one has the same value; but the end must not be the whole branch
        if ends and not any(is_multiple(end, one) for end in ends for one in border):
            return found
    return thin if thin is not None and any(is_multiple(apart, one) for one in border) else None


@lru_cache(maxsize=2**6)  # asked again for each case that a branch is compared with
def _thin(gaps: Facts) -> Multipliers | None:
    """Multipliers that show that a branch is no more than a border, or nothing at all; None if it is more."""
    return next(empty(gaps), None)


def contradict(facts: Facts, multipliers: Multipliers) -> bool:
    """Whether facts that cannot hold together do so nowhere: with their multipliers they add up to less than 0."""
    return is_negative(reduce(Polynomial.plus, (facts[place].times(by) for place, by in multipliers.items())))


def is_negative(polynomial: Polynomial) -> bool:
    """Whether a polynomial is less than 0 everywhere, as far as its coefficients tell."""
    if _one_sign(polynomial.terms.values()) == -1:
        return True
    if sign(polynomial) != -1:
        return False
    counting = [at for at, name in enumerate(polynomial.names) if counts(name)]
    return any(not any(powers[at] for at in counting) for powers in _from_one_on(polynomial))


def _divided(facts: Facts, place: int) -> Multipliers | None:
    """Take the positive terms of one fact away, each by a negative term of another that divides it."""
    rest, names = facts[place], facts[place].names
    found: Multipliers = {place: Polynomial.constant(1, names)}
    for _ in range(4 * len(rest.terms)):  # a division that is exact takes a step for each term of the quotient
        positive = [powers for powers, factor in rest.terms.items() if factor > 0]
        if not positive:
            return found
        # the highest positive term first, as in a division: what comes in with a multiplier is lower, and is looked at
        # later
        ways = ((at, by) for at, fact in enumerate(facts) if at != place for by in _taking(rest, max(positive), fact))
        tried = [(at, by, rest.plus(facts[at].times(by))) for at, by in ways]
        left = [sum(factor > 0 for factor in then.terms.values()) for _, _, then in tried]
        # a step that leaves more to take away than there was leads nowhere
        if not left or min(left) > len(positive):
            return None
        other, by, rest = tried[left.index(min(left))]
        found[other] = found[other].plus(by) if other in found else by
    return None


def _taking(rest: Polynomial, powers: Powers, fact: Polynomial) -> Iterator[Polynomial]:
    """The multipliers with which a fact takes a positive term away."""
    for theirs, factor in fact.terms.items():
        if factor < 0 and all(map(ge, powers, theirs)):
            by = plain(Fraction(rest.terms[powers]) / -factor)
            yield Polynomial({tuple(map(sub, powers, theirs)): by}, rest.names)


def _added(facts: dict[int, Polynomial]) -> Multipliers | None:
    """Numbers for multipliers: what is between two facts follows from both."""
    if len(facts) < 3:
        return None
    from ..algebra import linprog

    terms = dict.fromkeys(powers for fact in facts.values() for powers in fact.terms)
    # of each monomial the factors add up to at most 0: then so does the sum, for positive letters
    rows = dict.fromkeys(_row([fact.terms.get(powers, 0) for fact in facts.values()]) for powers in terms)
    ones = [1] * len(facts)  # together at most 1, and as much as can be
    _, found = linprog([-1] * len(facts), [*map(list, rows), ones], [*(0 for _ in rows), 1])
    numbers = {place: plain(Fraction(str(by))) for place, by in zip(facts, found, strict=True)}
    multipliers = {place: Polynomial.constant(by, facts[place].names) for place, by in numbers.items() if by}
    # whatever the program finds is looked at exactly: if it is wrong, it is no proof, and none is claimed
    return multipliers if shows(facts, multipliers) else None


def _row(factors: list[Exact]) -> tuple[Exact, ...]:
    """Numbers up to a positive factor."""
    largest = max(abs(Fraction(factor)) for factor in factors)
    return tuple(plain(Fraction(factor) / largest) for factor in factors)


def is_multiple(polynomial: Polynomial, of: Polynomial) -> bool:
    """Whether a polynomial is another one times some polynomial, so that it is 0 wherever that is."""
    return exact_quotient(polynomial, of) is not None


def exact_quotient(polynomial: Polynomial, of: Polynomial) -> Polynomial | None:
    """The polynomial that gives this one, times the other; None if there is none."""
    # compared from the left, an order that products keep: highest terms divide, or nothing does
    lead, rest, found = max(of.terms), polynomial, dict[Powers, Exact]()
    while rest.terms:
        powers = max(rest.terms)
        if not all(map(ge, powers, lead)):
            return None
        at, by = tuple(map(sub, powers, lead)), plain(Fraction(rest.terms[powers]) / of.terms[lead])
        found[at] = by
        rest = rest.plus(of.times(Polynomial({at: by}, of.names)), -1)
    return Polynomial(found, of.names)


# Branches of an answer
#
# It is calculated with ratios of polynomials. Where two of them are compared, their signs may tell how that comes out,
# or what is known of the branch does. Else there are two branches from there on, one where the gap is at least 0, and
# one where it is at most that. So all branches of an answer together leave no place out, and in each it is one ratio of
# polynomials.


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
        # gap ≥ fact ≥ 0
        if sign(gap) in (0, 1) or any(sign(gap.plus(fact.gap, -1)) in (0, 1) for fact in self.facts):
            return True
        for fact in self.facts:
            # gap < −fact ≤ 0; and with a strict fact gap ≤ −fact < 0
            below = gap.plus(fact.gap)
            if is_negative(below) or (fact.strict and sign(below) in (0, -1)):
                return False
        return False if is_negative(gap) else None

    def _chosen(self, gap: Polynomial) -> bool:
        number = len(self.taken)
        outcome = self._before[number] if number < len(self._before) else True
        self.taken.append((gap, outcome))
        # not at least 0 is less than 0, so the other outcome is strict
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
        # each comparison that was not prescribed is once taken the other way: so every branch comes once, and none is
        # left out
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
        """Its number at the place, where something is done so often; its parameters are plain numbers from then on."""
        names = self.over.names
        self._way.fixed |= {n: self._way.place[n] for n in names if self.over.degree(n) or self.below.degree(n)}
        return int(self.value)

    def __add__(self, other: Any) -> Symbolic:
        if other.__class__ is int and not other:
            return self
        theirs = self._with(other)
        if self._is_over_the_same(theirs):
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
        if isinstance(other, Symbolic) and self._is_over_the_same(other):
            return Symbolic(self._way, self.over, other.over)
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

    def _is_over_the_same(self, other: Symbolic) -> bool:
        return (self.under and self.under.terms) == (other.under and other.under.terms)

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
