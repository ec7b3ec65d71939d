"""An explanation: formula → numbers put in → result"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import Eq

from .claims import Approximation, Equivalence, Implication, relations
from .errors import NoSolution, Overdetermined
from .evaluation import exact, number
from .formula import Formula
from .inputs import Given, find_letter, gather
from .notation import LETTERS
from .printing import tex, text
from .units import ONE, Unit, humanize


@dataclass(frozen=True)
class Line:
    """One line of an explanation: the same relation as text and as LaTeX, with a note."""

    text: str
    tex: str
    note: str = ""


@dataclass(frozen=True, repr=False)
class Explanation:
    """How a value comes about.

    Attributes:
        formula: the formula that was evaluated.
        given: the values that were put in.
    """

    formula: Formula
    given: Given

    @property
    def exact(self) -> Any:
        """The result, nothing rounded: a fraction, or for a theorem whether its conclusion holds."""
        claim, values = self.formula.claim, self.given.numbers()
        try:
            if isinstance(claim, Equivalence | Implication):
                return exact(relations(claim)[-1], values)
            return exact(self.formula.rhs, values)
        except ZeroDivisionError:
            raise NoSolution(f"{self.formula.name} divides by zero for these values.") from None

    @property
    def value(self) -> int | float | bool:
        """The result in `unit`: a whole number where it is one, else a float; for a theorem a truth value."""
        result = self.exact
        return result if isinstance(result, bool) else number(result)

    @property
    def unit(self) -> Unit:
        """The unit of the result."""
        return unit_in(self.formula, self.formula.quantity) if self.formula.quantity is not None else ONE

    @property
    def result(self) -> str:
        """The result as a person would write it."""
        return str(self.value) if isinstance(self.exact, bool) else humanize(self.exact, self.unit, 5)

    @property
    def inputs(self) -> list[str]:
        """The letters of the claim with their values and origins."""
        return [describe(self.given, s) for s in self.formula.letters if s in self.given.values]

    @property
    def lines(self) -> list[Line]:
        """Letters computed on the way, the claim, the numbers put in, the result."""
        computed = ((s, self.given.values[s].computed_by) for s in self.formula.letters if s in self.given.values)
        lines = [self._computed(symbol, rule) for symbol, rule in computed if rule is not None]
        claim, values = self.formula.claim, self.given.numbers()
        lines.append(Line(text(claim), tex(claim)))
        if isinstance(claim, Equivalence | Implication):
            for relation in relations(claim):
                truth = exact(relation, values)
                lines.append(Line(*self._with_numbers(relation, values), "holds" if truth else "does not hold"))
            return lines
        quantity, right = self.formula.quantity, self.formula.rhs
        lines.append(Line(*self._with_numbers(Eq(quantity, right, evaluate=False), values)))
        sign, latex = ("≈", r"\approx") if isinstance(claim, Approximation) else ("=", "=")
        lines.append(Line(f"{text(quantity)} {sign} {self.result}", rf"{tex(quantity)} {latex} {_words(self.result)}"))
        if isinstance(claim, Approximation) and claim.bound.free_symbols <= values.keys():
            share = f"{float(exact(claim.bound, values)):.2%}"
            lines.append(Line(f"too low by at most {share}", "", f"{text(claim.bound)}, a proved bound"))
        return lines

    def _computed(self, symbol: Any, rule: Formula) -> Line:
        values = self.given.numbers()
        put_in = self._with_numbers(rule.rhs, values)
        shown = humanize(values[symbol], unit_in(self.formula, symbol), 6)
        latex = rf"{tex(rule.claim)} = {put_in[1]} = {_words(shown)}"
        return Line(f"{text(rule.claim)} = {put_in[0]} = {shown}", latex, f"by {rule.name}")

    @staticmethod
    def _with_numbers(expression: Any, values: Mapping[Any, Fraction]) -> tuple[str, str]:
        numbers = {s: figure(values[s]) for s in expression.free_symbols if s in values}
        upright = {s: n.replace("e", r"\mathrm{e}") for s, n in numbers.items()}
        return text(expression, numbers), tex(expression, upright)

    def __repr__(self) -> str:
        claim, *rest = [f"{line.text}  ({line.note})" if line.note else line.text for line in self.lines]
        return "\n".join([self.formula.title, "", *(f"  {line}" for line in self.inputs), "", claim, *rest])

    def _repr_latex_(self) -> str:
        shown = r" \\ ".join(line.tex for line in self.lines if line.tex)
        return rf"$\displaystyle \begin{{aligned}} {shown} \end{{aligned}}$"


def _words(shown: str) -> str:
    return rf"\text{{{shown}}}"


def figure(value: Fraction) -> str:
    """A number as it is put into a formula: whole ones in full, large round ones as 3.12e14, others to six digits."""
    if value.denominator != 1:
        return f"{float(value):.6g}"
    digits = str(value.numerator)
    mantissa = digits.rstrip("0")
    if len(digits) - len(mantissa) < 6:
        return digits
    return f"{mantissa[0]}{'.' * (len(mantissa) > 1)}{mantissa[1:]}e{len(digits) - 1}"


def unit_in(formula: Formula, symbol: Any) -> Unit:
    """The unit of a letter in a formula, which may read it as a plain count."""
    return ONE if symbol in formula.plain else LETTERS[symbol].unit


def describe(given: Given, symbol: Any) -> str:
    """A letter's value and where it comes from, on one line."""
    value = given.values[symbol]
    notes = "; ".join(note for note in (value.origin, value.also) if note)
    shown = humanize(value.value, unit_in(given.formula, symbol), 6)
    return f"{text(symbol)} = {shown}" + (f"  ({notes})" if notes else "")


def explain_formula(formula: Formula, letters: Mapping[str, object], **preset: str | None) -> Explanation:
    """The claim, the numbers put in, and the result."""
    if formula.quantity is not None and formula.quantity in {find_letter(formula, name) for name in letters}:
        name = formula.quantity.name
        raise Overdetermined(f"{name} is what {formula.name} computes; to compute another letter from it, use solve.")
    given = gather(formula, letters, unknown=formula.quantity, **preset)
    needed = (
        formula.letters if formula.quantity is None else [s for s in formula.letters if s in formula.rhs.free_symbols]
    )
    given.require(needed)
    given.hold()
    return Explanation(formula, given)
