"""From what a user gives to exact values of letters

Letters come by name, as numbers or as text with a unit, or from presets. Everything is checked here, once: whether
the formula has such a letter, whether the unit fits, whether the value is one the letter can take, whether the
formula's conditions hold. Values are exact fractions; a float counts as the decimal it prints as.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from .errors import ConditionViolated, InvalidValue, Underdetermined, UnknownName, WrongUnit, unknown_name
from .evaluation import exact
from .formula import Formula
from .notation import LETTERS, F, Letter
from .presets.letters import preset_letters
from .printing import text
from .units import Unit, parse_quantity

PRESETS = ("model", "hardware", "dtype", "weights", "cache")

_EXAMPLES = {
    "FLOP/second": "'312 TFLOP/s'",
    "byte/second": "'1935 GB/s'",
    "byte": "'80 GB'",
    "second": "'5 ms'",
    "weight": "7e9",
    "byte/weight": "2",
    "byte/value": "2",
    "token/sequence": "4096",
}
_LARGEST = Fraction(10) ** 99


@dataclass(frozen=True)
class Input:
    """The value of one letter and where it comes from.

    Attributes:
        value: exact, in the letter's unit.
        origin: "" if it was given; otherwise the preset and its source, or the formula it was computed with.
        also: what other sources print for it.
        computed_by: the formula, where it was computed with one.
    """

    value: Fraction
    origin: str = ""
    also: str = ""
    computed_by: Formula | None = None


@dataclass
class Given:
    """All letters a formula has a value for."""

    formula: Formula
    values: dict[Any, Input] = field(default_factory=dict)
    hints: dict[Any, str] = field(
        default_factory=dict
    )  # why a letter has no value although a preset could have had one

    def numbers(self) -> dict[Any, Fraction]:
        """The exact values alone."""
        return {symbol: value.value for symbol, value in self.values.items()}

    def missing(self, letters: Iterable[Any]) -> list[Any]:
        """Those of the letters that have no value."""
        return [symbol for symbol in letters if symbol not in self.values]

    def require(self, letters: Iterable[Any]) -> None:
        """`Underdetermined` if any of the letters has no value, with what would help."""
        lacking = self.missing(letters)
        if lacking:
            names = [symbol.name for symbol in lacking]
            listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
            hints = "; ".join(self.hints[s] for s in lacking if s in self.hints)
            example = _EXAMPLES.get(str(LETTERS[lacking[0]].unit), "8")
            advice = hints or f"give it by name, as in {names[0]}={example}, or by a preset ({'=, '.join(PRESETS)}=)"
            raise Underdetermined(f"{self.formula.name} needs a value for {listed}: {advice}.")

    def hold(self) -> None:
        """`ConditionViolated` if a condition of the formula whose letters all have values does not hold."""
        numbers = self.numbers()
        for condition in self.formula.conditions:
            letters = [symbol for symbol in LETTERS if symbol in condition.relation.free_symbols]
            if not self.missing(letters) and not exact(condition.relation, numbers):
                values = ", ".join(f"{symbol.name} = {_short(numbers[symbol])}" for symbol in letters)
                meaning = condition.otherwise or f"it holds where {condition.sentence}"
                raise ConditionViolated(
                    f"{self.formula.name} does not apply, {meaning}: {text(condition.relation)} fails for {values}."
                )


def reach(formula: Formula) -> tuple[Any, ...]:
    """Every letter a value may be given for: the formula's own, those of its conditions, those of what it uses."""
    found = dict.fromkeys(formula.letters)
    for condition in formula.conditions:
        found |= dict.fromkeys(s for s in LETTERS if s in condition.relation.free_symbols)
    for used in formula.closure():
        found |= dict.fromkeys(used.letters)
    return tuple(found)


def find_letter(formula: Formula, name: object) -> Any:
    """The letter that `name` (text or a SymPy symbol) stands for in this formula, by its name or an alias."""
    wanted = name if isinstance(name, str) else getattr(name, "name", None)
    if not isinstance(wanted, str):
        raise UnknownName(f"a letter is given by its name, such as {formula.letters[-1].name!r}.")
    letters = reach(formula)
    for pool in (formula.letters, letters):
        for symbol in pool:
            if symbol.name == wanted:
                return symbol
        for symbol in pool:
            if wanted in LETTERS[symbol].aliases:
                return symbol
    own = [symbol.name for symbol in formula.letters]
    raise unknown_name("letter", wanted, own, f"{formula.name} has the letters {', '.join(own)}; ")


