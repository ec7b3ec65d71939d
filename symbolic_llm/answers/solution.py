"""A solution: one letter of a claim in terms of the others, with numbers where there are any"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..algebra import And, Eq, Ge, Gt, Le, Lt, Piecewise, S, floor, fraction
from ..errors import NoSolution, SeveralSolutions, SymbolicLLMError, listed
from ..expressions.arithmetic import number
from ..expressions.exact import exact
from ..expressions.parts import letters_of
from ..expressions.printing import drawn, text
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from ..units import Unit, humanize
from .bindings import Failure, Given, bounds, first_broken, holds, no_quantity
from .branch import Branch
from .explanation import describe, needed, unit_in
from .integers import along, beside, in_interval, only_whole, stretch, within
from .notebook import solution_html, solution_latex
from .numeric import Stretch, nearly_whole, real, zeros
from .powers import hindrance, in_a_power, no_closed_form
from .remarks import remarks
from .resolution import written_out
from .rounded_runs import Run, runs
from .whole_runs import whole_runs

_SIGNS = {Eq: "=", Le: "≤", Lt: "<", Ge: "≥", Gt: ">"}


@dataclass(frozen=True, repr=False)
class Solution:
    """Solution of a claim for one of its letters.

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
            raise no_closed_form(self.equation, self.unknown)
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
        self.given.require(letters_of(branch.expr for branch in self.branches))
        values = self.given.numbers()
        if any(branch.open_end is not None for branch in self.branches) and (true_on := self._runs(values)):
            return self._of_runs(true_on)
        reasons: dict[str, None] = {}
        found: dict[Fraction, Branch] = {}
        for branch in self.branches:
            candidate = self._candidate(branch, values)
            if isinstance(candidate, str):
                reasons[candidate] = None
            else:
                found[candidate] = branch
        if not found and self._in_a_power() and all(map(self._satisfied, map(Fraction, (1, 2, 3)))):
            raise SeveralSolutions(f"{self.formula.name} is the same for every {self.unknown.name} here.")
        if not found and any(holds(p[0], values) for branch in self.branches for p in branch.plateaus):
            stretches = self._holding(self._zeros(self._right() - self.formula.quantity))[0]
            if wide := [one for one in stretches if one.low is None or one.low != one.high]:
                raise self._every(wide)
            for value in filter(self._satisfied, self.given.pinned(self.unknown)):
                return value, beside(self.unknown, value)
        if not found:
            raise self._none("; ".join(reasons))
        note = ""
        if len(found) > 1:
            if (only := only_whole(self.unknown, self.unit, found)) is None:
                each = listed([humanize(value, self.unit) for value in sorted(found)])
                raise SeveralSolutions(
                    f"{self.formula.name} has {len(found)} solutions for {self.unknown.name}: {each}."
                )
            value, note = only
            found = {value: found[value]}
        value, branch = found.popitem()
        if branch.sign is not Eq:
            return value, within(self.unknown, value, branch.sign, self._none)
        end = humanize(value, self.unit, 6)
        for beyond, solutions in ((value * 2, f"from {end} on"), (value / 2, f"up to {end}")):
            point = values | {self.unknown: beyond}
            if any(all(holds(relation, point) for relation in plateau) for plateau in branch.plateaus):
                raise SeveralSolutions(
                    f"{self.formula.name} is at its crossover here, so every {self.unknown.name} {solutions} is a "
                    "solution."
                )
        return value, note or beside(self.unknown, value, self._giving if self._in_a_power() else None)

    def _runs(self, values: Mapping[Any, Fraction]) -> list[Run]:
        """The stretches of solutions of a claim that rounds: between its borders it is true everywhere or nowhere."""
        borders = set()
        for expression in {e for b in self.branches for e in (b.expr, b.open_end, *b.borders)}:
            if not expression.free_symbols <= values.keys():  # a condition that cannot be told is assumed
                continue
            with suppress(ZeroDivisionError, ValueError):
                borders.add(real(expression, values))
        for bound in (condition.relation.free_symbols for condition in bounds({*values, self.unknown})):
            borders |= {values[other] for other in bound - {self.unknown} if self.unknown in bound and other in values}
        return runs(borders, self._satisfied)

    def _of_runs(self, found: list[Run]) -> tuple[Fraction, str]:
        """The answer among stretches of solutions, and what is to be said of it; `SeveralSolutions` for several."""
        if LETTERS[self.unknown].whole:
            whole = [one for one in found if one.last is None or one.first <= one.last]
            if not whole and (ends := found[0].ends):
                return in_interval(self.unknown, self.unit, *ends, self._none)
            if not whole:
                raise self._none(f"no solution is a whole number; they lie near {humanize(found[0].low, self.unit, 6)}")
            found = whole
        (one, *others) = found
        if not others and one.low == one.high:
            return one.low, beside(self.unknown, one.low)
        if others or (ends := one.ends) is None:
            each = listed([along(self.unknown, self.unit, one) for one in found])
            raise SeveralSolutions(
                f"{self.formula.name} has the same value for every {self.unknown.name} {each}, because it rounds down."
            )
        return in_interval(self.unknown, self.unit, *ends, self._none)

    def _in_a_power(self) -> bool:
        """Whether the unknown stood in a power, so that a reader cannot tell what a whole number beside it gives."""
        return self.equation is not None or any(in_a_power(branch.expr) for branch in self.branches)

    def _giving(self, number: int) -> str | None:
        """The quantity at a whole number; None where a condition fails for it."""
        follows = self.given.with_value(self.unknown, Fraction(number))
        if follows.broken():
            return None
        quantity = self.formula.quantity
        value = exact(self._right(), follows.numbers())
        return f"{text(quantity)} = {humanize(value, unit_in(self.formula, quantity), 5)}"

    def _right(self) -> Any:
        """The right-hand side that was solved."""
        return written_out(self.formula, self.unknown, self.given.stated(), self.given.chosen)[0]

    def _satisfied(self, value: Fraction) -> bool:
        """Whether the claim, with this put back for the unknown, is true: nothing rounded."""
        follows = self.given.with_value(self.unknown, value)
        numbers = follows.numbers()
        return not follows.broken() and real(self._right(), numbers) == numbers[self.formula.quantity]

    def _none(self, reason: str) -> NoSolution:
        return NoSolution(f"{self.formula.name} has no solution for {self.unknown.name} here: {reason}.")

    def _by_search(self) -> tuple[Fraction, str]:
        """The number that satisfies the equation, found by search, and what is to be said of it."""
        name = self.unknown.name
        self.given.require(letter for letter in letters_of([self.equation]) if letter != self.unknown)
        if LETTERS[self.unknown].whole and self.equation.has(floor) and (whole := self._whole_runs()):
            return self._of_whole(whole)
        stretches = self._zeros(self.equation)
        holding, failures = self._holding([one for one in stretches if not self._leaps(one)])
        if not holding:
            raise self._none("; ".join(needed(self.formula, one) for one in failures) or "no value satisfies it")
        if len(holding) > 1:
            points = [one.low for one in holding if one.low is not None and one.low == one.high]
            if len(points) == len(holding) and (only := only_whole(self.unknown, self.unit, points)):
                return only
            each = listed([stretch(self.unit, one.low, one.high) for one in holding])
            raise SeveralSolutions(f"{self.formula.name} has {len(holding)} solutions for {name}: {each}.")
        (found,) = holding
        if found.low is not None and found.low == found.high:
            return found.low, beside(self.unknown, found.low, self._giving)
        steps = self.equation.has(floor)
        if found.low is None or found.high is None or not steps:
            with_low, with_high = found.rising or not steps, not (found.rising and steps)
            run = Run(found.low or Fraction(0), found.high, found.low is not None and with_low, with_high)
            if LETTERS[self.unknown].whole and run.first == run.last:  # of a letter that counts no other is left
                return Fraction(run.first), ""
            raise self._every(holding)
        ends = (found.low, found.high) if found.rising else (found.high, found.low)
        return in_interval(self.unknown, self.unit, *ends, self._none)

    def _whole_runs(self) -> list[tuple[int, int]]:
        """The runs of whole numbers that satisfy the equation and all conditions; [] where none is found."""
        found = whole_runs(self.equation, self.unknown, self.given.numbers()) or []
        return [run for run in found if all(self._satisfied(Fraction(end)) for end in run)]

    def _of_whole(self, found: list[tuple[int, int]]) -> tuple[Fraction, str]:
        """The answer among runs of whole numbers, and what is to be said of it; `SeveralSolutions` for several."""
        if len(found) > 1:
            each = listed([stretch(self.unit, Fraction(first), Fraction(last)) for first, last in found])
            raise SeveralSolutions(
                f"{self.formula.name} has the same value for every {self.unknown.name} {each}, because it rounds down."
            )
        ((first, last),) = found
        if first == last:
            return Fraction(first), ""
        beyond = exact(self.equation, self.given.numbers() | {self.unknown: Fraction(last + 1)})
        closed, opened = (first, last + 1) if beyond > 0 else (last, first - 1)
        return in_interval(self.unknown, self.unit, Fraction(closed), Fraction(opened), self._none)

    def _leaps(self, one: Stretch) -> bool:
        """Whether a formula that rounds comes near the quantity before a whole number and leaps over it there."""
        if one.low is None or one.low != one.high or one.low.denominator != 1 or not self.equation.has(floor):
            return False
        return not self._satisfied(one.low)

    def _zeros(self, equation: Any) -> list[Stretch]:
        """Stretches of the unknown on which an equation is satisfied."""
        values = self.given.numbers()
        return zeros(equation, self.unknown, values, values[self.formula.quantity])

    def _holding(self, stretches: list[Stretch]) -> tuple[list[Stretch], list[Failure]]:
        """The stretches on which the conditions can be satisfied, and what fails on the others."""
        failures = [self.given.failing_throughout(self.unknown, one.points()) for one in stretches]
        holding = [one for one, failure in zip(stretches, failures, strict=True) if failure is None]
        return holding, [failure for failure in failures if failure is not None]

    def _every(self, stretches: list[Stretch]) -> SeveralSolutions:
        """The error that every number of some stretches is a solution."""
        each = listed([stretch(self.unit, one.low, one.high) for one in stretches])
        return SeveralSolutions(f"{self.formula.name} is the same for every {self.unknown.name} {each} here.")

    @property
    def note(self) -> str:
        """Note on the value; "" where there is none.

        It says that the value is not whole although the letter counts, and what lies next to it, unless rounding
        changes less than is shown; which other values are solutions; what the model counts by another formula; that a
        batch does not fit.
        Errors are those of `value`.
        """
        value, said = self._found()
        with_it = self.given.with_value(self.unknown, value)
        return "; ".join(filter(None, (said, *remarks(with_it, self.unknown))))

    def _candidate(self, branch: Branch, values: Mapping[Any, Fraction]) -> Fraction | str:
        """The number of a branch or, where it is no solution with these numbers, why."""
        try:
            if broken := first_broken(branch.conditions, values):
                return needed(self.formula, Failure(broken, values))
            value = self._number(branch.expr, values)
            if value <= 0 and branch.sign in (Gt, Ge):
                raise SeveralSolutions(f"{self.formula.name} is true for every {self.unknown.name} here.")
            if value <= 0 and self.unknown != self.formula.quantity:
                return f"{self.unknown.name} would not be positive"
            if failure := self._failure(branch, self._answer(branch, value, values)):
                return f"{needed(self.formula, failure)} with {text(self.unknown)} = {humanize(value, self.unit, 6)}"
        except ZeroDivisionError:
            if exact(fraction(branch.expr)[0], values) == 0:
                if len(self.branches) > 1:
                    return self._of_lower_degree()
                raise SeveralSolutions(
                    f"{self.unknown.name} cancels from {self.formula.name} here, so every value of it is a solution."
                ) from None
            return f"{self.unknown.name} would be infinite"
        except ValueError:
            return f"{self.unknown.name} would not be a real number"
        return value

    def _of_lower_degree(self) -> Fraction | str:
        """Solution of the claim where the numbers leave it without its highest power, or why there is none."""
        holding, failures = self._holding(self._zeros(self._right() - self.formula.quantity))
        if not holding:
            return "; ".join(needed(self.formula, one) for one in failures) or "no value satisfies it"
        if len(holding) > 1 or holding[0].low is None or holding[0].low != holding[0].high:
            raise self._every(holding)
        return holding[0].low

    def _number(self, expr: Any, values: Mapping[Any, Fraction]) -> Fraction:
        """The value of a closed form; where that has digits only, a whole number if the claim is true of it."""
        value = real(expr, values)
        nearest = nearly_whole(value) if value.denominator > 1 else None
        return nearest if nearest is not None and self._satisfied(nearest) else value

    def _answer(self, branch: Branch, value: Fraction, values: Mapping[Any, Fraction]) -> Fraction:
        """The value that is told: of an interval, the whole number at its end."""
        if branch.open_end is None:
            return value
        try:
            return in_interval(self.unknown, self.unit, value, exact(branch.open_end, values), self._none)[0]
        except NoSolution:  # no whole number lies in it, which is said where the answer is
            return value

    def _failure(self, branch: Branch, value: Fraction) -> Failure | None:
        """The condition that fails for a value: of the branch, or of a formula by which a letter is computed."""
        if self.unknown == self.formula.quantity and (failing := no_quantity(self.formula, self.given.numbers())):
            return Failure(failing, self.given.numbers())
        follows = self.given.with_value(self.unknown, value)
        if broken := first_broken(branch.conditions, numbers := follows.numbers()):
            return Failure(broken, numbers)
        return follows.broken()

    def __repr__(self) -> str:
        lines = [drawn(self.formula.claim), self.search] if self.search else []
        for branch in self.branches:
            lines.append(drawn(branch.relation(self.unknown)))
            if self.formula.quantity is None:  # only an equivalence bounds a letter
                lines.append(f"exactly when {text(self.formula.statement.start)}")
            lines += [f"where {text(c.relation)}  ({c.sentence})" for c in branch.conditions]
        if self.given.values:
            outcome, *inputs = self.outcome()
            lines += ["", outcome, *(f"  {line}" for line in inputs)]
        return "\n".join(lines)

    @property
    def search(self) -> str:
        """Sentence that there is no closed form and the number is found by search; "" where there is one."""
        if self.equation is None:
            return ""
        why = hindrance(self.equation, self.unknown)
        return f"{text(self.unknown)} {why}, so there is no closed form; the value is found by search"

    def outcome(self) -> list[str]:
        """The number, or the sentence that says why there is none, then each value that was put in; [] without any."""
        if not self.given.values:
            return []
        try:
            value, note = self.exact, self.note
            sign = _SIGNS[self.branches[0].sign] if self.formula.quantity is None else "="
            outcome = f"{text(self.unknown)} {sign} {humanize(value, self.unit, 5)}" + (f"  ({note})" if note else "")
        except SymbolicLLMError as error:
            outcome = str(error)
        stated = [self.equation] if self.equation is not None else [branch.expr for branch in self.branches]
        letters = letters_of((*stated, *(self.conditions if stated[1:] else ())))
        return [outcome, *(describe(self.given, symbol) for symbol in letters if symbol in self.given.values)]

    def _repr_html_(self) -> str:
        return solution_html(self)

    def _repr_latex_(self) -> str:
        return solution_latex(self)
