"""The values that letters have, and what follows from them

What has a value goes before what could be computed. A letter is computed by a formula only where that formula's
conditions hold; where they do not, the letter stays open, and whoever needs it is told which condition fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..algebra import Eq, Ge, Gt, Le, Mod, Rational
from ..claims import Condition
from ..errors import ConditionViolated, InvalidValue, Overdetermined, Underdetermined, listed, option
from ..expressions.arithmetic import Inexact
from ..expressions.exact import exact
from ..expressions.parts import letters_of
from ..expressions.printing import text
from ..formula import Formula
from ..notation import LETTERS, Letter, named
from ..presets import NONE, Presets
from ..presets.by_letter import Hint, presets_for
from ..presets.parse_value import example_of
from ..reached import reached
from ..units import significant
from .numeric import digits, real
from .resolution import Rules, below, gives, reach, rules


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


@dataclass(frozen=True)
class Failure:
    """A condition that does not hold, with the values for which it does not."""

    condition: Condition
    values: Mapping[Any, Fraction]


@dataclass
class Given:
    """All letters a formula has a value for."""

    formula: Formula
    chosen: tuple[Formula, ...] = ()  # the formulas that the model picks
    values: dict[Any, Input] = field(default_factory=dict)
    hints: dict[str, Hint] = field(default_factory=dict)  # why a preset gives a letter no value
    # letters without a value since their formula does not apply, with the condition of it that fails
    refused: dict[Any, Failure] = field(default_factory=dict)
    presets: Presets = NONE
    idle: frozenset[Any] = frozenset()  # letters without a value that make no difference: zero times each is taken

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
        """The letters, out of the given ones, that have no value."""
        return [symbol for symbol in letters if symbol not in self.values]

    def computing(self, letters: Iterable[Any]) -> tuple[Formula, ...]:
        """The formulas by which the values of these letters were computed, directly or not."""
        by = {s: value.computed_by for s, value in self.values.items() if isinstance(value.computed_by, Formula)}
        met = reached(letters, lambda symbol: by[symbol].rhs.free_symbols if symbol in by else ())
        return tuple(dict.fromkeys(by[symbol] for symbol in met if symbol in by))

    def complete(self, unknown: Any = None) -> None:
        """Compute letters that have no value but a formula among those used, or an equation among the conditions."""
        letters = [s for s in reach(self.formula, self.chosen) if s not in (unknown, self.formula.quantity)]
        while True:
            changed = True
            while changed:
                changed = False
                for symbol in self.missing(letters):
                    value = self._derived(symbol)
                    if value is not None:
                        self.values[symbol] = value
                        changed = True
            # a condition may have a letter that got its value later than what the formula computes
            if not (failing := self._failing()):
                return
            self.refused |= failing
            # anything computed may rest on what failed, so all of it is done again, each time with one formula fewer
            self.values = {s: value for s, value in self.values.items() if value.computed_by is None}

    def _derived(self, symbol: Any) -> Input | None:
        numbers = self.numbers()
        rule = self.rules.get(symbol)
        if rule is not None and symbol not in self.refused and rule.rhs.free_symbols <= numbers.keys():
            failing = first_broken(rule.demanded, numbers) or no_quantity(rule, numbers)
            if failing is None:
                return Input(real(rule.rhs, numbers), f"by {rule.name}", computed_by=rule)
            self.refused[symbol] = Failure(failing, numbers)
        for condition in self.formula.conditions:
            relation = condition.relation
            if gives(condition, symbol) and relation.lhs.free_symbols <= numbers.keys():
                return Input(Fraction(exact(relation.lhs, numbers)), f"as {condition.sentence}", computed_by=condition)
        return None

    def _failing(self) -> dict[Any, Failure]:
        """Letters that were computed by a formula that, with all values, does not apply."""
        numbers = self.numbers()
        computed = {s: v.computed_by for s, v in self.values.items() if isinstance(v.computed_by, Formula)}
        broken = {symbol: first_broken(rule.demanded, numbers) for symbol, rule in computed.items()}
        return {symbol: Failure(condition, numbers) for symbol, condition in broken.items() if condition is not None}

    def with_value(self, symbol: Any, value: Fraction) -> Given:
        """A copy with a value for one letter more, and with all that follows from it."""
        # with no refusals: what did not apply may do so now, and the other way round
        found = Given(
            self.formula, self.chosen, {**self.values, symbol: Input(value)}, self.hints, presets=self.presets
        )
        found.complete()
        return found

    def broken(self) -> Failure | None:
        """A condition that does not hold: of the formula, or of one by which a letter of its claim is computed."""
        conditions = (*self.formula.demanded, *bounds(self.values))
        if failing := first_broken(conditions, numbers := self.numbers()):
            return Failure(failing, numbers)
        claimed = self.formula.letters if self.formula.quantity is None else self.formula.rhs.free_symbols
        return next(iter(self._refused_below(claimed).values()), None)

    def pinned(self, symbol: Any) -> Iterator[Fraction]:
        """Values of a letter that equations among the conditions fix, such as the number of heads for a width."""
        numbers = self.numbers()
        for condition in (c for formula in (self.formula, *self.rules.values()) for c in formula.demanded):
            relation = condition.relation
            if not isinstance(relation, Eq) or relation.has(Mod):
                continue
            if symbol in relation.free_symbols <= {symbol, *numbers}:
                gap = relation.lhs - relation.rhs
                at_one, at_two = (Fraction(exact(gap, {**numbers, symbol: Fraction(at)})) for at in (1, 2))
                if at_two != at_one and (value := 1 - at_one / (at_two - at_one)) > 0:
                    yield value

    def failing_throughout(self, symbol: Any, points: Iterable[Fraction]) -> Failure | None:
        """The condition that fails at the first of some values of a letter; None unless one fails at each of them."""
        failures = (self.with_value(symbol, point).broken() for point in points)
        first = next(failures)
        return first if first is None or all(failures) else None

    def _refused_below(self, letters: Iterable[Any]) -> dict[Any, Failure]:
        """Failures of formulas that do not apply, by letter: of open ones among these, and of those they rest on."""

        def inner(symbol: Any) -> list[Any]:
            rule = self.rules.get(symbol)
            return self.missing(rule.rhs.free_symbols) if rule is not None and symbol not in self.refused else []

        met = reached(self.missing(letters), inner)
        return {symbol: self.refused[symbol] for symbol in met if symbol in self.refused}

    def require(self, letters: Iterable[Any]) -> None:
        """Raise `Underdetermined` if a letter has no value, `ConditionViolated` if its formula does not apply."""
        missing = self.missing(letters)
        self.apply(missing)
        lacking = [symbol.name for symbol in dict.fromkeys(lower for one in missing for lower in self._open_below(one))]
        if lacking:
            raise Underdetermined(
                f"{self.formula.name} needs a value for {listed(lacking)}: {advice(lacking, self.hints)}."
            )

    def conditional(self) -> list[Any]:
        """The letters of the formula's conditions that are asked."""
        return [*letters_of(condition.relation for condition in self.formula.asked)]

    def assumed(self, letters: Iterable[Any]) -> tuple[Condition, ...]:
        """Conditions that cannot be told and are assumed, of the formula or of one that computes one of the letters."""
        through = (self.formula, *self.computing(letters))
        return tuple({c: None for f in through for c in f.demanded if self.missing(c.relation.free_symbols)})

    def ask(self, letters: Iterable[Any]) -> None:
        """Raise `Underdetermined` if a condition cannot be told, of the formula or of one that computes a letter.

        A letter may stand in a condition only: then nothing but the condition asks for it.
        """
        for formula in (self.formula, *self.computing(letters)):
            open_ones = [c.relation for c in formula.asked if self.missing(c.relation.free_symbols)]
            if not open_ones:
                continue
            missing = self.missing(letters_of(open_ones))
            self.apply(missing)
            names = [symbol.name for symbol in missing]
            whose = "it" if formula is self.formula else formula.name
            raise Underdetermined(
                f"{self.formula.name} needs a value for {listed(names)}, because {whose} holds only if "
                f"{listed(map(text, open_ones))}: {advice(names, self.hints)}."
            )

    def _open_below(self, symbol: Any) -> list[Any]:
        """The letters without a value that keep an open letter from being computed.

        The letter itself, where none is lacking, or where several are and no model picks formulas.
        """
        rule = self.rules.get(symbol)
        needed = [s for s in rule.letters if s in rule.rhs.free_symbols and s != symbol] if rule is not None else []
        lacking = self.missing(needed)
        if not lacking or (len(lacking) > 1 and not self.chosen):
            return [symbol]
        return [lower for one in lacking for lower in self._open_below(one)]

    def apply(self, letters: Iterable[Any]) -> None:
        """Raise `ConditionViolated` if a formula by which one of the letters would be computed does not apply."""
        for symbol, failure in self._refused_below(letters).items():
            raise self._violated(failure, self.rules[symbol])

    def hold(self, formula: Formula | None = None) -> None:
        """Raise `ConditionViolated` if a condition of the formula, or of one it uses, is known not to hold."""
        asked = formula or self.formula
        if failing := first_broken(asked.demanded, numbers := self.numbers()):
            raise self._violated(Failure(failing, numbers), asked)

    def _violated(self, failure: Failure, of: Formula) -> ConditionViolated:
        condition = failure.condition
        letters = letters_of([condition.relation])
        values = ", ".join(f"{symbol.name} = {_short(failure.values[symbol])}" for symbol in letters)
        whose = "its condition" if of is self.formula else f"the condition of {of.name}"
        meaning = condition.otherwise or f"{whose} ({condition.sentence}) is not met"
        return ConditionViolated(
            f"{self.formula.name} does not apply, because {meaning}: {text(condition.relation)} fails for {values}."
        )

    def bounded(self) -> None:
        """Raise `InvalidValue` if a letter is less than one that it cannot be less than."""
        if failing := first_broken(bounds(self.values), numbers := self.numbers()):
            least, symbol = failing.relation.args
            raise InvalidValue(
                f"{symbol.name} ({LETTERS[symbol].meaning}) must be at least {least.name} "
                f"({LETTERS[least].meaning}), but "
                f"{_short(numbers[symbol])} is less than {_short(numbers[least])}."
            )

    def refuse_unused(self, given: Iterable[Any]) -> None:
        """Raise `Overdetermined` if a given letter changes nothing, since what it would count for has a value."""
        stated = self.stated()
        reached = reach(self.formula, self.chosen, stated)
        for symbol in given:
            if symbol not in reach(self.formula, self.chosen):
                raise Overdetermined(
                    f"{self.formula.name} does not depend on {symbol.name}: {text(self.formula.claim)}."
                )
            if symbol not in reached:
                above = [s for s in reached if s in stated and symbol in below(self.formula, self.chosen, [s])]
                values = listed([f"{s.name} = {_short(self.values[s].value)}" for s in above])
                raise Overdetermined(
                    f"{symbol.name} does not change {self.formula.name} here, because {values} is given as well; "
                    f"leave out one of them."
                )


