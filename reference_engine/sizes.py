"""Sizes that remember: whole numbers that carry along which polynomial of the parameters they are

The engine runs on them as it is, and really computes. Sums, products and quotients without rest of a `Size` carry its
polynomial along, and an array carries the sizes of its axes (`arrays`). So the ledger of one run comes out in
polynomials: an op's cost is a product of the sizes that it ran on.

Nothing is guessed. Whatever else is done to a size gives a plain number, which is right at this place only, and a
second run at another place, with other numbers throughout, has to come to the same polynomials. Which of
two sizes is the larger is answered where it is the same for all parameters from 1 on that the facts of a `regime`
admit; where it is not, `Undecided` is raised. Two sizes are equal only where their polynomials are. That they differ
is said of this place: where they are equal elsewhere, as n and 1 are, a plain run at the smallest numbers has to tell.

A loop over a size (`Ledger.loop`) enters a sum: its turns are alike but for their number, which is a size too. A rule
that says each number from those before it is shown by induction to lead to a straight line (`led_to`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from math import comb
from types import MappingProxyType
from typing import Any

import numpy as np

Exact = int | Fraction
Terms = dict[tuple[str, ...], Exact]  # factors, by the names that are multiplied, in order
PLACES = "places "  # begins the name of how often a number stands in an array
SHARE = "share of "  # begins the name of how many of some things one of those gets that share them
_ANY = "any "  # begins the name of any number from 1 on that a rule is asked about
_TURN = "turn "  # begins the name of the number of a loop's turn, which counts from 0 as parameters count from 1


class Undecided(ArithmeticError):
    """Two sizes were compared, and the answer depends on the parameters."""


_facts: ContextVar[tuple[Terms, ...]] = ContextVar("facts", default=())
_smallest: ContextVar[Mapping[str, int]] = ContextVar("smallest", default=MappingProxyType({}))


@contextmanager
def regime(*facts: Exact, smallest: Mapping[str, int] | None = None) -> Iterator[None]:
    """Context in which these sizes are at least 0, and parameters at least `smallest`; others are at least 1."""
    known = _facts.set((*_facts.get(), *(terms(fact) for fact in facts)))
    before = _smallest.set({**_smallest.get(), **(smallest or {})})
    try:
        yield
    finally:
        _facts.reset(known)
        _smallest.reset(before)


class Size(int):
    """A whole number, and the polynomial of the parameters whose value it is here.

    Attributes:
        terms: the polynomial, by its monomials.
    """

    terms: Terms

    @classmethod
    def of(cls, name: str, value: int) -> Size:
        """The value of a parameter."""
        made = int.__new__(cls, value)
        made.terms = {(name,): 1}
        return made

    def __hash__(self) -> int:
        """Hash of the value and its polynomial, so that a cache entry of the plain number is not found for a size."""
        return hash((int(self), frozenset(self.terms.items())))

    def __add__(self, other: Any) -> Any:
        return size(int(self) + int(other), added(self.terms, terms(other))) if is_whole(other) else NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Any:
        return size(-int(self), scaled(self.terms, -1))

    def __sub__(self, other: Any) -> Any:
        return self.__add__(-other) if is_whole(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return self.__neg__().__add__(other) if is_whole(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Fraction) and (int(self) * other).denominator == 1:
            # whole here, and maybe not elsewhere: the polynomial is right there too
            return size(int(int(self) * other), scaled(self.terms, other))
        if is_whole(other):
            return size(int(self) * int(other), multiplied(self.terms, terms(other)))
        return int(self) * other

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return _divided(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _divided(other, self)

    def __mod__(self, other: Any) -> Any:
        """The remainder: a size where it is one for all parameters, else a plain number."""
        found, value = _shared_out(self.terms, terms(other)), int(self) % int(other)
        return value if found is None else size(value, found[1])

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __truediv__(self, other: Any) -> Any:
        return int(self) / other

    def __rtruediv__(self, other: Any) -> Any:
        return other / int(self)

    def __pow__(self, power: Any, modulo: None = None) -> Any:  # type: ignore[override]
        if not is_whole(power) or power < 0:
            return int(self) ** power
        made: Any = 1
        for _ in range(power):
            made = self * made
        return made

    def __bool__(self) -> bool:
        return self != 0

    def __eq__(self, other: object) -> bool:
        if not is_whole(other):
            return NotImplemented
        if self.terms == terms(other):
            return True
        # neither answer would do: the polynomials differ, so elsewhere the sizes do
        if int(self) == int(other):  # type: ignore[call-overload]
            raise Undecided(f"{self!r} is {other!r} here, and elsewhere it may not be")
        # elsewhere they may be equal: n is 1 at one place only, and a run there, on plain numbers, has to tell
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        return not self >= other

    def __le__(self, other: Any) -> bool:
        return is_at_least(other, self)

    def __gt__(self, other: Any) -> bool:
        return not is_at_least(other, self)

    def __ge__(self, other: Any) -> bool:
        return is_at_least(self, other)

    def __repr__(self) -> str:
        return f"{int(self)} ({shown(self.terms)})"


def is_whole(number: object) -> bool:
    """Whether it is a whole number, a size or plain."""
    return isinstance(number, int | np.integer)


def size(value: int, its: Terms) -> Any:
    """A size; a plain number where no parameter is in it."""
    if not its or its.keys() == {()}:
        return value
    made = int.__new__(Size, value)
    made.terms = its
    return made


def terms(number: Any) -> Terms:
    """The polynomial of a size, or the constant one of a plain number."""
    if isinstance(number, Size):
        return number.terms
    return {(): _plain(number)} if number else {}


def _plain(number: Any) -> Exact:
    if isinstance(number, int | np.integer):
        return int(number)
    whole = Fraction(number)
    return whole.numerator if whole.denominator == 1 else whole


def shown(its: Terms) -> str:
    """The polynomial as text, in the names of its parameters."""
    parts = (" · ".join([str(factor), *names] if factor != 1 or not names else names) for names, factor in its.items())
    return " + ".join(parts) or "0"


def added(one: Terms, other: Terms) -> Terms:
    """The sum of two polynomials."""
    found = dict(one)
    for names, factor in other.items():
        if total := found.get(names, 0) + factor:
            found[names] = total
        else:
            del found[names]
    return found


def scaled(one: Terms, by: Exact) -> Terms:
    """The product of a polynomial and a number."""
    return {names: _plain(factor * by) for names, factor in one.items()} if by else {}


def multiplied(one: Terms, other: Terms) -> Terms:
    """The product of two polynomials."""
    found: Terms = {}
    for mine, by in one.items():
        for theirs, factor in other.items():
            names = tuple(sorted(mine + theirs)) if mine and theirs else mine or theirs
            found[names] = found.get(names, 0) + by * factor
    return {names: factor for names, factor in found.items() if factor}


def put_in(one: Terms, name: str, by: Terms) -> Terms:
    """The polynomial with another one in the place of a parameter."""
    found: Terms = {}
    for names, factor in one.items():
        product: Terms = {tuple(other for other in names if other != name): factor}
        for _ in range(names.count(name)):
            product = multiplied(product, by)
        found = added(found, product)
    return found


def quotient(one: Terms, other: Terms) -> Terms | None:
    """The quotient of two polynomials, where that is one with whole factors; None where it is not."""
    if not other:
        return None
    found, rest = _long_division(one, other)
    return None if rest else found


def divides(one: Any, other: Any) -> bool:
    """Whether a size divides another for all parameters."""
    return quotient(terms(other), terms(one)) is not None


def _long_division(one: Terms, other: Terms) -> tuple[Terms, Terms]:
    """A quotient of two polynomials with whole factors, and what is left over."""
    left, found, over = dict(one), Terms(), Terms()
    first = _highest(other)
    while left:
        highest = _highest(left)
        rest, factor = _without(highest, first), left[highest]
        # n/2 is whole at some places only, so a quotient has no fractions
        share = 0 if rest is None else factor // other[first]
        part: Terms = {rest: share} if rest is not None and share else {}
        found = added(found, part)
        left = added(left, scaled(multiplied(part, other), -1))
        if highest in left:
            over[highest] = left.pop(highest)
    return found, over


def _shared_out(one: Terms, other: Terms) -> tuple[Terms, Terms] | None:
    """Quotient rounded down and remainder, where these are the same polynomials for all that the regime admits."""
    if not other:
        return None
    found, over = _long_division(one, other)
    # what is left over may be negative, and then one less goes in
    for less in (0, 1):
        rest = added(over, scaled(other, less))
        if not rest or (_never_less(rest) and _never_less(_beyond(other, rest))):
            return added(found, terms(-less)), rest
    return None


def _beyond(one: Terms, other: Terms) -> Terms:
    """By how much one polynomial is more than one above another: at least 0 where it is larger, both being whole."""
    return added(one, scaled(added(other, {(): 1}), -1))


def _highest(one: Terms) -> tuple[str, ...]:
    """The first monomial by degree, then by name: an order that products keep."""
    return max(one, key=lambda names: (len(names), names))


def _without(names: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...] | None:
    left = list(names)
    for name in others:
        if name not in left:
            return None
        left.remove(name)
    return tuple(left)


def _divided(one: Any, other: Any) -> Any:
    found = _shared_out(terms(one), terms(other))
    value = int(one) // int(other)
    return value if found is None else size(value, found[0])


def is_at_least(one: Any, other: Any) -> bool:
    """Whether one size is at least another for all parameters that the regime admits; `Undecided` if for some."""
    gap = added(terms(one), scaled(terms(other), -1))
    if not gap or _never_less(gap):
        return True
    if _never_less(_beyond({}, gap)):
        return False
    raise Undecided(f"whether {one!r} is at least {other!r} depends on the parameters")


def _never_less(gap: Terms) -> bool:
    """Whether a polynomial is at least 0 by the signs of its coefficients, alone or with facts of the regime."""
    if all(factor >= 0 for factor in gap.values()):
        return True
    facts = tuple(tuple(fact.items()) for fact in _facts.get())
    return _follows(tuple(gap.items()), facts, tuple(_smallest.get().items()))


_Items = tuple[tuple[tuple[str, ...], Exact], ...]


@lru_cache(maxsize=2**14)  # the same is asked again and again, for each block, device and turn of a loop
def _follows(gap: _Items, facts: tuple[_Items, ...], smallest: tuple[tuple[str, int], ...]) -> bool:
    """Whether a polynomial is at least 0 by these facts, where parameters are at least so much."""
    # what is a multiple of a fact is one as it stands, of less terms than in new parameters
    asked, *known = map(dict, (gap, *facts))
    its, *moved = (_moved(one, dict(smallest)) for one in (asked, *known))
    # four facts at most: the search branches at each
    return _is_sum(asked, known, 4) or _is_sum(its, moved, 4)


def _is_sum(gap: Terms, facts: Sequence[Terms], most: int) -> bool:
    """Whether a polynomial has no negative coefficients once multiples of facts, `most` at most, are subtracted."""
    negative = next((names for names, factor in gap.items() if factor < 0), None)
    if negative is None:
        return True
    if not most:
        return False
    for fact in facts:
        for names, factor in fact.items():
            rest = _without(negative, names) if factor < 0 else None
            if rest is not None:
                # both are negative, so this multiple of the fact is at least 0: what is left may be less than the gap,
                # never more
                part: Terms = {rest: _plain(Fraction(gap[negative]) / factor)}
                if _is_sum(added(gap, scaled(multiplied(fact, part), -1)), facts, most - 1):
                    return True
    return False


def _moved(one: Terms, smallest: Mapping[str, int]) -> Terms:
    """The polynomial in new parameters from 0 on: what each has beyond the smallest value that it can have."""
    found: Terms = {}
    for names, factor in one.items():
        product: Terms = {(): factor}
        for name in names:
            # x = smallest + what is beyond it, which is at least 0: then coefficients that are not negative decide
            product = multiplied(product, added({(name,): 1}, terms(smallest.get(name, not name.startswith(_TURN)))))
        found = added(found, product)
    return found


def together(each: Sequence[Any], number: Any) -> Any:
    """The sum of sizes; where their `number` is a `Size` and all are alike, the product of it and the first."""
    # n · rows and not rows + rows: the sum of two would be right for two devices only
    if isinstance(number, Size) and all(terms(one) == terms(each[0]) for one in each):
        return number * each[0]
    return sum(each[1:], each[0])


def shares(total: Any, number: Any, here: Sequence[int], *, evenly: bool = True) -> list[Any]:
    """Sizes of the shares of so many that share a total, with these values here.

    They are alike where it is dealt out evenly and divides for all parameters. Elsewhere each is a letter of its own,
    as they may be dealt out in any way, and the last gets what is left. That each gets one at least is a fact of the
    regime that is open.
    """
    if not isinstance(total, Size):
        return list(here)
    if evenly and (alike := quotient(total.terms, terms(number))) is not None:
        return [size(many, alike) for many in here]
    own = [Size.of(f"{SHARE}{shown(total.terms)}, {place}", many) for place, many in enumerate(here[:-1])]
    last = sum((-one for one in own), total)
    if (fact := terms(last - 1)) not in _facts.get():
        _facts.set((*_facts.get(), fact))
    return [*own, last]


def dealt_out(each: Sequence[Terms], number: Any) -> Terms | None:
    """The sum of what so many do with shares of their own, each the same with its share; None if not, or too few."""
    alike = [
        {tuple(name.removesuffix(f", {place}") for name in names): by for names, by in one.items()}
        for place, one in enumerate(each[:-1])
    ]
    if len(alike) < 2 or any(one != alike[0] for one in alike):
        return None
    share = next((name for names in alike[0] for name in names if name.startswith(SHARE)), "")
    left = (added(fact, {(): 1}) for fact in _facts.get() if (f"{share}, 0",) in fact)  # what the last one gets
    if (last := next(left, None)) is None or put_in(alike[0], share, last) != each[-1]:
        return None
    # what no share is in comes once for each of them; the shares together are the total
    beside = {names: by for names, by in alike[0].items() if not _has_share(names)}
    found = added(reduce(added, each), multiplied(beside, terms(number - len(each))))
    return None if any(map(_has_share, found)) else found


def _has_share(names: tuple[str, ...]) -> bool:
    return any(name.startswith(SHARE) for name in names)


def least(one: Any, other: Any) -> Any:
    """The smaller of two sizes; either where they are equal."""
    return one if most(one, other) is other else other


def most(one: Any, other: Any) -> Any:
    """The larger of two sizes."""
    try:
        return one if is_at_least(one, other) else other
    except Undecided:
        # where they may be equal, one ≥ other may have no answer, and other ≥ one still has
        return other if is_at_least(other, one) else one


def led_to(step: Callable[..., Any], *last: Any) -> Any:
    """Value of a rule at these numbers, where it says each value from those before it: `step(known, *numbers)`.

    With sizes it is shown by induction: a value is taken to grow by as much with every one more of a number, and the
    rule has to say just that of any numbers, of which some may be 0. `Undecided` if it does not.
    """
    if not any(isinstance(one, Size) for one in last):
        found = dict[tuple[int, ...], Any]()
        for numbers in product(*(range(one + 1) for one in last)):
            found[numbers] = step(lambda *at: found[at], *numbers)
        return found[last]
    first = [0] * len(last)
    start = led_to(step, *first)
    rises = [led_to(step, *first[:place], 1, *first[place + 1 :]) - start for place in range(len(last))]

    def straight(*numbers: Any) -> Any:
        return sum((number * rise for number, rise in zip(numbers, rises, strict=True)), start)

    # at several places: what a plain number got into is not the same at all of them
    each = [(0, *(Size.of(f"{_ANY}{at}", here) for here in (1, 2, max(3, int(one))))) for at, one in enumerate(last)]
    for numbers in product(*each):
        if (said := step(straight, *numbers)) != straight(*numbers):
            raise Undecided(f"by its rule a value is {said!r}, and not {straight(*numbers)!r}")
    return straight(*last)


# Loops


def at_turn(each: Terms, depth: int, number: int) -> Terms:
    """The polynomial of one turn of a loop: that of any turn, with the turn's number put in."""
    return put_in(each, f"{_TURN}{depth}", terms(number))


