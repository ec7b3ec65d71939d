"""Evaluating in a loop: what does not depend on the numbers is done once

Which letters are meant, what presets give, which formula computes which letter, whether anything is missing or
superfluous: all of that depends on the formula, the presets and the names of the given letters, not on their values.
`explain` finds it out when it is asked first, and a plan keeps it. A plan has no words: wherever a value is refused, a
condition fails or there is no result, it has no answer, and `explain` is asked, which says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..errors import SymbolicLLMError
from ..expressions.arithmetic import number, plain
from ..expressions.exact import Compute, exactly
from ..formula import Formula
from ..models import Model
from ..notation import LETTERS
from ..presets import NONE, Device, Presets
from ..presets.parse_value import read_value
from ..presets.tables import look_up_preset
from .bindings import bounds, holds
from .explanation import Explanation, explain_formula
from .gather import find_letter

_Number = int | Fraction
_LONGEST = 80  # characters of a value that is kept


@dataclass(frozen=True)
class _Step:
    """A letter, what computes it, and whether it may come out as 0."""

    symbol: Any
    compute: Compute
    or_zero: bool


@dataclass(frozen=True)
class Plan:
    """Plan that evaluates a formula for any numbers that are given for some of its letters.

    Attributes:
        letters: those that are given, by the names they are given by.
        known: values that do not depend on them: those of presets, and what follows from these.
        steps: letters that are computed on the way, each after those it is computed from, and the quantity.
        relations: the relations that have to hold.
        conclusion: the conclusion of a theorem, whose truth is asked; None for other formulas.
    """

    letters: Mapping[str, Any]
    known: Mapping[Any, _Number]
    steps: tuple[_Step, ...]
    relations: tuple[Compute, ...]
    conclusion: Compute | None = None

    def answer(self, letters: Mapping[str, object]) -> int | float | bool | None:
        """The value; None wherever `explain` has to say why there is none."""
        try:
            numbers = dict(self.known)
            for name, symbol in self.letters.items():
                numbers[symbol] = _read(symbol, letters[name])
            value: _Number = 0
            for step in self.steps:
                value = numbers[step.symbol] = step.compute(numbers)
                if value < 0 or (value == 0 and not step.or_zero):  # no number of its letter
                    return None
            if not all(relation(numbers) for relation in self.relations):
                return None
            return bool(self.conclusion(numbers)) if self.conclusion else number(Fraction(value))
        except (SymbolicLLMError, ArithmeticError, ValueError, TypeError):
            return None


def evaluate_formula(formula: Formula, letters: Mapping[str, object], presets: Presets = NONE) -> int | float | bool:
    """The value that `explain` comes to."""
    if not hashable(presets):
        return explain_formula(formula, letters, presets).value
    kept = _kept(formula, tuple(letters), presets)
    if kept and (answer := kept[0].answer(letters)) is not None:
        return answer
    found = explain_formula(formula, letters, presets)
    if not kept and lasting(presets) and (plan := _planned(found, letters)) is not None:
        kept.append(plan)
    return found.value


@lru_cache(maxsize=2**10)
def _kept(formula: Formula, names: tuple[str, ...], presets: Presets) -> list[Plan]:
    """List that keeps the plan for a question once there is one, and is empty before."""
    return []


def hashable(presets: Presets) -> bool:
    """Whether the presets can be a key under which something is kept."""
    kinds = (str | Model | None, str | Device | None, str | None, str | None, str | None)
    return all(map(isinstance, presets.given().values(), kinds))


def lasting(presets: Presets) -> bool:
    """Whether the presets are names and not files, so that they give the same whenever they are asked."""
    try:
        for preset in ("model", "hardware"):
            if isinstance(name := presets.given()[preset], str):
                look_up_preset(preset, name)
    except SymbolicLLMError:
        return False
    return True


@dataclass(frozen=True)
class Recipe:
    """Content of a plan, as expressions.

    Attributes:
        letters: those that are given, by the names they are given by.
        known: values that do not depend on them.
        steps: letters that are computed on the way, with what computes each, and the quantity of the formula if it has
            one.
        relations: the relations that have to hold; of those between known values only the ones that fail.
    """

    letters: Mapping[str, Any]
    known: Mapping[Any, _Number]
    steps: tuple[tuple[Any, Any], ...]
    relations: tuple[Any, ...]

    @property
    def refused(self) -> bool:
        """Whether there is no answer, whatever the open letters are: a relation between known values fails."""
        return any(relation.free_symbols <= self.known.keys() for relation in self.relations)


def recipe(found: Explanation, letters: Iterable[str]) -> Recipe | None:
    """Recipe of an explanation from some letters; None where values decide which formulas it takes, or letters."""
    formula, given, quantity = found.formula, found.given, found.formula.quantity
    if given.refused or given.idle or (quantity is None and formula.statement.said(found.exact)):
        return None
    named = {name: find_letter(formula, name, given.chosen) for name in letters}
    known: dict[Any, _Number] = {}
    steps: list[tuple[Any, Any]] = []
    stated = [*formula.demanded, *bounds(given.values)]
    for symbol, value in given.values.items():  # what is computed stands after what it is computed from
        rule = value.computed_by
        if rule is None:
            if symbol not in named.values():
                known[symbol] = plain(value.value)
            continue
        stated += rule.demanded if isinstance(rule, Formula) else ()
        expression = rule.rhs if isinstance(rule, Formula) else rule.relation.lhs
        if expression.free_symbols <= known.keys():
            known[symbol] = plain(value.value)
        else:
            steps.append((symbol, expression))
    told = (c.relation for c in stated if c.relation.free_symbols <= given.values.keys())
    relations = tuple(r for r in dict.fromkeys(told) if not holds(r, known))
    last = () if quantity is None else ((quantity, formula.rhs),)
    return Recipe(named, known, (*steps, *last), relations)


def _planned(found: Explanation, letters: Mapping[str, object]) -> Plan | None:
    if (made := recipe(found, letters)) is None:
        return None
    steps = tuple(_step(symbol, expression) for symbol, expression in made.steps)
    relations = tuple(exactly(relation)[0] for relation in made.relations)
    conclusion = exactly(found.formula.statement.conclusion)[0] if found.formula.quantity is None else None
    return Plan(made.letters, made.known, steps, relations, conclusion)


def _step(symbol: Any, expression: Any) -> _Step:
    return _Step(symbol, exactly(expression)[0], LETTERS[symbol].whole)


@lru_cache(maxsize=2**12, typed=True)  # 1, 1.0 and True are not the same to read
def _read_again(symbol: Any, value: object) -> _Number:
    return plain(read_value(LETTERS[symbol], value))


def _read(symbol: Any, value: object) -> _Number:
    """A value as `read_value` reads it, looked up if it was read before."""
    kept = type(value) in (int, float) or (type(value) is str and len(value) <= _LONGEST)
    return _read_again(symbol, value) if kept else plain(read_value(LETTERS[symbol], value))
