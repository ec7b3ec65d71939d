"""Where the two witnesses meet: what a formula predicts beside what the engine counts

The only module that knows both. The letters of a formula are matched with the parameters of the probe that measures
it, letters that other formulas define are computed with those, and both witnesses are asked the same question.
Exact fractions are compared with `==`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from sympy import Le, Symbol

from reference_engine.probes import PROBES, Parts, Probe, Ratio

from .algebra import at_least_zero
from .claims import Approximation, Condition, Equivalence, Implication
from .errors import CatalogueError
from .evaluation import exact
from .formula import Formula
from .notation import LETTERS, N, b_q, d_head, d_model, n_active, n_experts, n_heads, n_kv_heads

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


@cache
def _ask(name: str, answers_to: tuple[int | Fraction, ...]) -> Any:
    probe = PROBES[name]
    return probe.ask(**dict(zip(probe.parameters, answers_to, strict=True)))


def ask(probe: Probe, config: Config) -> Any:
    """The engine's answer, kept for the next time the same is asked."""
    return _ask(probe.name, tuple(config[name] for name in probe.parameters))


def by_factors(parameters: Iterable[str]) -> dict[Any, Any]:
    """The letters that a probe with these parameters does not take, written with those it takes or that stand before.

    Shapes with divisibility are given by their factors: heads by groups that share keys and by pairs that are rotated,
    the sequence by tiles, experts by those that work on a token and those that do not. Where a probe does not say
    otherwise, the decoder is that of the articles: its heads share the model's width and each has keys of its own.
    """
    taken = set(parameters)
    group, pairs, tiles, idle = (Symbol(name, positive=True) for name in ("group", "pairs", "tiles", "idle"))
    rules = (
        (d_head, 2 * pairs),
        (n_heads, n_kv_heads * group),
        (d_model, n_heads * d_head),
        (n_kv_heads, n_heads),
        (N, b_q * tiles),
        (n_experts, n_active + idle),
    )
    written = {}
    for symbol, factors in rules:
        names = {LETTERS[s].engine if s in LETTERS else s.name for s in factors.free_symbols}
        if LETTERS[symbol].engine not in taken and names <= taken:
            written[symbol] = factors
            taken.add(LETTERS[symbol].engine)
    return written


def guaranteed(relation: Any, probe: str) -> bool:
    """Whether the parameters of a probe are such that an inequality holds whatever they are."""
    factors = by_factors(PROBES[probe].parameters) if probe in PROBES else {}
    return isinstance(relation, Le) and at_least_zero((relation.gts - relation.lts).xreplace(factors)) is True


def letter_values(uses: tuple[Formula, ...], config: Config) -> Values:
    """The letters that a configuration gives, with those that the used formulas compute from them."""
    values: Values = {
        symbol: Fraction(config[letter.engine]) for symbol, letter in LETTERS.items() if letter.engine in config
    }
    plain = {Symbol(name, positive=True): Fraction(value) for name, value in config.items()}
    for symbol, factors in by_factors(config).items():
        values[symbol] = exact(factors, plain | values)
    for used in dict.fromkeys(f for direct in uses for f in (*direct.closure(), direct)):
        open_ = used.quantity is not None and used.quantity not in values and used.rhs.free_symbols <= values.keys()
        if open_ and _admitted(used.conditions, values):
            values[used.quantity] = exact(used.rhs, values)
    return values


def _predict(formula: Formula, expression: Any, values: Values, probe: Probe) -> Any:
    try:
        return exact(expression, values)
    except KeyError as missing:
        raise CatalogueError(
            f"{formula.name} depends on {missing.args[0]}, which its probe {probe.name} does not take."
        ) from None


Case = tuple[dict[str, int | Fraction], Values, Any]  # a configuration, the letters' values, the engine's answer


@lru_cache(maxsize=256)
def _cases(
    uses: tuple[Formula, ...],
    conditions: tuple[Condition, ...],
    probe_name: str,
    configs: tuple[tuple[tuple[str, int | Fraction], ...], ...],
) -> tuple[Case, ...]:
    """The configurations that the conditions admit, each question once, with the engine's answer."""
    probe = PROBES[probe_name]
    found: dict[tuple[Any, ...], Case] = {}
    for items in configs:
        config = {name: value for name, value in items if name in probe.parameters}
        key = tuple(config[name] for name in probe.parameters)
        if key not in found and _admitted(conditions, values := letter_values(uses, config)):
            found[key] = config, values, ask(probe, config)
    return tuple(found.values())


def _admitted(conditions: tuple[Condition, ...], values: Values) -> bool:
    return all(exact(c.relation, values) for c in conditions if c.relation.free_symbols <= values.keys())


def comparisons(formula: Formula, configs: Iterable[Config] | None = None) -> list[Comparison]:
    """The formula beside the engine for each configuration its conditions admit, equal questions once."""
    return list(compared(formula, configs))


def compared(formula: Formula, configs: Iterable[Config] | None = None) -> Iterator[Comparison]:
    """The same one by one, for those who ask only until the two differ."""
    probe = probe_of(formula.measured_by, formula)
    chosen = tuple(tuple(config.items()) for config in configs) if configs is not None else _STANDARD
    for case in _cases(formula.uses, formula.conditions, probe.name, chosen):
        if (comparison := _compared(formula, probe, *case)) is not None:
            yield comparison


