"""A solution: one letter of a claim in terms of the others, with numbers where there are any"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any

from sympy import And, Piecewise, S, fraction

from ..claims import Condition, Kind
from ..errors import (
    NoClosedForm,
    NoSolution,
    NotSolvable,
    Overdetermined,
    SeveralSolutions,
    SymbolicLLMError,
    Underdetermined,
)
from ..expressions.exact import exact, number
from ..expressions.printing import drawn, tex, text
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from ..presets import NONE, Presets
from ..units import Unit, humanize
from .explanation import describe, unit_in
from .inputs import Given, find_letter, gather, picked
from .numeric import zeros
from .rearranging import Branch, branches, written_out

Letters = Mapping[str, object]


@dataclass(frozen=True, repr=False)
class Solution:
    """What a claim says of one letter.

    A letter that counts, such as `B` or `n_blocks`, keeps the value the claim gives it even where that is not whole:
    a time budget buys 34.1 sequences. `note` then says so.

    Attributes:
        formula: the formula that was solved.
        unknown: the letter it was solved for.
        branches: the candidates, each with its conditions; nearly always one.
        given: the values that letters have.
        equation: where there is no closed form, what has to be zero; its solution is found by search.
    """

    formula: Formula
    unknown: Any
    branches: tuple[Branch, ...]
    given: Given = field(hash=False)
    equation: Any = None

    @property
    def expr(self) -> Any:
        """The closed form in letters, a SymPy expression; a Piecewise where there are several branches."""
        if self.equation is not None:
            raise NoClosedForm(f"{self.unknown.name} stands in a power, for which there is no closed form here.")
        if len(self.branches) == 1:
            return self.branches[0].expr
        pieces = [(b.expr, And(*(valued(c.relation) for c in b.conditions))) for b in self.branches]
        return Piecewise(*pieces, (S.NaN, True))

    @property
    def conditions(self) -> tuple[Any, ...]:
        """The relations under which the solution exists; those of all branches, where there are several."""
        return tuple(dict.fromkeys(valued(c.relation) for b in self.branches for c in b.conditions))

    @property
    def unit(self) -> Unit:
        """The unit of the unknown."""
        return unit_in(self.formula, self.unknown)

    @property
    def value(self) -> int | float:
        """The number, in `unit`.

        Raises `Underdetermined` if a letter has no value, `NoSolution` or `SeveralSolutions` if the numbers admit
        none or more than one.
        """
        return number(self.exact)

    @property
    def exact(self) -> Fraction:
        """The number as a fraction, nothing rounded (but square roots, to thirty digits)."""
        if self.equation is not None:
            return self._by_search()
        needed = set().union(*(b.expr.free_symbols for b in self.branches))
        self.given.require(symbol for symbol in LETTERS if symbol in needed)
        values = self.given.numbers()
        reasons: dict[str, None] = {}
        found: dict[Fraction, Branch] = {}
        for branch in self.branches:
            if reason := self._obstacle(branch, values):
                reasons[reason] = None
            else:
                found[exact(branch.expr, values)] = branch
        name = self.unknown.name
        if not found:
            raise NoSolution(f"{self.formula.name} has no solution for {name} here: {'; '.join(reasons)}.")
        if len(found) > 1:
            listed = " and ".join(humanize(value, self.unit) for value in sorted(found))
            raise SeveralSolutions(f"{self.formula.name} has {len(found)} solutions for {name}: {listed}.")
        value, branch = found.popitem()
        if branch.open_end is not None:
            return self._in_interval(value, exact(branch.open_end, values))
        end = humanize(value, self.unit, 6)
        for beyond, solutions in ((value * 2, f"from {end} on"), (value / 2, f"up to {end}")):
            point = values | {self.unknown: beyond}
            if any(all(_holds(relation, point) for relation in plateau) for plateau in branch.plateaus):
                raise SeveralSolutions(
                    f"{self.formula.name} is at its crossover here, so every {name} {solutions} is a solution."
                )
        return value

    def _by_search(self) -> Fraction:
        """Where the equation is satisfied, found by its change of sign."""
        name = self.unknown.name
        self.given.require(s for s in LETTERS if s in self.equation.free_symbols and s != self.unknown)
        values = self.given.numbers()
        found = zeros(self.equation, self.unknown, values)
        holding = [x for x in found if not _first_broken(self.formula.conditions, {**values, self.unknown: x})]
        if not holding:
            broken = [_first_broken(self.formula.conditions, {**values, self.unknown: x}) for x in found]
            reason = "; ".join(_needed(one) for one in broken if one) or "no value satisfies it"
            raise NoSolution(f"{self.formula.name} has no solution for {name} here: {reason}.")
        if len(holding) > 1:
            listed = " and ".join(humanize(value, self.unit) for value in holding)
            raise SeveralSolutions(f"{self.formula.name} has {len(holding)} solutions for {name}: {listed}.")
        return holding[0]

    def _in_interval(self, closed: Fraction, opened: Fraction) -> Fraction:
        """The only whole number between the two ends, the second excluded."""
        name, rising = self.unknown.name, closed < opened
        low, high = (humanize(max(end, Fraction(0)), self.unit, 6) for end in sorted((closed, opened)))
        interval = f"between {low} and {high}, the {'upper' if rising else 'lower'} end excluded"
        if not LETTERS[self.unknown].whole:
            raise SeveralSolutions(f"{self.formula.name} rounds down, so every {name} {interval}, is a solution.")
        first, last = (ceil(closed), ceil(opened) - 1) if rising else (max(floor(opened) + 1, 1), floor(closed))
        if first > last:
            raise NoSolution(f"{self.formula.name} has no solution for {name} here: no whole number lies {interval}.")
        if first < last:
            raise SeveralSolutions(
                f"{self.formula.name} rounds down, so every {name} from {first:,} to {last:,} is a solution."
            )
        return Fraction(first)

    @property
    def note(self) -> str:
        """That the value is not whole although the letter counts, and what lies next to it; "" where all is well.

        Nothing is said where rounding to a whole number changes less than is shown. Errors are those of `value`.
        """
        value = self.exact
        if not LETTERS[self.unknown].whole or abs(value - round(value)) * 10**5 <= value:
            return ""
        below = floor(value)
        beside = f"{below:,} lies below, {below + 1:,} above" if below else "1, the least, lies above"
        return f"{text(self.unknown)} is a whole number: {beside}"

    def _obstacle(self, branch: Branch, values: Mapping[Any, Fraction]) -> str:
        """Why the branch is no solution with these numbers; "" if it is one."""
        try:
            if broken := _first_broken(branch.conditions, values):
                return _needed(broken)
            value = exact(branch.expr, values)
            if value <= 0 and self.unknown != self.formula.quantity:
                return f"{self.unknown.name} would not be positive"
            if broken := _first_broken(branch.conditions, {**values, self.unknown: value}):
                return f"{_needed(broken)} with {text(self.unknown)} = {humanize(value, self.unit, 6)}"
        except ZeroDivisionError:
            if exact(fraction(branch.expr)[0], values) == 0:
                raise SeveralSolutions(
                    f"{self.unknown.name} cancels from {self.formula.name} here, so every value of it is a solution."
                ) from None
            return f"{self.unknown.name} would be infinite"
        except ValueError:
            return f"{self.unknown.name} would not be a real number"
        return ""

    def __repr__(self) -> str:
        lines = [] if self.equation is None else [drawn(self.formula.claim), self._search]
        for branch in self.branches:
            lines.append(drawn(branch.sign(self.unknown, branch.expr, evaluate=False)))
            lines += [f"where {text(c.relation)}  ({c.sentence})" for c in branch.conditions]
        if self.given.values:
            lines += ["", *self._outcome()]
        return "\n".join(lines)

    @property
    def _search(self) -> str:
        return f"{text(self.unknown)} stands in a power: there is no closed form, and it is found by search"

    def _outcome(self) -> list[str]:
        try:
            note = f"  ({self.note})" if self.note else ""
            outcome = f"{text(self.unknown)} = {humanize(self.exact, self.unit, 5)}{note}"
        except SymbolicLLMError as error:
            outcome = str(error)
        letters = (self.equation if self.equation is not None else self.expr).free_symbols
        shown = [s for s in LETTERS if s in self.given.values and s in letters]
        return [outcome, *(f"  {describe(self.given, symbol)}" for symbol in shown)]

    def _repr_latex_(self) -> str:
        parts = [] if self.equation is None else [tex(self.formula.claim)]
        for branch in self.branches:
            parts.append(tex(branch.sign(self.unknown, branch.expr, evaluate=False)))
            parts += [rf"\quad\text{{where }} {tex(c.relation)}" for c in branch.conditions]
        return f"$\\displaystyle {' '.join(parts)}$"


def solve_formula(formula: Formula, unknown: object, letters: Letters, presets: Presets = NONE) -> Solution:
    """Solve the claim for `unknown`, by default for its quantity or, if that is given, for the one open letter."""
    if formula.kind is Kind.THEOREM:
        raise NotSolvable(
            f"{formula.name} is a theorem and has no unknown to solve for; it says {text(formula.claim)}."
        )
    chosen = picked(formula, presets)
    explicit = {find_letter(formula, name, chosen) for name in letters}
    wanted = find_letter(formula, unknown, chosen) if unknown is not None else formula.quantity
    if unknown is None and wanted in explicit:
        given = gather(formula, letters, presets)
        wanted = _only_missing(formula, given)
    elif wanted in explicit:
        raise Overdetermined(f"{wanted.name} of {formula.name} is both asked for and given; leave out one of the two.")
    given = gather(formula, letters, presets, unknown=wanted)
    try:
        return Solution(formula, wanted, branches(formula, wanted, given.stated(), chosen), given)
    except NoClosedForm:
        right = written_out(formula, wanted, given.stated(), chosen)
        equation = right - formula.quantity
        if given.missing(equation.free_symbols - {wanted}):
            raise
        return Solution(formula, wanted, (), given, equation)


def _first_broken(conditions: tuple[Condition, ...], values: Mapping[Any, Fraction]) -> Condition | None:
    """The first condition that does not hold, of those whose letters all have values."""
    return next((c for c in conditions if _holds(c.relation, values) is False), None)


def _holds(relation: Any, values: Mapping[Any, Fraction]) -> bool | None:
    """Whether a relation holds; None if some letter of it has no value."""
    return bool(exact(relation, values)) if relation.free_symbols <= values.keys() else None


def _needed(condition: Condition) -> str:
    """What a condition that does not hold says."""
    if condition.otherwise:
        return f"{condition.otherwise}: {text(condition.relation)} fails"
    return f"it would need {text(condition.relation)} ({condition.sentence})"


def _only_missing(formula: Formula, given: Given) -> Any:
    missing = given.missing(formula.letters)
    if not missing:
        raise Overdetermined(
            f"every letter of {formula.name} has a value, so nothing is left to solve for; leave one out."
        )
    if len(missing) > 1:
        names = ", ".join(symbol.name for symbol in missing)
        raise Underdetermined(
            f"{formula.name} has no value for {names}; say which of them to solve for, and give the others."
        )
    return missing[0]
