"""From what a user gives to exact values of letters

Letters come by name, or from presets. A letter that is given goes before a preset, and whatever has a value goes
before what could be computed. Checked here, once: whether the formula has such a letter, whether a given one makes any
difference, whether the formula's conditions hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..claims import Condition
from ..errors import ConditionViolated, InvalidValue, Overdetermined, Underdetermined, UnknownName, listed, unknown_name
from ..expressions.exact import exact
from ..expressions.printing import text
from ..formula import Formula
from ..models.choices import mismatch
from ..notation import LETTERS
from ..presets import NONE, Presets, model
from ..presets.by_letter import Found, preset_letters, presets_for
from ..units import significant
from .reading import EXAMPLES, read_as, read_value
from .rules import Rules, letters_of, rules

_BY_NAME = {letter.name: letter for letter in LETTERS.values()}


@dataclass(frozen=True)
class Input:
    """The value of one letter and where it comes from.

    Attributes:
        value: exact, in the letter's unit.
        origin: "" if it was given; otherwise the preset and its source, or the formula it was computed with.
        also: what other sources print for it, or the preset's value that it replaces.
        computed_by: the formula or the condition it was computed with; None if it was given, by itself or by a preset.
    """

    value: Fraction
    origin: str = ""
    also: str = ""
    computed_by: Formula | Condition | None = None


@dataclass
class Given:
    """All letters a formula has a value for."""

    formula: Formula
    chosen: tuple[Formula, ...] = ()  # the formulas that the model picks
    values: dict[Any, Input] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)  # why a preset gives a letter no value

    @property
    def rules(self) -> Rules:
        """The formulas that compute letters without a value."""
        return rules(self.formula, self.chosen)

    def numbers(self) -> dict[Any, Fraction]:
        """The exact values alone."""
        return {symbol: value.value for symbol, value in self.values.items()}

    def stated(self) -> frozenset[Any]:
        """The letters whose values were given, by themselves or by a preset, rather than computed."""
        return frozenset(symbol for symbol, value in self.values.items() if value.computed_by is None)

    def missing(self, letters: Iterable[Any]) -> list[Any]:
        """Those of the letters that have no value."""
        return [symbol for symbol in letters if symbol not in self.values]

    def require(self, letters: Iterable[Any]) -> None:
        """`Underdetermined` if any of the letters has no value, `ConditionViolated` if its formula does not apply."""
        missing = self.missing(letters)
        for rule in filter(None, map(self.rules.get, missing)):
            self._hold(rule)
        lacking = [symbol.name for symbol in dict.fromkeys(map(self._last_open, missing))]
        if not lacking:
            return
        advice = [self.hints[name] for name in lacking if name in self.hints]
        if open_ones := [name for name in lacking if name not in self.hints]:
            example = EXAMPLES.get(str(_BY_NAME[open_ones[0]].unit), "8")
            presets = dict.fromkeys(preset for name in open_ones for preset in presets_for(name))
            by_preset = f", or by a preset ({', '.join(f'{preset}=' for preset in presets)})" if presets else ""
            advice.append(f"give {listed(open_ones)} by name, as in {open_ones[0]}={example}{by_preset}")
        raise Underdetermined(f"{self.formula.name} needs a value for {listed(lacking)}: {'; '.join(advice)}.")

    def _last_open(self, symbol: Any) -> Any:
        """The one letter that keeps an open one from being computed; the open one itself if there are several."""
        if (rule := self.rules.get(symbol)) is None:
            return symbol
        lacking = self.missing(s for s in rule.rhs.free_symbols if s != symbol)
        return self._last_open(lacking[0]) if len(lacking) == 1 else symbol

    def hold(self) -> None:
        """`ConditionViolated` if a condition of the formula whose letters all have values does not hold."""
        self._hold(self.formula)

    def _hold(self, formula: Formula) -> None:
        numbers = self.numbers()
        for condition in formula.conditions:
            letters = [symbol for symbol in LETTERS if symbol in condition.relation.free_symbols]
            if not self.missing(letters) and not exact(condition.relation, numbers):
                values = ", ".join(f"{symbol.name} = {_short(numbers[symbol])}" for symbol in letters)
                meaning = condition.otherwise or f"its condition ({condition.sentence}) is not met"
                raise ConditionViolated(
                    f"{self.formula.name} does not apply, {meaning}: {text(condition.relation)} fails for {values}."
                )

    def refuse_unused(self, given: Iterable[Any]) -> None:
        """`Overdetermined` if one of the given letters changes nothing, since what it would count for has a value."""
        stated = self.stated()
        reached = reach(self.formula, self.chosen, stated)
        for symbol in given:
            if symbol not in reach(self.formula, self.chosen):
                raise Overdetermined(
                    f"{self.formula.name} does not depend on {symbol.name}: {text(self.formula.claim)}."
                )
            if symbol not in reached:
                above = [s for s in reached if s in stated and symbol in _below(self.formula, self.chosen, [s])]
                values = listed([f"{s.name} = {_short(self.values[s].value)}" for s in above])
                raise Overdetermined(
                    f"{symbol.name} changes nothing in {self.formula.name} here, because {values} is given as well; "
                    f"leave out one or the other."
                )


@lru_cache(maxsize=2**12)  # asked again and again for one formula and model
def reach(formula: Formula, chosen: tuple[Formula, ...] = (), known: frozenset[Any] = frozenset()) -> tuple[Any, ...]:
    """Every letter the formula depends on: its own, those of its conditions, and what these can be computed from.

    What a `known` letter could be computed from is left out.
    """
    return _below(formula, chosen, letters_of(formula), known)


def _below(
    formula: Formula, chosen: tuple[Formula, ...], letters: Iterable[Any], known: frozenset[Any] = frozenset()
) -> tuple[Any, ...]:
    """The letters, and all from which those that are not known can be computed, directly or not."""
    found = dict.fromkeys(letters)
    by = rules(formula, chosen)
    waiting = list(found)
    for symbol in waiting:  # it grows on the way
        if symbol in known:
            continue
        rule = by.get(symbol)
        more = letters_of(rule) if rule else []  # its conditions have to be told too
        more += [
            s for s in LETTERS for c in formula.conditions if _gives(c, symbol) and s in c.relation.lhs.free_symbols
        ]
        waiting += [s for s in dict.fromkeys(more) if s not in found]
        found |= dict.fromkeys(more)
    return tuple(found)


def _gives(condition: Condition, symbol: Any) -> bool:
    """Whether the condition is an equation with the letter alone on its right."""
    return bool(condition.relation.is_Equality and condition.relation.rhs == symbol)


def find_letter(formula: Formula, name: object, chosen: tuple[Formula, ...] = ()) -> Any:
    """The letter that `name` (text or a SymPy symbol) stands for in this formula, by its name or an alias.

    Names are those in code or as printed (`B_star`, `B*`). A letter of other formulas is found by its name only.
    """
    wanted = name if isinstance(name, str) else getattr(name, "name", None)
    if not isinstance(wanted, str):
        raise UnknownName(f"a letter is given by its name, such as {formula.letters[-1].name!r}.")
    letters = reach(formula, chosen)
    for pool in (formula.letters, letters):
        for symbol in pool:
            if wanted in (symbol.name, LETTERS[symbol].shown or symbol.name):
                return symbol
        for symbol in pool:
            if wanted in LETTERS[symbol].aliases:
                return symbol
    for symbol in LETTERS:
        if symbol.name == wanted:
            return symbol
    known = [name for symbol in letters for name in (symbol.name, *LETTERS[symbol].aliases)]
    own = ", ".join(symbol.name for symbol in formula.letters)
    raise unknown_name("letter", wanted, known, otherwise=f"{formula.name} has the letters {own}")


def gather(
    formula: Formula,
    letters: Mapping[str, object],
    presets: Presets = NONE,
    *,
    unknown: Any = None,
) -> Given:
    """Every value that letters, presets and used formulas give.

    Args:
        formula: whose letters are meant.
        letters: values by letter name; they go before presets.
        presets: where other letters take their values from.
        unknown: a letter to leave open whatever a preset says.
    """
    given = Given(formula, picked(formula, presets))
    for name, value in letters.items():
        symbol = find_letter(formula, name, given.chosen)
        if symbol in given.values:
            raise InvalidValue(f"{symbol.name} was given twice, once under another name.")
        given.values[symbol] = Input(read_value(LETTERS[symbol], value), also=read_as(LETTERS[symbol], value))
    explicit = tuple(given.values)
    figures, given.hints = preset_letters(presets)
    for symbol in reach(formula, given.chosen):
        found = _figure(symbol, figures)
        if found is None or symbol in (unknown, formula.quantity):
            continue
        origin = ", ".join(filter(None, (found.preset, found.figure.source)))
        preset = Input(read_value(LETTERS[symbol], found.figure.value), origin, found.also)
        mine = given.values.setdefault(symbol, preset)
        if mine.value != preset.value:
            given.values[symbol] = Input(mine.value, also=f"instead of {found.figure.value}, {origin}")
    given.values.pop(unknown, None)
    given.refuse_unused(explicit)
    _complete(given, unknown)
    return given


def picked(formula: Formula, presets: Presets) -> tuple[Formula, ...]:
    """The formulas that the model of the presets picks; `ConditionViolated` if the given one is for other models."""
    if presets.model is None:
        return ()
    found = model(presets.model)
    if reason := mismatch(formula, found.name, found.traits):
        raise ConditionViolated(f"{formula.name} does not apply, {reason}.")
    return found.formulas


def _figure(symbol: Any, figures: Mapping[str, Found]) -> Found | None:
    """What presets give for a letter, by its name or an alias.

    A figure of another letter serves only if it counts the same: a head's width is one, in `d` or `d_head`, but the
    bytes of a weight are not those of a number in the cache.
    """
    unit = LETTERS[symbol].unit
    names = (name for name in LETTERS[symbol].aliases if name not in _BY_NAME or _BY_NAME[name].unit == unit)
    return next((figures[name] for name in (symbol.name, *names) if name in figures), None)


def gather_inputs(formula: Formula, letters: Mapping[str, object], presets: Presets = NONE) -> Given:
    """What the quantity of a formula is computed from; `Overdetermined` if the quantity itself is given.

    Conditions whose letters have values are checked.
    """
    chosen = picked(formula, presets)
    if formula.quantity is not None and formula.quantity in {find_letter(formula, name, chosen) for name in letters}:
        name = formula.quantity.name
        raise Overdetermined(f"{name} is what {formula.name} computes; to compute another letter from it, use solve.")
    given = gather(formula, letters, presets, unknown=formula.quantity)
    given.hold()
    return given


def _complete(given: Given, unknown: Any) -> None:
    """Compute letters that have no value but a formula among those used, or an equation among the conditions."""
    letters = [s for s in reach(given.formula, given.chosen) if s not in (unknown, given.formula.quantity)]
    changed = True
    while changed:
        changed = False
        for symbol in given.missing(letters):
            value = _derived(symbol, given.rules.get(symbol), given)
            if value is not None:
                given.values[symbol] = value
                changed = True


def _derived(symbol: Any, rule: Formula | None, given: Given) -> Input | None:
    numbers = given.numbers()
    if rule is not None and rule.rhs.free_symbols <= numbers.keys() and _admits(rule, numbers):
        return Input(Fraction(exact(rule.rhs, numbers)), f"by {rule.name}", computed_by=rule)
    for condition in given.formula.conditions:
        relation = condition.relation
        if _gives(condition, symbol) and relation.lhs.free_symbols <= numbers.keys():
            return Input(Fraction(exact(relation.lhs, numbers)), f"as {condition.sentence}", computed_by=condition)
    return None


def _admits(rule: Formula, numbers: Mapping[Any, Fraction]) -> bool:
    """Whether the conditions of a used formula hold, as far as they can be told."""
    relations = (c.relation for c in rule.conditions if c.relation.free_symbols <= numbers.keys())
    return all(exact(relation, numbers) for relation in relations)


def _short(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 and value < 10**12 else significant(value, 6)