def _compared(formula: Formula, probe: Probe, config: Config, values: Values, measured: Any) -> Comparison | None:
    """None where an implication says nothing, because what it presupposes does not hold."""
    claim = formula.claim
    if isinstance(claim, Equivalence):
        left, right = (_predict(formula, side, values, probe) for side in (claim.left, claim.right))
        return Comparison(config, right, measured, _same(right, measured) and left == right)
    if isinstance(claim, Implication):
        if not _predict(formula, claim.given, values, probe):
            return None
        then = _predict(formula, claim.then, values, probe)
        return Comparison(config, then, measured, _same(then, measured) and bool(then))
    if isinstance(claim, Approximation):
        value, truth, bound = (_predict(formula, e, values, probe) for e in (claim.value, claim.exact, claim.bound))
        counted = _counted(measured)
        good = _same(truth, counted) and 0 <= counted - value <= bound * counted
        return Comparison(config, value, counted, good)
    predicted, counted = _predict(formula, claim.rhs, values, probe), _counted(measured)
    return Comparison(config, predicted, counted, _same(predicted, counted))


def _counted(measured: Any) -> Any:
    return measured.value if isinstance(measured, Ratio | Parts) else measured


def _same(predicted: Any, measured: Any) -> bool:
    """Equal, and both numbers or both truth values: True is no 1."""
    return isinstance(predicted, bool) == isinstance(measured, bool) and bool(predicted == measured)


def compare_step(formula: Formula, index: int) -> list[Comparison]:
    """What one step brings in beside the measurement it names, on the standard configurations."""
    step = formula.steps[index]
    probe = probe_of(step.measured_by, formula)
    brought = step.brings.rhs if isinstance(step.brings, Formula) else step.brings
    found = []
    for config, values, measured in _cases(formula.uses, formula.conditions, probe.name, _STANDARD):
        predicted = _predict(formula, brought, values, probe)
        found.append(Comparison(config, predicted, _counted(measured), _same(predicted, _counted(measured))))
    return found


# The standard configurations

_FLOATS = (Fraction(2), Fraction(4), Fraction(8))  # widths for rows of any length
_INT4 = Fraction(9, 16)  # 4-bit blocks of 32 with a 16-bit scale
_RATES = ((7, 3), (1000, 1), (61, 1), (1, 1000))  # flops, bandwidth: on either side of every crossover
_SHAPES = (
    {"n_blocks": 2, "n_heads": 3, "d_head": 5, "n_vocab": 11, "batch": 7, "context": 13, "new_tokens": 17},
    {"n_blocks": 3, "n_heads": 7, "d_head": 2, "n_vocab": 13, "batch": 5, "context": 9, "new_tokens": 3},
    {"n_blocks": 1, "n_heads": 1, "d_head": 1, "n_vocab": 1, "batch": 1, "context": 1, "new_tokens": 1},
    {"n_blocks": 4, "n_heads": 1, "d_head": 7, "n_vocab": 3, "batch": 2, "context": 5, "new_tokens": 2},
)
_SINGLE = (
    {"m": 3, "n": 5, "k": 7, "tiles": 3, "tile": 5, "bits": 4, "block": 32, "scale_bits": 16, "memory": 120_007},
    {"m": 7, "n": 2, "k": 3, "tiles": 2, "tile": 3, "bits": 8, "block": 24, "scale_bits": 32, "memory": 80_021},
    {"m": 1, "n": 1, "k": 1, "tiles": 1, "tile": 1, "bits": 2, "block": 4, "scale_bits": 64, "memory": 251},
    {"m": 1, "n": 7, "k": 2, "tiles": 5, "tile": 2, "bits": 4, "block": 2, "scale_bits": 16, "memory": 20_011},
)
_DECODERS = (
    {"n_kv_heads": 3, "group": 17, "pairs": 5, "d_model": 19, "d_ff": 23, "d_expert": 29, "n_active": 4, "idle": 3},
    {"n_kv_heads": 2, "group": 5, "pairs": 7, "d_model": 17, "d_ff": 19, "d_expert": 23, "n_active": 2, "idle": 5},
    {"n_kv_heads": 1, "group": 1, "pairs": 1, "d_model": 1, "d_ff": 1, "d_expert": 1, "n_active": 1, "idle": 1},
    {"n_kv_heads": 1, "group": 3, "pairs": 2, "d_model": 5, "d_ff": 2, "d_expert": 7, "n_active": 1, "idle": 3},
)


def configurations() -> Iterator[dict[str, int | Fraction]]:
    """A fixed set: pairwise distinct primes, so that no two letters look alike, degenerate shapes, and packed int4."""
    for place, (shape, single, decoder) in enumerate(zip(_SHAPES, _SINGLE, _DECODERS, strict=True)):
        for turn, (flops, bandwidth) in enumerate(_RATES):
            widths = {"n_bytes": _FLOATS[(place + turn) % 3], "n_bytes_kv": _FLOATS[(place + 2 * turn + 1) % 3]}
            yield {
                **shape,
                **single,
                **decoder,
                "n_positions": 31,
                **widths,
                "n_bytes_act": _FLOATS[turn % 3],
                "flops": flops,
                "bandwidth": bandwidth,
            }
    shape = {**_SHAPES[0], "d_head": 32, "batch": 2, "context": 3, "memory": 2**20}
    rates = {"flops": 61, "bandwidth": 1}
    yield {
        **_SINGLE[0],
        **_DECODERS[0],
        "n_positions": 31,
        **shape,
        **rates,
        "n_bytes": _INT4,
        "n_bytes_kv": _INT4,
        "n_bytes_act": _FLOATS[1],
    }


_STANDARD = tuple(tuple(config.items()) for config in configurations())
