"""Where a formula is asked: configurations for which its conditions hold, moved there if need be"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from reference_engine.probes import Probe
from reference_engine.probes.filling import exact_fits
from reference_engine.probes.sharing import just_paid
from reference_engine.probes.targets import just_met

from ..expressions.arithmetic import plain
from ..expressions.exact import exactly
from ..expressions.feasible import feasible
from ..formula import Formula
from .configurations import FIGURES, STANDARD, places
from .letters import Config, all_hold, bound, conditions_of, depending_on, reading, tied_values

Items = tuple[tuple[str, int | Fraction], ...]


def applying(formula: Formula, probe: Probe, relations: tuple[Any, ...] = ()) -> Callable[[Config], bool]:
    """Whether the conditions of a formula, and of those that count its letters, hold for a configuration.

    As far as they have values; and whether some relations of parameters do.
    """
    stated = tuple(condition.relation for condition in conditions_of(formula, probe))
    by = what_computes(bound(formula, probe), stated)
    read, conditions = reading(by, probe, _needed(by, stated)), [exactly(relation) for relation in stated]
    cases = [exactly(relation) for relation in relations]
    takes = {s: s.name for _, letters in cases for s in letters if s.name in probe.parameters}

    def applies(config: Config) -> bool:
        if stated and not all_hold(conditions, read(config)):
            return False
        values = {symbol: plain(config[name]) for symbol, name in takes.items()}
        return all(holds(values) for holds, _ in cases)

    return applies


def admitted(formula: Formula, config: Config, probe: Probe) -> Config | None:
    """A configuration of a probe, moved as far as the formula's conditions and what it presupposes ask for.

    None where no move was found.
    """
    asked = {name: config[name] for name in probe.parameters}
    asked |= tied_values(formula, probe, asked)  # what an equation leaves no choice needs no search
    relations = relations_of(formula)
    return _moved(what_computes(bound(formula, probe), relations), probe, relations, asked)


def relations_of(formula: Formula) -> tuple[Any, ...]:
    """What its conditions say, and what it presupposes."""
    return (*(condition.relation for condition in formula.conditions), *formula.statement.presupposed)


@lru_cache(maxsize=2**12)
def what_computes(by: tuple[Formula, ...], relations: tuple[Any, ...]) -> tuple[Formula, ...]:
    """Those that compute letters of some relations, or letters that it takes to compute these."""
    return concerning(by, frozenset(symbol for relation in relations for symbol in relation.free_symbols))


def concerning(by: tuple[Formula, ...], letters: frozenset[Any]) -> tuple[Formula, ...]:
    """Of formulas that compute letters, the basic ones first, those that it takes for some letters."""
    needed, found = set(letters), []
    for one in reversed(by):
        if one.quantity in needed:
            found.append(one)
            needed |= one.rhs.free_symbols.union(*(condition.relation.free_symbols for condition in one.conditions))
    return tuple(reversed(found))


def _moved(by: tuple[Formula, ...], probe: Probe, relations: tuple[Any, ...], config: Config) -> Config | None:
    """Only what the relations depend on is moved, figures first: no move of anything else could help."""
    letters = _needed(by, relations)
    moving = [name for name in config if name in depending_on(probe, letters)]
    figures_first = {name: config[name] for name in sorted(moving, key=lambda name: name not in FIGURES)}

    def beside(name: str, bound: Fraction, side: str, moved: Config) -> list[int]:
        return places(name, bound, side, {**config, **moved})

    found = feasible(figures_first, relations, beside, reading(by, probe, letters))
    return {**config, **found} if found is not None else None


@lru_cache(maxsize=2**12)
def _needed(by: tuple[Formula, ...], relations: tuple[Any, ...]) -> frozenset[Any]:
    """The letters of some relations, and of the formulas that compute them."""
    of_formulas = (one.rhs.free_symbols.union(*(c.relation.free_symbols for c in one.conditions)) for one in by)
    return frozenset().union(*(relation.free_symbols for relation in relations), *of_formulas)


class _Standard:
    """The standard configurations, each moved to where some relations hold when it is first needed.

    So a formula of any kind has some. Last come those where something fits, is met or pays exactly.
    """

    def __init__(self, by: tuple[Formula, ...], relations: tuple[Any, ...], probe: Probe) -> None:
        self._move = partial(_moved, by, probe, relations)
        self._asked = _standard_of(probe.parameters)
        self._probe, self._moved = probe, list[Items | None]()
        self._edges: tuple[Items, ...] | None = None

    def __iter__(self) -> Iterator[Items]:
        for place, config in enumerate(self._asked):
            if place == len(self._moved):
                moved = self._move(config)
                self._moved.append(None if moved is None else tuple(moved.items()))
            if (known := self._moved[place]) is not None:
                yield known
        if self._edges is None:
            first = [dict(one) for one in self._moved if one is not None][:2]
            edges = chain(*(edge(self._probe, one) for one in first for edge in (exact_fits, just_met, just_paid)))
            self._edges = tuple(tuple(config.items()) for config in edges)
        yield from self._edges


standard = lru_cache(maxsize=2**10)(_Standard)


@lru_cache(maxsize=2**8)
def _standard_of(parameters: tuple[str, ...]) -> tuple[Config, ...]:
    """The standard configurations as far as they are of these parameters, each once."""
    taken = frozenset(parameters)
    asked = ({name: value for name, value in config if name in taken} for config in STANDARD)
    return tuple({tuple(config.items()): config for config in asked}.values())
