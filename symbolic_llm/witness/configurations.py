"""Configurations: where every check asks the engine, moved to where a formula's conditions hold"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from hashlib import sha256
from itertools import chain, cycle, islice
from math import ceil, floor
from typing import Any

from reference_engine.probes import SUBJECTS, Probe

from ..algebra import Eq, Ge, Gt, Le, Lt, nextprime, prevprime, primerange
from ..expressions.arithmetic import plain
from ..expressions.exact import exactly
from ..expressions.feasible import feasible
from ..formula import Formula
from ..models.recurrent import BLOCK_LETTERS
from .letters import Config, all_hold, bound, conditions_of, depending_on, probes_of, reading, tied_values
from .subjects import FIGURES, OFFERED, InFourShapes

_FLOATS = (Fraction(2), Fraction(4), Fraction(8))  # widths for rows of any length
_INT4 = Fraction(9, 16)  # 4-bit blocks of 32 with a 16-bit scale
_RATES = tuple(zip(FIGURES["flops"], FIGURES["bandwidth"], strict=True))

# Of each parameter, the values in four shapes: two of pairwise distinct primes as far as they go, so that no two
# letters look alike, one of ones, and one where groups, tiles and batches are odd.
_SHAPES: dict[str, InFourShapes] = {
    "n_blocks": (2, 3, 1, 4),
    "near": (3, 2, 1, 4),
    "far": (2, 5, 1, 3),
    "n_dense": (1, 2, 1, 3),
    "n_moe": (2, 1, 1, 3),
    "n_global": (2, 3, 1, 3),
    "n_local": (5, 4, 1, 2),
    "n_state": (5, 2, 1, 2),
    "n_state_groups": (3, 5, 1, 2),
    "state_group": (2, 2, 1, 3),
    "d_state_key": (7, 5, 1, 3),
    "d_state_value": (5, 7, 1, 2),
    "n_kernel": (4, 3, 1, 2),
    "n_conv": (5, 2, 1, 2),
    "d_conv": (13, 11, 1, 3),
    "n_index": (3, 2, 1, 1),
    "n_follow": (2, 5, 1, 3),
    "n_index_heads": (5, 11, 1, 3),
    "index_excess": (7, 3, 1, 2),
    "picked": (5, 4, 1, 3),
    "n_sliding": (1, 2, 1, 1),
    "n_csa": (2, 1, 1, 3),
    "n_hca": (4, 3, 1, 1),
    "n_output_groups": (4, 3, 1, 2),
    "head_excess": (3, 1, 1, 4),
    "d_output": (7, 3, 1, 5),
    "r_csa": (3, 2, 1, 2),
    "r_hca": (7, 5, 1, 4),
    "n_streams": (3, 2, 1, 4),
    "n_heads": (3, 7, 1, 1),
    "n_kv_heads": (3, 2, 1, 1),
    "group": (7, 5, 1, 3),
    "pairs": (5, 7, 1, 2),
    "d_head": (5, 2, 1, 7),
    "n_kv_full": (4, 6, 1, 2),
    "pairs_full": (7, 4, 1, 3),
    "d_model": (19, 17, 1, 5),
    "d_ff": (23, 19, 1, 2),
    "d_expert": (29, 23, 1, 7),
    "d_shared": (31, 29, 1, 3),
    "d_embedding": (11, 7, 1, 3),
    "excess": (8, 4, 1, 2),
    "d_latent": (31, 13, 1, 5),
    "d_nope": (5, 7, 1, 3),
    "d_value": (11, 5, 1, 7),
    "d_query": (37, 17, 1, 11),
    "n_vocab": (11, 13, 1, 3),
    "devices": (4, 3, 1, 2),
    "kv_each": (2, 3, 1, 1),
    "heads_each": (2, 3, 1, 1),
    "room": (2, 1, 1, 3),
    "stages": (3, 5, 1, 4),
    "micro": (7, 2, 1, 8),
    "expert_devices": (2, 3, 1, 4),
    "piece": (1, 3, 2, 5),
    "copies": (2, 3, 1, 4),
    "group_each": (2, 3, 1, 1),
    "model_each": (7, 5, 1, 2),
    "ff_each": (5, 11, 1, 3),
    "expert_each": (3, 7, 1, 2),
    "vocab_each": (11, 7, 1, 3),
    "n_positions": (31, 29, 1, 5),
    "n_active": (2, 3, 1, 1),
    "idle": (3, 2, 1, 3),
    "n_shared_experts": (4, 6, 1, 2),
    "load": (3, 2, 1, 2),
    "window": (3, 5, 1, 11),
    "batch": (7, 5, 1, 2),
    "batch_each": (3, 5, 1, 2),
    "context": (13, 9, 1, 5),
    "logits": (4, 7, 1, 2),
    "silent": (10, 3, 1, 4),
    "new_tokens": (17, 3, 1, 2),
    "chunk": (3, 11, 1, 3),
    "earlier": (11, 7, 1, 4),
    "pages": (3, 2, 1, 4),
    "last": (5, 7, 1, 1),
    "free": (3, 1, 1, 6),
    "limit": (97, 211, 1, 19),
    "batch_2": (11, 3, 1, 5),
    "price": (5, 7, 1, 3),
    "power": (13, 11, 1, 17),
    "power_idle": (3, 5, 1, 2),
    "busy": (5, 3, 1, 7),
    "waiting": (2, 7, 1, 3),
    "accepted": (3, 1, 1, 5),
    "rejected": (2, 4, 1, 2),
    "draft_length": (3, 5, 1, 2),
    "transfer": (7, 1009, 1, 31),
    "width": (5, 2, 1, 7),
    "m": (3, 7, 1, 1),
    "n": (5, 2, 1, 7),
    "k": (7, 3, 1, 2),
    "tiles": (3, 2, 1, 5),
    "tile": (5, 3, 1, 2),
    "columns": (2, 5, 1, 3),
    "prefix": (7, 5, 1, 3),
    "own": (6, 4, 1, 2),
    "n_bytes_2": (2, 4, 8, 2),
    "parts": (4, 8, 12, 4),
    "part_bits": (6, 8, 4, 10),
    "shared_bits": (16, 32, 64, 16),
    "bits": (4, 8, 2, 4),
    "block": (32, 24, 4, 2),
    "scale_bits": (16, 32, 64, 16),
} | FIGURES
# parameters of kinds of blocks that are not part of this package: primes that no other has
_PRIMES_LEFT = (p for p in primerange(41, 1000) if p not in {*chain(*_SHAPES.values())})
_SHAPES |= {
    name: (3, 2, 1, 2) if name in BLOCK_LETTERS else (next(_PRIMES_LEFT), next(_PRIMES_LEFT), 1, 3)
    for subject in SUBJECTS.values()
    for name in subject.shape
    if name not in _SHAPES
}
_ROWS = ("d_head", "d_latent", "d_value", "d_model", "d_ff", "d_expert", "d_query", "d_embedding", "n")
_BESIDE = (
    *(
        "d_shared",
        "d_nope",
        "index_excess",
        "head_excess",
        "d_output",
        "d_state_key",
        "d_state_value",
        "state_group",
        "d_conv",
    ),
    *("model_each", "ff_each", "expert_each"),
)
_PACKED = dict.fromkeys((*_ROWS, *_BESIDE), 32)


def configurations() -> Iterator[dict[str, int | Fraction]]:
    """A fixed set: the shapes with floats of several widths on several machines, and one with packed int4."""
    for place in range(4):
        for turn, (flops, bandwidth) in enumerate(_RATES):
            widths = {"n_bytes": _FLOATS[(place + turn) % 3], "n_bytes_kv": _FLOATS[(place + 2 * turn + 1) % 3]}
            yield {
                **{name: values[place] for name, values in _SHAPES.items()},
                **widths,
                "n_bytes_act": _FLOATS[turn % 3],
                "n_bytes_state": _FLOATS[(2 * turn + 1) % 3],
                "flops": flops,
                "bandwidth": bandwidth,
            }
    yield {
        **{name: values[0] for name, values in _SHAPES.items()},
        **_PACKED,
        "pairs": 16,
        "pairs_full": 16,
        "batch": 2,
        "context": 3,
        "logits": 2,
        "silent": 1,
        "memory": 2**20,
        "flops": 61,
        "bandwidth": 1,
        "n_bytes": _INT4,
        "n_bytes_kv": _INT4,
        "n_bytes_act": _FLOATS[1],
        "n_bytes_state": _FLOATS[2],
    }


STANDARD = tuple(tuple(config.items()) for config in configurations())


_LARGEST = 64  # of a shape, since the engine really computes
_PRIMES = frozenset(map(int, primerange(_LARGEST + 1)))


def places(name: str, bound: Fraction, side: str, config: Mapping[str, int | Fraction]) -> Sequence[int | Fraction]:
    """Values for a parameter that lie on one side of a bound, those first that make a good question.

    A figure of the machine goes well beyond its bound. A shape goes to the nearest prime that no other has, so that no
    two letters look alike.
    """
    if side == "=":
        offered = OFFERED.get(name, range(1, _LARGEST + 1))
        return [plain(bound)] if bound > 0 and (name in FIGURES or bound in offered) else []
    if name in FIGURES:
        if side == ">":
            return [nextprime(max(1, ceil(2 * bound)))]
        return [n for n in (prevprime(max(3, floor(bound / 2))), ceil(bound) - 1, floor(bound)) if n > 0]
    if _fills_blocks(name, config):
        return []
    offered, least, most = OFFERED.get(name, range(1, _LARGEST + 1)), ceil(bound), floor(bound)
    beyond = [n for n in offered if (n >= least if side == ">" else n <= most)]
    odd = {n for n in beyond if n not in _PRIMES or n in config.values()}
    return sorted(beyond, key=lambda n: (n in odd, abs(n - bound)))[:3]


def _fills_blocks(name: str, config: Mapping[str, int | Fraction]) -> bool:
    """Whether rows that are packed have this width, which then cannot be just any number."""
    if name.startswith("n_bytes"):
        return False  # those that are offered are floats, which fill rows of any width
    packed = any(Fraction(config[width]).denominator != 1 for width in OFFERED if width in config)
    return packed and (name in OFFERED or (config[name] != 0 and config[name] % 16 == 0))  # none is no width


# Where the conditions of a formula hold


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
    """Relations of a formula's conditions, and those that it presupposes."""
    return (*(condition.relation for condition in formula.conditions), *formula.statement.presupposed)