def bounds(letters: Iterable[Any]) -> tuple[Condition, ...]:
    """Conditions that each letter is at least the letter that bounds it from below, where there is one."""
    return tuple(
        Condition(Le(LETTERS[s].at_least, s, evaluate=False), f"{s.name} is never less than {LETTERS[s].at_least.name}")
        for s in letters
        if LETTERS[s].at_least is not None
    )


def advice(lacking: list[str], hints: Mapping[str, Hint]) -> str:
    """Advice on how to give letters a value: why the presets give none, and how it is written.

    Args:
        lacking: the letters, by name.
        hints: reasons why presets give some of them none, which may say what to give instead.
    """
    said = [str(hints[name]) for name in lacking if name in hints]
    if open_ones := [name for name in lacking if name not in hints or not hints[name].instead]:
        presets = dict.fromkeys(preset for name in open_ones if name not in hints for preset in presets_for(name))
        by_preset = f", or by a preset ({', '.join(option(preset, '=') for preset in presets)})" if presets else ""
        example = example_of(LETTERS[named(open_ones[0])])
        said.append(f"give {listed(open_ones)} by name, as in {open_ones[0]}={example}{by_preset}")
    return "; ".join(said)


def first_broken(conditions: Iterable[Condition], values: Mapping[Any, Fraction]) -> Condition | None:
    """The first condition that does not hold, of those whose letters all have values."""
    return next((c for c in conditions if holds(c.relation, values) is False), None)


