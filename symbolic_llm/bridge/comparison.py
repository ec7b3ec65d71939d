"""Where the two witnesses meet: what a formula predicts beside what the engine counts

A formula names a question. It is put to every subject that the formula is for, the letters get their values from the
same parameters, and both witnesses give an answer. Exact fractions are compared with `==`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from sympy import Le

from reference_engine.probes import QUESTIONS, Probe, probes
from reference_engine.probes.filling import exact_fits
from reference_engine.probes.sharing import just_paid
from reference_engine.probes.targets import just_met

from ..architecture import lacking
from ..claims import Condition, same
from ..errors import CatalogueError
from ..expressions.arithmetic import plain
from ..expressions.decide import at_least_zero
from ..expressions.exact import exact, exactly
from ..expressions.feasible import feasible
from ..formula import Formula
from .asking import counted
from .configurations import FIGURES, STANDARD, places
from .letters import (
    Config,
    Values,
    admitted_by,
    all_hold,
    bound,
    conditions_of,
    depending_on,
    in_parameters,
    reading,
    tied_values,
    traits_of,
)


@dataclass(frozen=True)
class Comparison:
    """One question put to both witnesses.

    Attributes:
        subject: to whom the engine put it.
        config: the parameters of the probe.
        predicted: what the formula says.
        measured: what the engine counts.
        equal: whether they agree.
    """

    subject: str
    config: Config
    predicted: Any
    measured: Any
    equal: bool


@lru_cache(maxsize=2**12)
def probes_of(name: str, formula: Formula) -> tuple[Probe, ...]:
    """The probes of a question, of all subjects that the formula is for; `CatalogueError` if the engine has none."""
    if not (found := probes(name)):
        raise CatalogueError(f"{formula.name} is measured by {name!r}, which the engine does not have.")
    suiting = tuple(probe for probe in found if not lacking(formula.traits, traits_of(probe)))
    if not suiting:
        raise CatalogueError(f"{name} is asked of no decoder of those that {formula.name} is for.")
    return suiting


def breadth(formula: Formula) -> int:
    """How many parameters all questions about a formula have: roughly, how long it takes to compare it."""
    asked = (formula.measured_by, *(step.measured_by for step in formula.steps))
    with suppress(CatalogueError):  # it is met again, and named, where the formula is checked
        return sum(len(probe.parameters) for name in filter(None, asked) for probe in probes_of(name, formula))
    return 0


def guaranteed(relation: Any, formula: Formula) -> bool:
    """Whether an inequality holds whatever the parameters of the formula's probes are."""
    if not formula.measured_by or not isinstance(relation, Le):
        return False
    gap = relation.gts - relation.lts
    return all(
        at_least_zero(in_parameters(formula, probe, gap)) is True for probe in probes_of(formula.measured_by, formula)
    )


def _predict(formula: Formula, probe: Probe, values: Values, expression: Any) -> Any:
    try:
        return exact(expression, values)
    except KeyError as missing:
        raise CatalogueError(
            f"{formula.name} depends on {missing.args[0]}, which {probe.name} of {probe.subject.name} does not take."
        ) from None


Items = tuple[tuple[str, int | Fraction], ...]
Case = tuple[dict[str, int | Fraction], Values, Any]  # a configuration, the letters' values, the engine's answer


class _Cases:
    """The cases of some configurations, each asked for once, when it is first needed: the first may tell enough."""

    def __init__(
        self, by: tuple[Formula, ...], conditions: tuple[Condition, ...], probe: Probe, configs: Iterable[Items]
    ) -> None:
        self._read, self._conditions = reading(by, probe), [exactly(condition.relation) for condition in conditions]
        self._probe, self._configs = probe, configs
        self._known: dict[Items, Case | None] = {}

    def __iter__(self) -> Iterator[Case]:
        asked: set[Items] = set()
        for given in map(dict, self._configs):
            items = tuple((name, given[name]) for name in self._probe.parameters)
            if items in asked:
                continue
            asked.add(items)
            if items not in self._known:
                self._known[items] = self._case(dict(items))
            if (case := self._known[items]) is not None:
                yield case

    def _case(self, config: dict[str, int | Fraction]) -> Case | None:
        """None where the conditions do not admit it."""
        if not all_hold(self._conditions, values := self._read(config)):
            return None
        return config, values, counted(self._probe, config)


_cases = lru_cache(maxsize=512)(_Cases)


