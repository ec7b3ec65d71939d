"""An explanation: formula → numbers put in → result"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from ..algebra import Symbol
from ..claims import Condition
from ..errors import NoSolution, listed
from ..expressions.arithmetic import number
from ..expressions.exact import exact, letters_needed
from ..expressions.printing import SIGNS, tex, text, upright
from ..formula import Formula
from ..notation import LETTERS, SUMS
from ..presets import NONE, Presets
from ..units import ONE, Unit, humanize, significant
from .bindings import Failure, Given, first_broken, least, no_quantity
from .gather import gather_inputs, own_sum
from .numeric import real
from .remarks import remarks


@dataclass(frozen=True)
class Line:
    """Line of an explanation: one relation as text and as LaTeX, with a note."""

    text: str
    note: str = ""
    typeset: Callable[[], str] = field(default=str, compare=False)  # asked for where it is shown

    @property
    def tex(self) -> str:
        """LaTeX; "" for words."""
        return self.typeset()


@dataclass(frozen=True, repr=False)
class Explanation:
    """Explanation of a value: the formula, the numbers put in, the result.

    Attributes:
        formula: the formula that was evaluated.
        given: the values that were put in.
    """

    formula: Formula
    given: Given = field(hash=False)

    @property
    def exact(self) -> Any:
        """The result, nothing rounded: a fraction, or for a theorem whether its conclusion holds, or its case."""
        formula, values = self.formula, self._numbers
        try:
            result = formula.statement.outcome(partial(exact, values=values))
        except ZeroDivisionError:
            raise NoSolution(f"{formula.name} divides by zero for these values.") from None
        if formula.quantity is not None and no_quantity(formula, values):
            letter, came = LETTERS[formula.quantity], humanize(result, self.unit, 5)
            raise NoSolution(
                f"{formula.name} has no answer for these values: the result would be {came}, but {letter.name} must be "
                f"{least(letter)}."
            )
        return result

    @property
    def _numbers(self) -> Mapping[Any, Fraction]:
        """Values of all letters; of those that make no difference any will do."""
        return self.given.numbers() | dict.fromkeys(self.given.idle, Fraction(1))

    @property
    def value(self) -> int | float | bool:
        """The result in `unit`: a whole number where it is one, else a float; for a theorem its truth, or the case."""
        result = self.exact
        return result if isinstance(result, bool) else number(result)

    @property
    def unit(self) -> Unit:
        """The unit of the result."""
        return unit_in(self.formula, self.formula.quantity) if self.formula.quantity is not None else ONE

    @property
    def result(self) -> str:
        """The result as a person would write it."""
        if said := self.formula.statement.said(self.exact):
            return said
        return str(self.value) if isinstance(self.exact, bool) else humanize(self.exact, self.unit, 5)

    @property
    def letters(self) -> tuple[Any, ...]:
        """The letters that went into the result, and into the error bound where it is told."""
        formula = self.formula
        if formula.quantity is None or formula.statement.error_bound is not None:
            used = set(formula.letters) if formula.quantity is None else set(formula.rhs.free_symbols)
        else:
            used = self._claim.free_symbols - {formula.quantity}
        if bound := self._bound():
            used |= bound.free_symbols
        return tuple(symbol for symbol in LETTERS if symbol in used - self.given.idle)

    @cached_property
    def _claim(self) -> Any:
        """The claim; sums over a decoder's parts are written out where they are those of the plain one."""
        formula, values = self.formula, self.given.values
        plain = {used for used in formula.closure() if used.quantity in SUMS}
        waiting = [symbol for symbol in formula.letters if symbol in SUMS and symbol != formula.quantity]
        for symbol in waiting:  # it grows on the way
            rule = values[symbol].computed_by if symbol in values else None
            if rule not in plain or not isinstance(rule, Formula):
                return formula.claim
            waiting += [letter for letter in rule.letters if letter in SUMS and letter not in waiting]
        return formula.plain_claim

    def _bound(self) -> Any:
        """The bound on an approximation's error, if all its letters have values and it holds as far as one can tell."""
        return None if self._unbound else self._bounded

    @property
    def _bounded(self) -> Any:
        """The bound on an approximation's error, if all its letters have values; its conditions are not asked."""
        bound = self.formula.statement.error_bound
        return bound if bound is not None and bound.free_symbols <= self.given.values.keys() else None

    @property
    def _unbound(self) -> Condition | None:
        """The first condition that fails for the bound on the error; None if none fails or there is no bound."""
        return None if self._bounded is None else first_broken(self.formula.conditions, self.given.numbers())

    @property
    def inputs(self) -> list[str]:
        """The letters that went into the result, with their values and origins."""
        return [describe(self.given, symbol) for symbol in self.letters]

    @property
    def lines(self) -> list[Line]:
        """Letters computed on the way, the claim, the numbers put in, the result, and how else the model counts it."""
        lines = [self._computed(symbol, rule) for symbol, rule in self._on_the_way(self.letters).items()]
        claim, quantity, values = self._claim, self.formula.quantity, self.given.numbers()
        lines.append(Line(text(claim), typeset=lambda: tex(claim)))
        if quantity is None:
            for relation in self.formula.statement.told:
                truth = exact(relation, values)
                lines.append(self._with_numbers(relation, values, "holds" if truth else "does not hold"))
            said = self.formula.statement.said(self.exact)
            return [*lines, Line(said)] if said else lines
        if self.formula.rhs.free_symbols:
            lines.append(self._with_numbers(claim, values))
        sign = self.formula.statement.sign
        result = self.result
        outcome = f"{text(quantity)} {sign} {result}"
        lines.append(Line(outcome, typeset=lambda: rf"{tex(quantity)} {SIGNS[sign]} {upright(result)}"))
        if bound := self._bound():
            share = f"{float(exact(bound, values)):.2%}"
            lines.append(Line(f"at most {share} too low", f"{text(bound)}, a proved bound"))
        return [*lines, *map(Line, self.notes)]

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions that cannot be checked, and what else is to be said of the answer."""
        assumed = self.given.assumed(self.letters)
        told = [f"assumes {text(c.relation)}: {c.sentence}" for c in assumed]
        if failing := self._unbound:
            told.append(
                f"a bound on how much this is too low is proved only if {text(failing.relation)}: {failing.sentence}"
            )
        idle = [symbol.name for symbol in LETTERS if symbol in self.given.idle]
        if idle:
            told.append(f"{listed(idle)} {'makes' if len(idle) == 1 else 'make'} no difference here: taken zero times")
        return (*told, *remarks(self.given))

    def _on_the_way(self, letters: Iterable[Any]) -> dict[Any, Formula]:
        """The formulas that computed letters; of one that stands for a sum over parts, first that of the sum."""
        found: dict[Any, Formula] = {}
        for symbol in letters:
            if isinstance(rule := self.given.values[symbol].computed_by, Formula):
                right = rule.rhs.free_symbols
                varying = [s for s in LETTERS if s in right and LETTERS[s].varies]
                found |= self._on_the_way(varying) | {symbol: rule}
        return found

    def _computed(self, symbol: Any, rule: Formula) -> Line:
        values = self.given.numbers()
        put_in = self._with_numbers(rule.rhs, values)
        shown = humanize(values[symbol], unit_in(self.formula, symbol), 6)
        return Line(
            f"{text(rule.claim)} = {put_in.text} = {shown}",
            f"by {rule.name}",
            lambda: rf"{tex(rule.claim)} = {put_in.tex} = {upright(shown)}",
        )

    @staticmethod
    def _with_numbers(claim: Any, values: Mapping[Any, Fraction], note: str = "") -> Line:
        numbers = {symbol: figure(value) for symbol, value in values.items()}
        latex = {s: n.replace("e", r"\mathrm{e}") for s, n in numbers.items()}
        return Line(text(claim, numbers), note, lambda: tex(claim, latex))

    def __repr__(self) -> str:
        lines = [f"{line.text}  ({line.note})" if line.note else line.text for line in self.lines]
        blocks = [[self.formula.title], [f"  {line}" for line in self.inputs], lines]
        return "\n\n".join("\n".join(block) for block in blocks if block)

    def _repr_html_(self) -> str:
        from .notebook import explanation_html

        return explanation_html(self)

    def _repr_latex_(self) -> str:
        from .notebook import explanation_latex

        return explanation_latex(self)


def figure(value: Fraction) -> str:
    """A number as it is put into a formula: whole ones in full, large round ones as 3.12e14, others to six digits."""
    if value.denominator != 1:
        return significant(value, 6)
    digits = str(value.numerator)
    mantissa = digits.rstrip("0")
    if len(digits) - len(mantissa) < 6:
        return digits
    return f"{mantissa[0]}{'.' * (len(mantissa) > 1)}{mantissa[1:]}e{len(digits) - 1}"


_SIDES = (Symbol("left"), Symbol("right"))


def sides(relation: Any, values: Mapping[Any, Fraction], plain: tuple[Any, ...] = ()) -> str:
    """A relation with the numbers that its two sides come to, to as many figures as tell them apart."""
    both = [real(side, values) for side in relation.args]
    unit = _common_unit(relation, plain)
    # 24 GB > 24 GB fails is no explanation: the two sides have to look different
    for digits in (3, 6, 12):
        shown = [_side(value, unit, digits) for value in both]
        if shown[0] != shown[1]:
            break
    return text(relation.func(*_SIDES, evaluate=False), dict(zip(_SIDES, shown, strict=True)))


def needed(formula: Formula, failure: Failure) -> str:
    """Text on a condition that does not hold: its relation, its sentence, and its two sides in numbers."""
    condition = failure.condition
    numbers = sides(condition.relation, failure.values, formula.plain)
    if condition.otherwise:
        return f"{condition.otherwise}: {text(condition.relation)} fails: {numbers}"
    return f"a solution needs {text(condition.relation)} ({condition.sentence}), but {numbers} fails"


def _common_unit(relation: Any, plain: tuple[Any, ...]) -> Unit:
    """The unit of both sides where a reader knows it, such as bytes or seconds; no unit for a product of several."""
    from ..checks.dimensions import DimensionError, unit_of  # only what fails needs it

    try:
        one, other = (unit_of(side, plain) for side in relation.args)
    except DimensionError:
        return ONE
    return one if one == other and len(one.exponents) == 1 and one.exponents[0][1] == 1 else ONE


def _side(value: Fraction, unit: Unit, digits: int) -> str:
    if unit == ONE and abs(value) >= 10**6:
        return significant(value, digits).replace("e+", "e")
    return humanize(value, unit, digits)


def unit_in(formula: Formula, symbol: Any) -> Unit:
    """The unit of a letter in a formula, which may read it as a plain count."""
    return ONE if symbol in formula.plain else LETTERS[symbol].unit


def describe(given: Given, symbol: Any) -> str:
    """A letter's value and where it comes from, on one line."""
    value = given.values[symbol]
    notes = "; ".join(note for note in (value.origin, value.also) if note)
    shown = humanize(value.value, unit_in(given.formula, symbol), 6)
    return f"{text(symbol)} = {shown}" + (f"  ({notes})" if notes else "")


def explain_formula(formula: Formula, letters: Mapping[str, object], presets: Presets = NONE) -> Explanation:
    """Explanation of the value of a formula; for bytes in several formats, of the model's own sum."""
    formula = own_sum(formula, presets, letters)
    given = gather_inputs(formula, letters, presets)
    needed = None if formula.quantity is None else formula.rhs.free_symbols  # an approximation's bound needs more
    claimed = [symbol for symbol in formula.letters if needed is None or symbol in needed]
    if formula.quantity is not None and (missing := given.missing(claimed)):
        # a letter that a preset should have, and has not, stays asked for, with what the preset says of it
        silent = frozenset(symbol for symbol in missing if symbol.name not in given.hints)
        given.idle = silent - letters_needed(formula.rhs, given.numbers()) - {*given.conditional()}
        claimed = [symbol for symbol in claimed if symbol not in given.idle]
    if given.missing(claimed):
        given.require(dict.fromkeys((*claimed, *given.conditional())))
    given.ask(claimed)
    found = Explanation(formula, given)
    _ = found.exact  # what has no result is refused here, and not when the explanation is shown
    return found