def holds(relation: Any, values: Mapping[Any, Fraction | int]) -> bool | None:
    """Whether a relation holds; None if some letter of it has no value."""
    if not relation.free_symbols <= values.keys():
        return None
    try:
        return bool(exact(relation, values))
    except (Inexact, InvalidValue):  # a logarithm, an exponent that is not whole, a power beyond all numbers
        sides = (digits(side, values) for side in relation.args)
        return bool(relation.func(*(Rational(side.numerator, side.denominator) for side in sides)))


def no_quantity(formula: Formula, values: Mapping[Any, Fraction]) -> Condition | None:
    """The condition that fails where the quantity comes out as no number of its letter; None where it is one.

    Letters are positive, but a count may be 0 where it is computed: no sequence fits. Which values a letter may be
    given is another matter, for 0 sequences are no batch.
    """
    value, letter = real(formula.rhs, values), LETTERS[formula.quantity]
    if value > 0 or (value == 0 and letter.whole):
        return None
    relation = (Ge if letter.whole else Gt)(formula.rhs, 0, evaluate=False)
    return Condition(relation, f"so that {letter.name} is {least(letter)}")


def least(letter: Letter) -> str:
    """Least value with which a quantity may come out, in words."""
    return "at least 0" if letter.whole else "positive"


def _short(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 and value < 10**12 else significant(value, 6)


def lacks(names: list[str], presets: Presets) -> str:
    """Note that these letters have no value, with the advice how to give them one."""
    return f"needs a value for {listed(names)}: {advice(names, presets.letters[1])}"