def applying(formula: Formula, probe: Probe, relations: tuple[Any, ...] = ()) -> Callable[[Config], bool]:
    """Whether the conditions of a formula, and of those that count its letters, hold for a configuration.

    As far as they have values; and whether some relations of parameters do.
    """
    stated = tuple(condition.relation for condition in conditions_of(formula, probe))
    by = _concerning(bound(formula, probe), stated)
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
    relations = _relations(formula)
    return _moved(_concerning(bound(formula, probe), relations), probe, relations, asked)


def _relations(formula: Formula) -> tuple[Any, ...]:
    return (*(condition.relation for condition in formula.conditions), *formula.statement.presupposed)


@lru_cache(maxsize=2**12)
def _concerning(by: tuple[Formula, ...], relations: tuple[Any, ...]) -> tuple[Formula, ...]:
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


_standard = lru_cache(maxsize=2**10)(_Standard)


@lru_cache(maxsize=2**8)
def _standard_of(parameters: tuple[str, ...]) -> tuple[Config, ...]:
    """The standard configurations as far as they are of these parameters, each once."""
    taken = frozenset(parameters)
    asked = ({name: value for name, value in config if name in taken} for config in STANDARD)
    return tuple({tuple(config.items()): config for config in asked}.values())


def comparisons(formula: Formula, configs: Iterable[Config] | None = None) -> list[Comparison]:
    """The formula beside the engine for each configuration its conditions admit, equal questions once."""
    return list(compared(formula, configs))


def compared(formula: Formula, configs: Iterable[Config] | None = None) -> Iterator[Comparison]:
    """The same one by one, for those who ask only until the two differ."""
    given = None if configs is None else tuple(tuple(config.items()) for config in configs)
    stated = frozenset(formula.statement.symbols) - {formula.quantity}
    for probe in probes_of(formula.measured_by, formula) if formula.measured_by else ():
        for case in _asked(formula, probe, stated, _relations(formula), given):
            if (comparison := _compared(formula, probe, *case)) is not None:
                yield comparison


def _asked(
    formula: Formula,
    probe: Probe,
    stated: frozenset[Any],
    relations: tuple[Any, ...],
    given: tuple[Items, ...] | None = None,
) -> Iterator[Case]:
    """The cases of given configurations that have all parameters of the probe, or of the standard ones.

    Left out are those where what is `stated` has no value.
    """
    by, taken = bound(formula, probe), set(probe.parameters)
    configs: Iterable[Items]
    if given is None:
        configs = _standard(_concerning(by, relations), relations, probe)
    else:
        configs = tuple(config for config in given if taken <= dict(config).keys())
    for case in _cases(by, formula.conditions, probe, configs):
        if not _is_undefined(stated, by, case[1]):
            yield case


def _is_undefined(stated: frozenset[Any], by: tuple[Formula, ...], values: Values) -> bool:
    """Whether a letter has no value because the formula that counts it does not apply here: a condition fails."""
    if values.keys() >= stated:
        return False
    without = {one.quantity: one for one in by if one.quantity not in values}
    for symbol in stated & without.keys():
        one = without[symbol]
        if not admitted_by(one.conditions, values) or _is_undefined(frozenset(one.rhs.free_symbols), by, values):
            return True
    return False


def _compared(formula: Formula, probe: Probe, config: Config, values: Values, measured: Any) -> Comparison | None:
    """None where an implication says nothing, because what it presupposes does not hold."""
    claim, at = formula.statement, partial(_predict, formula, probe, values)
    if not claim.speaks(at):
        return None
    predicted = claim.outcome(at)
    return Comparison(probe.subject.name, config, predicted, measured, claim.agrees(predicted, measured, at))


def compare_step(formula: Formula, index: int) -> list[Comparison]:
    """What one step brings in beside the measurement it names, on the standard configurations."""
    return list(compared_step(formula, index))


def compared_step(formula: Formula, index: int) -> Iterator[Comparison]:
    """The same one by one."""
    step = formula.steps[index]
    brought = step.brings.rhs if isinstance(step.brings, Formula) else step.brings
    for probe in probes_of(step.measured_by, formula):
        relations = tuple(condition.relation for condition in formula.conditions)
        for config, values, measured in _asked(formula, probe, frozenset(brought.free_symbols), relations):
            predicted = _predict(formula, probe, values, brought)
            yield Comparison(probe.subject.name, config, predicted, measured, same(predicted, measured))


def measuring(letter: object) -> tuple[str, ...]:
    """The questions that measure a letter, for decoders of any kind."""
    return tuple(name for name, question in QUESTIONS.items() if question.quantity == str(letter))