def turn(number: int, depth: int) -> Size:
    """The number of a loop's turn as a `Size`; `depth` tells nested loops apart."""
    return Size.of(f"{_TURN}{depth}", number)


def summed(each: Terms, depth: int, first: int, turns: Any) -> Terms:
    """The sum over the turns `first`, …, `turns` − 1 of a loop, from the polynomial of a turn by its number."""
    name, by_power = f"{_TURN}{depth}", dict[int, Terms]()
    for names, factor in each.items():
        # each power of the turn's number has a sum of its own; the other factors are the same in all turns
        power = names.count(name)
        rest = tuple(one for one in names if one != name)
        by_power[power] = added(by_power.get(power, {}), {rest: factor})
    total: Terms = {}
    for power, its in by_power.items():
        # the sum from 0 on, less what comes before the first turn
        many = added(_power_sum(terms(turns), power), scaled(_power_sum(terms(first), power), -1))
        total = added(total, multiplied(its, many))
    return total


def _power_sum(number: Terms, power: int) -> Terms:
    """The sum of this power of 0, 1, 2 and so on, up to before a number, as a polynomial of it (Faulhaber)."""
    total: Terms = {}
    for at, factor in enumerate(_faulhaber(power)):
        one: Terms = {(): factor} if factor else {}
        for _ in range(at):
            one = multiplied(one, number)
        total = added(total, one)
    return total


@lru_cache
def _faulhaber(power: int) -> tuple[Exact, ...]:
    """The factors of the polynomial in n that is 0^power + … + (n − 1)^power, by powers of n."""
    # Bernoulli's numbers with B₁ = −1/2, for which the sum ends before n and not at it
    bernoulli: list[Fraction] = []
    for m in range(power + 1):
        bernoulli.append(
            Fraction(m == 0) - sum((comb(m, k) * bernoulli[k] / (m - k + 1) for k in range(m)), Fraction())
        )
    found = [Fraction(0)] * (power + 2)
    for k in range(power + 1):
        found[power + 1 - k] = comb(power + 1, k) * bernoulli[k] / (power + 1)
    return tuple(map(_plain, found))
