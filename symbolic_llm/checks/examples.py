"""Values for which some relations hold, found by search

Conditions that are to hold together are shown to by an example: whole numbers for letters that count, positive
fractions for the others, and for the letters that a used formula defines what it gives. However an example was found,
it is put in and evaluated before it is believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, floor
from typing import Any

from ..algebra import Eq, Gt, Lt, Mod, Ne
from ..claims import Kind
from ..expressions.arithmetic import Inexact
from ..expressions.exact import exact
from ..expressions.feasible import feasible
from ..expressions.parts import counts, letters_of
from ..formula import Formula
from ..numeral import valued

Values = dict[Any, Fraction]

_NO_VALUE = (ZeroDivisionError, Inexact, ValueError, KeyError)
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)


@dataclass(frozen=True)
class Scope:
    """Formulas that are taken for true beside some relations, as they define their letters, with their conditions.

    Attributes:
        used: the formulas, the most basic first.
    """

    used: tuple[Formula, ...] = ()

    @classmethod
    def of(cls, formula: Formula, relations: Iterable[Any], decoder: Iterable[Formula] = ()) -> Scope:
        """Scope with all formulas used, directly or not, that define a letter of the relations or of each other.

        Formulas of a decoder define the letters that these leave open. An approximation defines nothing.
        """
        defining = set(Kind) - {Kind.THEOREM, Kind.APPROXIMATION}
        known = [used for used in formula.closure() if used.kind in defining]
        defined = {formula.quantity, *(used.quantity for used in known)}
        known += {one.quantity: one for one in decoder if one.quantity not in defined}.values()
        letters, taken = set(letters_of(relations)), dict.fromkeys(known, False)
        # until nothing new is reached: a formula brings letters along, and these bring formulas
        while reached := [used for used in known if not taken[used] and used.quantity in letters]:
            for used in reached:
                taken[used] = True
                letters.update(used.rhs.free_symbols, *(c.relation.free_symbols for c in used.conditions))
        return cls(tuple(used for used in known if taken[used]))

    @cached_property
    def relations(self) -> tuple[Any, ...]:
        """Equations and conditions of the formulas."""
        equations = (Eq(used.quantity, used.rhs, evaluate=False) for used in self.used)
        conditions = (condition.relation for used in self.used for condition in used.conditions)
        return tuple(dict.fromkeys(valued(relation) for relation in (*equations, *conditions)))

    @cached_property
    def computed(self) -> dict[Any, Any]:
        """Letters with the expressions that give them, each after those it needs; equations in a circle give none."""
        waiting: dict[Any, Any] = {}
        for used in self.used:
            waiting.setdefault(used.quantity, valued(used.rhs))
        found: dict[Any, Any] = {}
        while waiting:
            ready = [letter for letter, rhs in waiting.items() if not rhs.free_symbols & waiting.keys()]
            found |= {letter: waiting.pop(letter) for letter in ready}
            if not ready:
                # a circle: one of its letters is left to the search, which has to meet its equation like any other
                waiting.pop(next(iter(waiting)))
        return found


def holds(relations: Iterable[Any], values: Mapping[Any, Fraction]) -> bool:
    """Whether all relations hold for values that the letters can have: evaluated exactly, nothing assumed."""
    if not all(value > 0 and (value.denominator == 1 or not counts(letter)) for letter, value in values.items()):
        return False
    try:
        return all(exact(valued(relation), values) for relation in relations)
    except _NO_VALUE:
        return False


def witness(relations: Sequence[Any], scope: Scope | None = None) -> Values | None:
    """Values for which the relations hold, and those of the scope; None if none were found, which proves nothing."""
    scope = scope or Scope()
    stated = tuple(valued(relation) for relation in relations)
    # the search moves values past bounds, and a ≠ b has none: so either side of it is tried
    for chosen in product(*map(_ways, stated)):
        if (found := _witness(chosen, scope)) is not None and holds((*stated, *scope.relations), found):
            return found
    return None


def _ways(relation: Any) -> tuple[Any, ...]:
    """Relations of which one has to hold: a < b and a > b for a ≠ b, else the relation itself."""
    if isinstance(relation, Ne):
        return Lt(*relation.args, evaluate=False), Gt(*relation.args, evaluate=False)
    return (relation,)


def _witness(relations: tuple[Any, ...], scope: Scope) -> Values | None:
    computed = scope.computed
    letters = letters_of((*relations, *scope.relations))
    free = [letter for letter in letters if letter not in computed]

    def read(values: Mapping[Any, Any]) -> Values:
        found = dict(values)
        for letter, rhs in computed.items():
            try:
                found[letter] = exact(rhs, found)
            except _NO_VALUE:
                continue
        return found

    wanted = (*relations, *(r for r in scope.relations if not (isinstance(r, Eq) and computed.get(r.lhs) == r.rhs)))
    # letters that are computed are not moved, so that they are positive and whole has to be asked for
    wanted += tuple(Gt(letter, 0, evaluate=False) for letter in computed)
    wanted += tuple(Eq(Mod(letter, 1), 0, evaluate=False) for letter in computed if counts(letter))
    for start in _starts(free):
        try:
            found = feasible(start, wanted, _places, read)
        except _NO_VALUE:
            continue
        if found is not None and (full := read(found)).keys() >= set(letters):
            return full
    return None


def _starts(letters: list[Any]) -> Iterator[Values]:
    """Starting points of the search: distinct primes in several orders, and ones."""
    for turn in (0, 1, 5):
        # primes, so that no two letters are alike, and no product of some is a product of others
        yield {letter: Fraction(_PRIMES[(place * (2 * turn + 1) + turn) % 25]) for place, letter in enumerate(letters)}
    yield dict.fromkeys(letters, Fraction(1))


def _places(letter: Any, bound: Fraction, side: str, _: Mapping[Any, Any]) -> list[Fraction]:
    """Values on one side of a bound, near it and farther off; whole and at least 1 for letters that count."""
    if side == "=":
        tried = [bound]
    elif side == "<":
        tried = [Fraction(ceil(bound) - 1), Fraction(floor(bound)), bound / 2, bound, Fraction(1)]
    else:
        tried = [Fraction(floor(bound) + 1), Fraction(ceil(bound)), 2 * bound, bound]
    return [value for value in tried if value > 0 and (value.denominator == 1 or not counts(letter))]
