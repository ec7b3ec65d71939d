"""Where the two witnesses meet: what a formula predicts beside what the engine counts

The only module that knows both. The letters of a formula are matched with the parameters of the probe that measures
it, letters that other formulas define are computed with those, and both witnesses are asked the same question.
Exact fractions are compared with `==`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from sympy import Le, Symbol

from reference_engine.probes import PROBES, Parts, Probe, Ratio

from ..architecture import AXES, PLAIN, Trait, Traits, lacking
from ..claims import Condition, same
from ..errors import CatalogueError
from ..expressions.decide import at_least_zero
from ..expressions.exact import exact
from ..expressions.feasible import feasible
from ..formula import Formula
from ..models.choices import chosen
from ..notation import (
    LETTERS,
    N,
    b_q,
    d_head,
    d_model,
    d_rope,
    n_active,
    n_blocks,
    n_experts,
    n_global,
    n_heads,
    n_kv_heads,
    n_local,
    n_moe,
    n_window,
)
from .configurations import FIGURES, STANDARD, places

Config = Mapping[str, int | Fraction]
Values = dict[Any, Fraction]


@dataclass(frozen=True)
class Comparison:
    """One question put to both witnesses.

    Attributes:
        config: the parameters of the probe.
        predicted: what the formula says.
        measured: what the engine counts.
        equal: whether they agree.
    """

    config: Config
    predicted: Any
    measured: Any
    equal: bool


def probe_of(name: str, formula: Formula) -> Probe:
    """The probe of that name; `CatalogueError` if the engine has none."""
    if name not in PROBES:
        raise CatalogueError(f"{formula.name} is measured by {name!r}, which the engine does not have.")
    return PROBES[name]


@lru_cache(maxsize=2**14)  # a check of everything asks some thousand questions, many of them for several formulas
def _ask(probe: Probe, answers_to: tuple[int | Fraction, ...]) -> Any:
    return probe.ask(**dict(zip(probe.parameters, answers_to, strict=True)))


def ask(probe: Probe, config: Config) -> Any:
    """The engine's answer, kept for the next time the same is asked."""
    return _ask(probe, tuple(config[name] for name in probe.parameters))


def by_factors(parameters: Iterable[str]) -> dict[Any, Any]:
    """The letters that a probe with these parameters does not take, written with those it takes or that stand before.

    Shapes with divisibility are given by their factors: heads by groups that share keys and by pairs that are rotated,
    the sequence by tiles, experts by those that work on a token and those that do not, a
    context by the window and what lies before it. Where a probe does not say
    otherwise, the decoder is that of the articles: its heads share the model's width and each has keys of its own.
    """
    taken = set(parameters)
    group, pairs, tiles, idle, beyond = (
        Symbol(name, positive=True) for name in ("group", "pairs", "tiles", "idle", "beyond")
    )
    rules = (
        (d_head, 2 * pairs),
        (d_rope, 2 * pairs),
        (n_heads, n_kv_heads * group),
        (d_model, n_heads * d_head),
        (n_kv_heads, n_heads),
        (N, b_q * tiles),
        (n_experts, n_active + idle),
        (N, n_window + beyond),
        (n_blocks, n_global + n_local),
        (n_moe, n_blocks),
    )
    written = {}
    for symbol, factors in rules:
        names = {LETTERS[s].engine if s in LETTERS else s.name for s in factors.free_symbols}
        if LETTERS[symbol].engine not in taken and names <= taken:
            written[symbol] = factors
            taken.add(LETTERS[symbol].engine)
    return written


def guaranteed(relation: Any, formula: Formula) -> bool:
    """Whether an inequality holds whatever the parameters of the formula's probe are."""
    probe = PROBES.get(formula.measured_by)
    if probe is None or not isinstance(relation, Le):
        return False
    gap = formula.unfold(relation.gts - relation.lts)
    return at_least_zero(gap.xreplace(by_factors(probe.parameters))) is True


def traits_of(probe: Probe) -> Traits:
    """The traits of the decoder that a probe runs."""
    named = frozenset(Trait[name.upper()] for name in probe.architecture)
    return frozenset(trait for axis in AXES for trait in (named & axis or PLAIN & axis))


@lru_cache(maxsize=2**12)
def bound(formula: Formula, probe: Probe) -> tuple[Formula, ...]:
    """The formulas that compute letters for a probe, the basic ones first: those that are for decoders like its own.

    What such a model picks goes before what the formula uses.
    """
    traits = traits_of(probe)
    picks = (one for one in chosen(traits) if one.quantity != formula.quantity) if probe.architecture else ()
    every = dict.fromkeys(f for direct in (*picks, *formula.uses) for f in (*direct.closure(), direct))
    return tuple(f for f in every if f.quantity is not None and not lacking(f.traits, traits))


def letter_values(uses: tuple[Formula, ...], config: Config) -> Values:
    """The letters that a configuration gives, with those that the used formulas compute from them."""
    values: Values = {
        symbol: Fraction(config[letter.engine]) for symbol, letter in LETTERS.items() if letter.engine in config
    }
    plain = {Symbol(name, positive=True): Fraction(value) for name, value in config.items()}
    for symbol, factors in by_factors(config).items():
        values[symbol] = exact(factors, plain | values)
    for quantity, rhs, letters, conditions in _computing(uses):
        if quantity not in values and letters <= values.keys() and _admitted(conditions, values):
            values[quantity] = exact(rhs, values)
    return values


