"""A solution: one letter of a claim in terms of the others, with numbers where there are any"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sympy import And, Eq, Piecewise, S, fraction

from .claims import Kind
from .errors import NoSolution, NotSolvable, Overdetermined, SeveralSolutions, SymbolicLLMError, Underdetermined
from .evaluation import exact, number
from .explanation import describe, unit_in
from .formula import Formula
from .inputs import Given, find_letter, gather
from .notation import LETTERS
from .numeral import valued
from .printing import drawn, tex, text
from .solving import Branch, branches
from .units import Unit, humanize

Letters = Mapping[str, object]


@dataclass(frozen=True, repr=False)
class Solution:
    """What a claim says of one letter.

    Attributes:
        formula: the formula that was solved.
        unknown: the letter it was solved for.
        branches: the candidates, each with its conditions; nearly always one.
        given: the values that letters have.
    """

    formula: Formula
    unknown: Any
    branches: tuple[Branch, ...]
    given: Given = field(repr=False)

    @property
    def expr(self) -> Any:
        """The closed form in letters, a SymPy expression; a Piecewise where there are several branches."""
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
        if branch.upper is not None:
            low, high = (humanize(v, self.unit, 6) for v in sorted((value, exact(branch.upper, values))))
            raise SeveralSolutions(
                f"{self.formula.name} rounds down, so every {name} between {low} and {high} is a solution."
            )
        if branch.slack is not None and exact(branch.slack, values) == 0:
            raise SeveralSolutions(
                f"{self.formula.name} is at its crossover here, so every {name} from "
                f"{humanize(value, self.unit, 6)} on is a solution."
            )
        return value

    def _obstacle(self, branch: Branch, values: Mapping[Any, Fraction]) -> str:
        """Why the branch is no solution with these numbers; "" if it is one."""
        try:
            for condition in branch.conditions:
                if condition.relation.free_symbols <= values.keys() and not exact(condition.relation, values):
                    return (
                        f"{condition.otherwise}: {text(condition.relation)} fails"
                        if condition.otherwise
                        else f"it would need {text(condition.relation)}"
                    )
            return "" if exact(branch.expr, values) > 0 else f"{self.unknown.name} would not be positive"
        except ZeroDivisionError:
            if exact(fraction(branch.expr)[0], values) == 0:
                raise SeveralSolutions(
                    f"{self.unknown.name} cancels from {self.formula.name} here, so every value of it is a solution."
                ) from None
            return f"{self.unknown.name} would be infinite"
        except ValueError:
            return f"{self.unknown.name} would not be a real number"

    def __repr__(self) -> str:
        lines = []
        for branch in self.branches:
            lines.append(drawn(Eq(self.unknown, branch.expr, evaluate=False)))
            lines += [f"where {text(c.relation)}  ({c.sentence})" for c in branch.conditions]
        if self.given.values:
            lines += ["", *self._outcome()]
        return "\n".join(lines)

    def _outcome(self) -> list[str]:
        try:
            outcome = f"{text(self.unknown)} = {humanize(self.exact, self.unit, 5)}"
        except SymbolicLLMError as error:
            outcome = str(error)
        shown = [s for s in LETTERS if s in self.given.values and s in self.expr.free_symbols]
        return [outcome, *(f"  {describe(self.given, symbol)}" for symbol in shown)]

    def _repr_latex_(self) -> str:
        parts = []
        for branch in self.branches:
            parts.append(tex(Eq(self.unknown, branch.expr, evaluate=False)))
            parts += [rf"\quad\text{{where }} {tex(c.relation)}" for c in branch.conditions]
        return f"$\\displaystyle {' '.join(parts)}$"


def solve_formula(formula: Formula, unknown: object, letters: Letters, **preset: str | None) -> Solution:
    """Solve the claim for `unknown`, by default for its quantity or, if that is given, for the one open letter."""
    if formula.kind is Kind.THEOREM:
        raise NotSolvable(
            f"{formula.name} is a theorem and has no unknown to solve for; it says {text(formula.claim)}."
        )
    explicit = {find_letter(formula, name) for name in letters}
    wanted = find_letter(formula, unknown) if unknown is not None else formula.quantity
    if unknown is None and wanted in explicit:
        given = gather(formula, letters, **preset)
        wanted = _only_missing(formula, given)
    elif wanted in explicit:
        raise Overdetermined(f"{wanted.name} of {formula.name} is both asked for and given; leave out one of the two.")
    given = gather(formula, letters, unknown=wanted, **preset)
    return Solution(formula, wanted, branches(formula, wanted), given)


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