@lru_cache(maxsize=2**12)
def what_computes(by: tuple[Formula, ...], relations: tuple[Any, ...]) -> tuple[Formula, ...]:
    """Formulas that compute letters of some relations, or letters that it takes to compute these."""
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

    def beside(name: str, bound: Fraction, side: str, moved: Config) -> Sequence[int | Fraction]:
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
            edges = chain(*(self._probe.asks.answer.edges(self._probe, one) for one in first))
            self._edges = tuple(tuple(config.items()) for config in edges)
        yield from self._edges


standard = lru_cache(maxsize=2**10)(_Standard)


@lru_cache(maxsize=2**10)
def on_either_side(formula: Formula, probe: Probe) -> tuple[Items, ...]:
    """A configuration for each answer that a claim can give, as far as one is found."""
    found = (_first_where(formula, probe, relations) for relations in formula.statement.answers)
    return tuple(filter(None, found))


@lru_cache(maxsize=2**10)
def on_the_border(formula: Formula, probe: Probe) -> tuple[Items, ...]:
    """A configuration where both sides of what is asked are equal, if one is found.

    What an equivalence says is asked in two ways, of which one may be the straighter.
    """
    said = reversed(formula.statement.relations) if formula.statement.answers else ()
    borders = (Eq(*one.args, evaluate=False) for one in said if isinstance(one, Lt | Le | Gt | Ge))
    found = (_first_where(formula, probe, (border,)) for border in borders)
    return tuple(islice(filter(None, found), 1))