def read_value(letter: Letter, value: object) -> Fraction:
    """A user's value for a letter as an exact number in the letter's unit.

    `WrongUnit` for a unit that does not fit, `InvalidValue` for anything that is not a positive finite number, or not a
    whole one where the letter counts.
    """
    number = _with_unit(letter, value) if isinstance(value, str) else _plain(letter, value)
    if number <= 0:
        raise InvalidValue(f"{letter.name} ({letter.meaning}) is positive, but {_shown(value)} was given.")
    if number > _LARGEST or number < 1 / _LARGEST:
        raise InvalidValue(f"{_shown(value)} is out of all proportion for {letter.name} ({letter.meaning}).")
    if letter.whole and number.denominator != 1:
        raise InvalidValue(f"{letter.name} ({letter.meaning}) is a whole number, but {_shown(value)} was given.")
    return number


def _with_unit(letter: Letter, value: str) -> Fraction:
    try:
        number, unit = parse_quantity(value)
    except (InvalidValue, WrongUnit) as error:
        raise type(error)(f"{letter.name}: {error}") from None
    if unit is None:
        return number
    if not letter.unit.accepts(unit):
        raise WrongUnit(
            f"{letter.name} ({letter.meaning}) is in {_named(letter.unit)}, but {_shown(value)} is in "
            f"{unit.dimension}; write it as {_EXAMPLES.get(str(letter.unit), 'a plain number')}."
        )
    return number * unit.scale


def _named(unit: Unit) -> str:
    return "plain numbers" if str(unit) == "1" else str(unit)


def _plain(letter: Letter, value: object) -> Fraction:
    """A number of any numeric type, exactly; one with a fraction as the decimal it prints as."""
    if isinstance(value, Rational) and not isinstance(value, bool):  # ints, fractions, also NumPy's and SymPy's
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise InvalidValue(f"{letter.name} ({letter.meaning}) is a number or text with a unit, not {_shown(value)}.")
    try:
        return Fraction(str(value))
    except ValueError:
        raise InvalidValue(
            f"{letter.name} ({letter.meaning}) is a finite number, but {_shown(value)} was given."
        ) from None


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def gather(
    formula: Formula,
    letters: Mapping[str, object],
    *,
    unknown: Any = None,
    model: str | None = None,
    hardware: str | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
) -> Given:
    """Every value that letters, presets and used formulas give.

    Args:
        formula: whose letters are meant.
        letters: values by letter name; they go before presets.
        unknown: a letter to leave open whatever a preset says.
        model: name of a model preset.
        hardware: name of a hardware preset.
        dtype: number format of the arithmetic.
        weights: storage format of the weights.
        cache: storage format of the KV cache.
    """
    given = Given(formula)
    for name, value in letters.items():
        symbol = find_letter(formula, name)
        if symbol in given.values:
            raise InvalidValue(f"{symbol.name} was given twice, once under another name.")
        given.values[symbol] = Input(read_value(LETTERS[symbol], value))
    figures, hint = preset_letters(model, hardware, dtype, weights, cache)
    if hint:
        given.hints[F] = hint
    for symbol in reach(formula):
        names = (symbol.name, *LETTERS[symbol].aliases)
        found = next((figures[name] for name in names if name in figures), None)
        if found and symbol not in given.values and symbol != unknown and symbol != formula.quantity:
            origin = ", ".join(filter(None, (found.preset, found.figure.source)))
            given.values[symbol] = Input(read_value(LETTERS[symbol], found.figure.value), origin, found.also)
    if unknown is not None and unknown in given.values:
        del given.values[unknown]
    _complete(given, unknown)
    return given


def _complete(given: Given, unknown: Any) -> None:
    """Compute letters that have no value but a formula among those used, or an equation among the conditions."""
    formulas = {used.quantity: used for used in given.formula.closure() if used.quantity is not None}
    changed = True
    while changed:
        changed = False
        for symbol in reach(given.formula):
            if symbol in given.values or symbol in (unknown, given.formula.quantity):
                continue
            rule = formulas.get(symbol)
            value = _derived(symbol, rule, given)
            if value is not None:
                given.values[symbol] = value
                changed = True


def _derived(symbol: Any, rule: Formula | None, given: Given) -> Input | None:
    numbers = given.numbers()
    if rule is not None and rule.rhs.free_symbols <= numbers.keys() and _admits(rule, numbers):
        return Input(Fraction(exact(rule.rhs, numbers)), f"by {rule.name}", computed_by=rule)
    for condition in given.formula.conditions:
        relation = condition.relation
        if relation.is_Equality and relation.rhs == symbol and relation.lhs.free_symbols <= numbers.keys():
            return Input(Fraction(exact(relation.lhs, numbers)), f"as {condition.sentence}")
    return None


def _admits(rule: Formula, numbers: Mapping[Any, Fraction]) -> bool:
    """Whether the conditions of a used formula hold, as far as they can be told."""
    relations = (c.relation for c in rule.conditions if c.relation.free_symbols <= numbers.keys())
    return all(exact(relation, numbers) for relation in relations)


def _short(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 and value < 10**12 else f"{float(value):.6g}"
