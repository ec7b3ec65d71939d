"""A solution: one letter of a claim in terms of the others, with numbers where there are any"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sympy import And, Eq, Ge, Gt, Le, Lt, Piecewise, S, floor, fraction

from ..claims import Condition
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
from ..expressions.printing import drawn, text
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from ..presets import NONE, Presets
from ..units import Unit, humanize
from .explanation import describe, sides, unit_in
from .inputs import Given, find_letter, gather, picked
from .notebook import solution_html, solution_latex
from .numeric import Stretch, zeros
from .rearranging import Branch, branches
from .rules import written_out
from .whole import beside, in_interval, stretch, within

Letters = Mapping[str, object]
_SIGNS = {Eq: "=", Le: "≤", Lt: "<", Ge: "≥", Gt: ">"}


@dataclass(frozen=True, repr=False)
class Solution:
    """What a claim says of one letter.

    A letter that counts, such as `B` or `n_blocks`, keeps the value the claim gives it even where that is not whole:
    a time budget buys 34.1 sequences. `note` then says so. Where a claim rounds, every value of an interval is a
    solution, and `value` is the end that belongs to it: the least memory, the longest context; `note` says which others
    there are. Of a theorem such as `capacity` the solution is a bound: `expr` and `value` are where the statement stops
    being true, and `branches` say on which side it is.

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
        none or so many that none of them is the answer.
        """
        return number(self.exact)

    @property
    def exact(self) -> Fraction:
        """The number as a fraction, nothing rounded (but square roots, to thirty digits)."""
        return self._found()[0]

    def _found(self) -> tuple[Fraction, str]:
        """The number, and what is to be said of it."""
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
        if not found:
            raise self._none("; ".join(reasons))
        if len(found) > 1:
            listed = " and ".join(humanize(value, self.unit) for value in sorted(found))
            raise SeveralSolutions(f"{self.formula.name} has {len(found)} solutions for {self.unknown.name}: {listed}.")
        value, branch = found.popitem()
        if branch.open_end is not None:
            return in_interval(self.unknown, self.unit, value, exact(branch.open_end, values), self._none)
        if branch.sign is not Eq:
            return value, within(self.unknown, value, branch.sign, self._none)
        end = humanize(value, self.unit, 6)
        for beyond, solutions in ((value * 2, f"from {end} on"), (value / 2, f"up to {end}")):
            point = values | {self.unknown: beyond}
            if any(all(_holds(relation, point) for relation in plateau) for plateau in branch.plateaus):
                raise SeveralSolutions(
                    f"{self.formula.name} is at its crossover here, so every {self.unknown.name} {solutions} is a "
                    "solution."
                )
        return value, beside(self.unknown, value)

    def _none(self, reason: str) -> NoSolution:
        return NoSolution(f"{self.formula.name} has no solution for {self.unknown.name} here: {reason}.")

    def _by_search(self) -> tuple[Fraction, str]:
        """Where the equation is satisfied, and what is to be said of it."""
        name = self.unknown.name
        self.given.require(s for s in LETTERS if s in self.equation.free_symbols and s != self.unknown)
        values = self.given.numbers()
        stretches = self._zeros(self.equation)
        points = [{**values, self.unknown: one.low or one.high or Fraction(1)} for one in stretches]
        broken = [_first_broken(self.formula.conditions, point) for point in points]
        holding = [one for one, reason in zip(stretches, broken, strict=True) if reason is None]
        if not holding:
            reasons = (self._needed(one, point) for point, one in zip(points, broken, strict=True) if one)
            raise self._none("; ".join(reasons) or "no value satisfies it")
        if len(holding) > 1:
            listed = " and ".join(stretch(self.unit, one.low, one.high) for one in holding)
            raise SeveralSolutions(f"{self.formula.name} has {len(holding)} solutions for {name}: {listed}.")
        (found,) = holding
        if found.low is not None and found.low == found.high:
            return found.low, beside(self.unknown, found.low)
        if found.low is None or found.high is None or not self.equation.has(floor):
            raise self._every(holding)
        ends = (found.low, found.high) if found.rising else (found.high, found.low)
        return in_interval(self.unknown, self.unit, *ends, self._none)

    def _zeros(self, equation: Any) -> list[Stretch]:
        """Where an equation is satisfied."""
        values = self.given.numbers()
        return zeros(equation, self.unknown, values, values[self.formula.quantity])

    def _every(self, stretches: list[Stretch]) -> SeveralSolutions:
        """That all of a stretch are solutions."""
        listed = " and ".join(stretch(self.unit, one.low, one.high) for one in stretches)
        return SeveralSolutions(f"{self.formula.name} is the same for every {self.unknown.name} {listed} here.")

    @property
    def note(self) -> str:
        """What is to be said of the value; "" where nothing is.

        That it is not whole although the letter counts, and what lies next to it, unless rounding changes less than is
        shown; which other values are solutions. Errors are those of `value`.
        """
        return self._found()[1]

    def _obstacle(self, branch: Branch, values: Mapping[Any, Fraction]) -> str:
        """Why the branch is no solution with these numbers; "" if it is one."""
        try:
            if broken := _first_broken(branch.conditions, values):
                return self._needed(broken, values)
            value = exact(branch.expr, values)
            if value <= 0 and branch.sign in (Gt, Ge):
                raise SeveralSolutions(f"{self.formula.name} is true of every {self.unknown.name} here.")
            if value <= 0 and self.unknown != self.formula.quantity:
                return f"{self.unknown.name} would not be positive"
            point = {**values, self.unknown: value}
            if broken := _first_broken(branch.conditions, point):
                return f"{self._needed(broken, point)} with {text(self.unknown)} = {humanize(value, self.unit, 6)}"
        except ZeroDivisionError:
            if exact(fraction(branch.expr)[0], values) == 0:
                if len(self.branches) > 1:
                    right = written_out(self.formula, self.unknown, self.given.stated(), self.given.chosen)
                    raise self._every(self._zeros(right - self.formula.quantity)) from None
                raise SeveralSolutions(
                    f"{self.unknown.name} cancels from {self.formula.name} here, so every value of it is a solution."
                ) from None
            return f"{self.unknown.name} would be infinite"
        except ValueError:
            return f"{self.unknown.name} would not be a real number"
        return ""

    def _needed(self, condition: Condition, values: Mapping[Any, Fraction]) -> str:
        """What a condition that does not hold says, and its two sides in numbers."""
        relation = condition.relation
        numbers = sides(relation, values, self.formula.plain)
        if condition.otherwise:
            return f"{condition.otherwise}: {text(relation)} fails: {numbers}"
        return f"it would need {text(relation)} ({condition.sentence}), and {numbers} fails"

    def __repr__(self) -> str:
        lines = [drawn(self.formula.claim), self.search] if self.search else []
        for branch in self.branches:
            lines.append(drawn(branch.sign(self.unknown, branch.expr, evaluate=False)))
            if self.formula.quantity is None:  # only an equivalence bounds a letter
                lines.append(f"exactly when {text(self.formula.statement.start)}")
            lines += [f"where {text(c.relation)}  ({c.sentence})" for c in branch.conditions]
        if self.given.values:
            outcome, *inputs = self.outcome()
            lines += ["", outcome, *(f"  {line}" for line in inputs)]
        return "\n".join(lines)

    @property
    def search(self) -> str:
        """That the number is found by search, where it is; "" where there is a closed form."""
        if self.equation is None:
            return ""
        return f"{text(self.unknown)} stands in a power: there is no closed form, and it is found by search"

    def outcome(self) -> list[str]:
        """The number, or the sentence that says why there is none, then each value that was put in; [] without any."""
        if not self.given.values:
            return []
        try:
            value, note = self._found()
            sign = _SIGNS[self.branches[0].sign] if self.formula.quantity is None else "="
            outcome = f"{text(self.unknown)} {sign} {humanize(value, self.unit, 5)}" + (f"  ({note})" if note else "")
        except SymbolicLLMError as error:
            outcome = str(error)
        letters = (self.equation if self.equation is not None else self.expr).free_symbols
        shown = [s for s in LETTERS if s in self.given.values and s in letters]
        return [outcome, *(describe(self.given, symbol) for symbol in shown)]

    def _repr_html_(self) -> str:
        return solution_html(self)

    def _repr_latex_(self) -> str:
        return solution_latex(self)


def solve_formula(formula: Formula, unknown: object, letters: Letters, presets: Presets = NONE) -> Solution:
    """Solve the claim for `unknown`, by default for its quantity or, if that is given, for the one open letter."""
    if formula.quantity is None and unknown is None and not letters and not presets:
        hint = "it bounds none" if formula.statement.presupposed else "name a letter to bound"
        raise NotSolvable(
            f"{formula.name} is a theorem and has no unknown to solve for, {hint}; it says {text(formula.claim)}."
        )
    chosen = picked(formula, presets)
    explicit = {find_letter(formula, name, chosen) for name in letters}
    wanted = find_letter(formula, unknown, chosen) if unknown is not None else formula.quantity
    if unknown is None and (wanted is None or wanted in explicit):
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