def _first_where(formula: Formula, probe: Probe, relations: tuple[Any, ...]) -> Items | None:
    """The first standard configuration that can be moved to where some relations hold beside those of the formula."""
    every = (*relations_of(formula), *relations)
    by = what_computes(bound(formula, probe), every)
    moved = (_moved(by, probe, every, config) for config in _standard_of(probe.parameters))
    return next((tuple(one.items()) for one in moved if one is not None), None)


@lru_cache(maxsize=2**8)
def _standard_of(parameters: tuple[str, ...]) -> tuple[Config, ...]:
    """The standard configurations as far as they are of these parameters, each once."""
    taken = frozenset(parameters)
    asked = ({name: value for name, value in config if name in taken} for config in STANDARD)
    return tuple({tuple(config.items()): config for config in asked}.values())


# Places that a claim draws
#
# A formula that is not decided for all shapes is compared there. The standard configurations are known to whoever
# writes a formula, so what is right there and nowhere else could be written. These places follow from the claim: with
# any other claim they are others.


_PLACES, _MOST = 6, 12  # so many routings are gone through


def drawn(formula: Formula) -> Iterator[Config]:
    """Configurations whose shapes are drawn from the text of the claim, one after the other."""
    names = dict.fromkeys(name for probe in probes_of(formula.measured_by, formula) for name in probe.parameters)
    for place, standard in enumerate(islice(cycle(STANDARD[:4]), _PLACES)):
        config = dict(standard)
        for name in names:
            if name not in FIGURES and name not in OFFERED:
                said = sha256(f"{formula.claim!r} {place} {name}".encode()).digest()
                config[name] = 1 + int.from_bytes(said[:8]) % _MOST
        yield config
