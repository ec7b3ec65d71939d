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
from typing import Any

from sympy import Ge, Gt, Le, Lt

from reference_engine.probes import QUESTIONS, Probe, probes

from ..architecture import lacking
from ..claims import Condition, same
from ..errors import CatalogueError
from ..expressions.decide import above_zero, at_least_zero
from ..expressions.exact import exact, exactly
from ..formula import Formula
from .admitted import Items, relations_of, standard, what_computes
from .asking import counted
from .letters import (
    Config,
    Values,
    admitted_by,
    all_hold,
    bound,
    in_parameters,
    reading,
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
    suiting = tuple(probe for probe in found if not lacking(formula.traits, traits_of(probe.subject)))
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
    if not formula.measured_by or not isinstance(relation, Lt | Le | Gt | Ge):
        return False
    gap, holds = relation.gts - relation.lts, above_zero if isinstance(relation, Lt | Gt) else at_least_zero
    return all(holds(in_parameters(formula, probe, gap)) is True for probe in probes_of(formula.measured_by, formula))


def _predict(formula: Formula, probe: Probe, values: Values, expression: Any) -> Any:
    try:
        return exact(expression, values)
    except KeyError as missing:
        raise CatalogueError(
            f"{formula.name} depends on {missing.args[0]}, which {probe.name} of {probe.subject.name} does not take."
        ) from None


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


def comparisons(formula: Formula, configs: Iterable[Config] | None = None) -> list[Comparison]:
    """The formula beside the engine for each configuration its conditions admit, equal questions once."""
    return list(compared(formula, configs))


def compared(formula: Formula, configs: Iterable[Config] | None = None) -> Iterator[Comparison]:
    """The same one by one, for those who ask only until the two differ."""
    given = None if configs is None else tuple(tuple(config.items()) for config in configs)
    for probe in probes_of(formula.measured_by, formula) if formula.measured_by else ():
        yield from compared_with(formula, probe, given)


def compared_with(formula: Formula, probe: Probe, given: tuple[Items, ...] | None = None) -> Iterator[Comparison]:
    """The comparisons of a formula with one probe that it names."""
    for case in cases_of(formula, probe, given):
        if (comparison := _compared(formula, probe, *case, formula.statement.agrees)) is not None:
            yield comparison


def compared_elsewhere(formula: Formula, probe: Probe, given: tuple[Items, ...] | None = None) -> Iterator[Comparison]:
    """The comparisons with a probe that it does not name: of an approximation the error alone is looked at."""
    for case in cases_of(formula, probe, given):
        if (comparison := _compared(formula, probe, *case, formula.statement.agrees_elsewhere)) is not None:
            yield comparison


def cases_of(formula: Formula, probe: Probe, given: tuple[Items, ...] | None = None) -> Iterator[Case]:
    """Where a formula is compared with a probe: the configuration, the values of letters, and the engine's count."""
    return _asked(
        formula, probe, frozenset(formula.statement.symbols) - {formula.quantity}, relations_of(formula), given
    )


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
        configs = standard(what_computes(by, relations), relations, probe)
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


def _compared(
    formula: Formula, probe: Probe, config: Config, values: Values, measured: Any, agrees: Callable[..., bool]
) -> Comparison | None:
    """None where an implication says nothing, because what it presupposes does not hold."""
    claim, at = formula.statement, partial(_predict, formula, probe, values)
    if not claim.speaks(at):
        return None
    predicted = claim.outcome(at)
    return Comparison(probe.subject.name, config, predicted, measured, agrees(predicted, measured, at))


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