@lru_cache(maxsize=2**10)
def _computing(uses: tuple[Formula, ...]) -> tuple[tuple[Any, Any, frozenset[Any], tuple[Condition, ...]], ...]:
    """Letter, right-hand side, its letters and conditions of all that may compute one, the basic formulas first."""
    return tuple((f.quantity, f.rhs, frozenset(f.rhs.free_symbols), f.conditions) for f in uses)


def _predict(formula: Formula, probe: Probe, values: Values, expression: Any) -> Any:
    try:
        return exact(expression, values)
    except KeyError as missing:
        raise CatalogueError(
            f"{formula.name} depends on {missing.args[0]}, which its probe {probe.name} does not take."
        ) from None


Configs = tuple[tuple[tuple[str, int | Fraction], ...], ...]
Case = tuple[dict[str, int | Fraction], Values, Any]  # a configuration, the letters' values, the engine's answer


@lru_cache(maxsize=256)
def _cases(
    uses: tuple[Formula, ...],
    conditions: tuple[Condition, ...],
    probe: Probe,
    configs: Configs,
) -> tuple[Case, ...]:
    """The configurations that the conditions admit, each question once, with the engine's answer."""
    found: dict[tuple[Any, ...], Case] = {}
    for items in configs:
        config = {name: value for name, value in items if name in probe.parameters}
        key = tuple(config[name] for name in probe.parameters)
        if key not in found and _admitted(conditions, values := letter_values(uses, config)):
            found[key] = config, values, ask(probe, config)
    return tuple(found.values())


def applies(formula: Formula, probe: Probe, config: Config, relations: tuple[Any, ...] = ()) -> bool:
    """Whether a formula's conditions, as far as they have values, and some relations hold for a configuration."""
    values = letter_values(bound(formula, probe), config)
    return _admitted(formula.conditions, values) and all(exact(relation, values) for relation in relations)


def _admitted(conditions: tuple[Condition, ...], values: Values) -> bool:
    return all(exact(c.relation, values) for c in conditions if c.relation.free_symbols <= values.keys())


def admitted(formula: Formula, config: Config, witness: str = "") -> Config | None:
    """A configuration of one of the formula's probes, moved as far as its conditions and what it presupposes ask for.

    None where no move was found.
    """
    probe = probe_of(witness or formula.measured_by, formula)
    return _moved(bound(formula, probe), _relations(formula), {name: config[name] for name in probe.parameters})


def _relations(formula: Formula) -> tuple[Any, ...]:
    return (*(condition.relation for condition in formula.conditions), *formula.statement.presupposed)


def _moved(uses: tuple[Formula, ...], relations: tuple[Any, ...], config: Config) -> Config | None:
    figures_first = dict(sorted(config.items(), key=lambda item: item[0] not in FIGURES))
    found = feasible(figures_first, relations, places, partial(letter_values, uses))
    return {name: found[name] for name in config} if found is not None else None


@lru_cache(maxsize=256)
def _standard(uses: tuple[Formula, ...], relations: tuple[Any, ...], probe: Probe) -> Configs:
    """The standard configurations, each moved to where the relations hold; so a formula of any kind has some."""
    asked = ({name: value for name, value in config if name in probe.parameters} for config in STANDARD)
    moved = (_moved(uses, relations, config) for config in {tuple(c.items()): c for c in asked}.values())
    return tuple(tuple(config.items()) for config in moved if config is not None)


def comparisons(formula: Formula, configs: Iterable[Config] | None = None) -> list[Comparison]:
    """The formula beside the engine for each configuration its conditions admit, equal questions once."""
    return list(compared(formula, configs))


def compared(formula: Formula, configs: Iterable[Config] | None = None) -> Iterator[Comparison]:
    """The same one by one, for those who ask only until the two differ."""
    given = None if configs is None else tuple(tuple(config.items()) for config in configs)
    for name in formula.witnesses:
        probe = probe_of(name, formula)
        by, taken = bound(formula, probe), set(probe.parameters)
        if given is None:
            asked = _standard(by, _relations(formula), probe)
        else:  # a configuration is for the probes that it has all parameters of
            asked = tuple(config for config in given if taken <= dict(config).keys())
        for case in _cases(by, formula.conditions, probe, asked):
            if (comparison := _compared(formula, probe, *case)) is not None:
                yield comparison


def _compared(formula: Formula, probe: Probe, config: Config, values: Values, measured: Any) -> Comparison | None:
    """None where an implication says nothing, because what it presupposes does not hold."""
    claim, at = formula.statement, partial(_predict, formula, probe, values)
    if not claim.speaks(at):
        return None
    predicted, counted = at(claim.conclusion), _counted(measured)
    return Comparison(config, predicted, counted, claim.agrees(predicted, counted, at))


def _counted(measured: Any) -> Any:
    return measured.value if isinstance(measured, Ratio | Parts) else measured


def compare_step(formula: Formula, index: int) -> list[Comparison]:
    """What one step brings in beside the measurement it names, on the standard configurations."""
    step = formula.steps[index]
    probe = probe_of(step.measured_by, formula)
    brought = step.brings.rhs if isinstance(step.brings, Formula) else step.brings
    found = []
    by = bound(formula, probe)
    asked = _standard(by, tuple(condition.relation for condition in formula.conditions), probe)
    for config, values, measured in _cases(by, formula.conditions, probe, asked):
        predicted, counted = _predict(formula, probe, values, brought), _counted(measured)
        found.append(Comparison(config, predicted, counted, same(predicted, counted)))
    return found
