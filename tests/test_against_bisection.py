"""Every formula solved for every letter, against a search that knows no algebra

Values are drawn, the quantity is what the claim comes to with them or a multiple of that, and one letter is forgotten.
A scan and bisection find where the claim comes to that quantity; what `solve` says has to be the same: this one number,
none, or several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import mpmath
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from strategies import satisfying
from sympy import Gt, Le, Pow, floor, lambdify

from symbolic_llm import catalogue, errors, solve
from symbolic_llm.expressions.exact import exact
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS
from symbolic_llm.numeral import valued

EQUATIONS = [formula for formula in catalogue() if formula.quantity is not None]
DIGITS, NEAR = 40, 1e-20
SCAN = [
    mpmath.mpf(10) ** (mpmath.mpf(step) / 5 + mpmath.mpf(1) / 77) for step in range(-60, 61)
]  # around what was drawn
MULTIPLES = (Fraction(1), Fraction(1), Fraction(3, 5), Fraction(7, 90), Fraction(50))
KINDS = {errors.NoSolution: "none", errors.SeveralSolutions: "several"}


@dataclass(frozen=True, eq=False)
class Claim:
    """A right-hand side all of whose letters are given or asked for, and the relations under which it is right."""

    formula: Formula
    right: Any
    relations: tuple[Any, ...]

    @cached_property
    def letters(self) -> set[Any]:
        """Those of the relations too, so that conditions can be told."""
        found: set[Any] = self.right.free_symbols.union(*(relation.free_symbols for relation in self.relations))
        return found - {self.formula.quantity}

    @cached_property
    def computed(self) -> Any:
        """The right-hand side as a function of floating numbers."""
        return lambdify(sorted(self.right.free_symbols, key=str), valued(self.right), modules="mpmath")

    def holds(self, values: Mapping[Any, Fraction]) -> bool:
        """Whether all of its relations do."""
        return all(exact(relation, values) for relation in self.relations)

    def satisfied(self, values: Mapping[Any, Fraction], quantity: Fraction) -> bool:
        """Whether it comes to the quantity, where it holds."""
        came = self.computed(**{s.name: to_digits(values[s]) for s in self.right.free_symbols})
        return self.holds(values) and bool(abs(came / to_digits(quantity) - 1) < NEAR)


@cache
def as_it_stands(formula: Formula) -> Claim:
    """The claim in its own letters."""
    return Claim(formula, formula.rhs, tuple(c.relation for c in formula.conditions) + bounds(formula.rhs))


@cache
def unfolded(formula: Formula) -> Claim:
    """The claim with what it uses put in: it is right where that holds too, and what that computes is positive."""
    right, relations = formula.rhs, as_it_stands(formula).relations
    for used in reversed(formula.closure()):
        if used.quantity in right.free_symbols:
            put_in = {used.quantity: used.rhs}
            more = (*(c.relation for c in used.conditions), Gt(used.rhs, 0, evaluate=False), *bounds(used.rhs))
            right = right.xreplace(put_in)
            relations = tuple(_put(relation, put_in) for relation in (*relations, *more))
    return Claim(formula, right, relations)


def bounds(expression: Any) -> tuple[Any, ...]:
    """That letters are not less than what they cannot be less than."""
    return tuple(
        Le(LETTERS[s].at_least, s, evaluate=False)
        for s in expression.free_symbols
        if s in LETTERS and LETTERS[s].at_least
    )


def _put(relation: Any, values: Mapping[Any, Any]) -> Any:
    return relation.func(*(side.xreplace(values) for side in relation.args), evaluate=False)


def roots(claim: Claim, unknown: Any, values: Mapping[Any, Fraction], quantity: Fraction) -> list[Any] | None:
    """Where the claim comes to the quantity; None where it does so on a whole stretch."""
    numbers, wanted = {s: to_digits(v) for s, v in values.items()}, to_digits(quantity)

    def gap(x: Any) -> Any:
        try:
            found = (
                claim.computed(**{s.name: x if s == unknown else numbers[s] for s in claim.right.free_symbols}) - wanted
            )
        except ZeroDivisionError:
            return mpmath.nan
        return 0 if abs(found) < wanted * mpmath.mpf(10) ** (5 - DIGITS) else found

    points = [(x, gap(x)) for x in (step * numbers[unknown] for step in SCAN)]
    if any(not here and not there for (_, here), (_, there) in pairwise(points)):
        return None
    return list(_crossings(points, gap, wanted))


def _crossings(points: list[tuple[Any, Any]], gap: Any, wanted: Any) -> Iterator[Any]:
    for (low, below), (high, above) in pairwise(points):
        if not below:
            yield low
        if not below * above < 0:  # also where one of them is not a number
            continue
        for _ in range(4 * DIGITS):
            middle = (low + high) / 2
            low, high = (middle, high) if gap(middle) * below > 0 else (low, middle)
        if abs(gap(high)) <= NEAR * wanted:  # else it leaps there: a pole
            yield high


def to_digits(value: Fraction) -> Any:
    """As a floating number of many digits."""
    return mpmath.mpf(value.numerator) / value.denominator


def from_digits(root: Any) -> Fraction:
    """The simple fraction that a root comes to, so that an equation can be told to hold; else its digits."""
    digits = Fraction(mpmath.nstr(root, 30))
    simple = digits.limit_denominator(10**8)
    return simple if abs(simple - digits) <= digits / 10**24 else digits


def searched(claim: Claim, unknown: Any, values: Mapping[Any, Fraction], quantity: Fraction) -> tuple[str, Any]:
    """What the search says: "value" with the number, "none" or "several"."""
    found = roots(claim, unknown, values, quantity)
    if found is None:
        return "several", None
    right = [root for root in map(from_digits, found) if claim.holds({**values, unknown: root})]
    return ("none", None) if not right else ("value", right[0]) if len(right) == 1 else ("several", right)


def solved(claim: Claim, unknown: Any, values: Mapping[Any, Fraction], quantity: Fraction) -> tuple[str, Any]:
    """What `solve` says, in the same words."""
    letters = {s.name: v for s, v in values.items() if s != unknown} | {claim.formula.quantity.name: quantity}
    try:
        return "value", solve(claim.formula, unknown.name, **letters).exact
    except (errors.NoSolution, errors.SeveralSolutions) as error:
        return KINDS[type(error)], str(error)


def disagreement(claim: Claim, unknown: Any, values: Mapping[Any, Fraction], quantity: Fraction) -> str:
    """How the two differ; "" where they do not."""
    kind, found = solved(claim, unknown, values, quantity)
    if claim.right.has(floor):  # every number of an interval is a solution, and a search for one number finds none
        satisfied = kind != "value" or exact(claim.right, {**values, unknown: found}) == quantity
        return "" if satisfied else f"{found} does not satisfy it"
    expected, root = searched(claim, unknown, values, quantity)
    if kind != expected:
        missed = kind == "value" and expected == "none" and claim.satisfied({**values, unknown: found}, quantity)
        return "" if missed else f"{kind} ({found}), not {expected} ({root})"  # a pole may hide a root from the scan
    near = kind != "value" or abs(found - root) <= root / 10**15
    return "" if near else f"{float(found)}, not {float(root)}"


def questions(formula: Formula) -> list[tuple[Claim, list[Any]]]:
    """The claim with its letters, and what it unfolds to with those that only stand there."""
    plain, deep = as_it_stands(formula), unfolded(formula)
    further = deep.right.free_symbols - plain.right.free_symbols
    found = [(plain, plain.right.free_symbols), (deep, further)]
    return [(claim, [s for s in LETTERS if s in letters]) for claim, letters in found if letters]


@st.composite
def drawn(draw: st.DrawFn, claim: Claim) -> dict[Any, Fraction]:
    """Values where the claim holds; exponents are so small that the power can be told from zero."""
    values = draw(satisfying((*claim.relations, Gt(claim.right, 0, evaluate=False)), claim.letters))
    exponents = {s for power in claim.right.atoms(Pow) for s in power.exp.free_symbols}
    return {s: 1 + value % 5 if s in exponents else value for s, value in values.items()}


@pytest.mark.parametrize("formula", EQUATIONS, ids=lambda formula: formula.name)
@settings(max_examples=2, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_solve_says_what_a_search_finds(formula: Formula, data: st.DataObject) -> None:
    """For every letter of the claim, and for every one that stands in what it uses."""
    wrong = []
    with mpmath.workdps(DIGITS):
        for claim, asked in questions(formula):
            values = data.draw(drawn(claim))
            for unknown in asked:
                quantity = exact(claim.right, values) * data.draw(st.sampled_from(MULTIPLES))
                if LETTERS[formula.quantity].whole:
                    quantity = Fraction(max(1, round(quantity)))
                if said := disagreement(claim, unknown, values, quantity):
                    wrong.append((unknown, said, {s.name: str(v) for s, v in values.items()}, str(quantity)))
    assert not wrong
