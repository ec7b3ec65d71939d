"""Which part of a model each weight of a decoder belongs to

A whole is proved by its parts: every weight that the engine holds belongs to exactly one of them, and those of a part
are as many as its formula counts. What a part's weights are called is said by the question that its formula is measured
by, and not once more here. A weight that no part claims, or that two claim, is a finding.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from math import prod

from reference_engine.config import Config

from ..formula import Formula
from ..formulas.decoders.gated_mlp_biases import FORMULA as gated_mlp_biases
from ..formulas.decoders.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from ..formulas.decoders.layer_norm_parameters import FORMULA as layer_norm_parameters
from ..formulas.decoders.mlp_biases import FORMULA as mlp_biases
from ..formulas.decoders.plain_mlp_parameters import FORMULA as plain_mlp_parameters
from ..formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from ..formulas.experts.expert_parameters import FORMULA as expert_parameters
from ..formulas.parameters.embedding_parameters import FORMULA as embedding_parameters
from ..models import Model
from .comparison import probes_of

Piece = tuple[Formula, str]  # the formula of a part, and its place

# A question asks for one of them; where else there are such parts: norms of blocks, and MLPs that are experts
_ELSEWHERE: Mapping[Formula, tuple[str, ...]] = {
    rms_norm_parameters: tuple(f"blocks.*.{name}.weight" for name in ("norm_?", "post_norm_*")),
    layer_norm_parameters: tuple(f"blocks.*.{name}.*" for name in ("norm_?", "post_norm_*")),
}
_OF_MLPS: Mapping[Formula, tuple[str, ...]] = {
    gated_mlp_parameters: ("gate", "up", "down"),
    expert_parameters: ("gate", "up", "down"),
    plain_mlp_parameters: ("up", "down"),
    gated_mlp_biases: ("gate.bias", "up.bias", "down.bias"),
    mlp_biases: ("up.bias", "down.bias"),
}
_EXPERTS = "experts.*."  # also of those that every token is sent to, where no more are stored than work on one
_WHERE = {"mlp": ("",), "routed experts": (_EXPERTS,), "experts": ("shared.",), "biases": ("", _EXPERTS)}
_ASKED_OF_ONE = re.compile(r"\b(blocks|experts)\.[02]\b")
# What parts of a place are called that others of the same formula are not
_LOOKED = tuple(f"blocks.*.looked.{name}" for name in ("gate", "up", "down"))
_PLACED: Mapping[Piece, tuple[str, ...]] = {
    (rms_norm_parameters, "query norms"): ("blocks.*.query_norm.weight",),
    (embedding_parameters, "block embeddings"): ("blocks.*.looked.embedding",),
    (gated_mlp_parameters, "block embeddings"): _LOOKED,
    (rms_norm_parameters, "block embeddings"): ("blocks.*.looked_norm.weight", "looked_norm.weight"),
    (layer_norm_parameters, "block embeddings"): ("blocks.*.looked_norm.*",),
}


@cache
def names_of(formula: Formula, place: str) -> tuple[str, ...]:
    """Patterns of the names of a part's weights, by its formula and place; * stands for a word or a number."""
    if (formula, place) in _PLACED:
        return _PLACED[formula, place]
    if formula is embedding_parameters:
        return (place,)
    if formula in _OF_MLPS:
        where = (*_WHERE[place], *((_EXPERTS,) if (formula, place) == (expert_parameters, "experts") else ()))
        return tuple(f"blocks.*.{prefix}{name}" for prefix, name in product(where, _OF_MLPS[formula]))
    found = dict.fromkeys(_ELSEWHERE.get(formula, ()))
    for probe in probes_of(formula.measured_by, formula):
        for selection in getattr(probe.asks.answer, "selections", ()):
            paths = (path.removeprefix("weights.") for path in selection.paths)
            found |= dict.fromkeys(_ASKED_OF_ONE.sub(r"\1.*", path) for path in paths)
    return tuple(found)


@cache
def _is_named(name: str, pattern: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", r"\w+").replace(r"\?", r"\w"), name) is not None


def owners(model: Model, config: Config) -> dict[str, tuple[Piece, ...]]:
    """The parts that each weight belongs to, by its name: one, or the model is not that decoder.

    Where two parts have weights of one name, as two kinds of attention do, the one has it all of whose names are there
    beside it, and the more of them.
    """
    pieces = tuple(dict.fromkeys((part.formula, part.place) for part in model.parts))
    beside: dict[str, set[str]] = defaultdict(set)
    for name in config.shapes:
        beside[_home(name)].add(name)
    found = {}
    for name in config.shapes:
        claims = {piece: _found_of(piece, beside[_home(name)]) for piece in pieces if _claims(piece, name)}
        most = max(claims.values(), default=None)
        found[name] = tuple(piece for piece, share in claims.items() if share == most)
    return found


def _home(name: str) -> str:
    """The block that a weight is in, or the expert of a block; "" of what is in none."""
    match = re.match(r"blocks\.\d+\.(experts\.\d+\.|shared\.)?", name)
    return match[0] if match else ""


def _claims(piece: Piece, name: str) -> bool:
    return any(_is_named(name, pattern) for pattern in names_of(*piece))


def _found_of(piece: Piece, names: set[str]) -> tuple[bool, int]:
    """Whether all that a part's weights are called is there among some names, and how many of them are."""
    there = [any(_is_named(name, pattern) for name in names) for pattern in names_of(*piece)]
    return all(there), sum(there)


def findings(model: Model, config: Config) -> Iterator[str]:
    """Faults of a model's parts as a partition of a decoder's weights; none, if they are one."""
    held: dict[Piece, int] = defaultdict(int)
    for name, pieces in owners(model, config).items():
        if len(pieces) == 1:
            held[pieces[0]] += prod(config.shapes[name])
        else:
            claimed = " and ".join(formula.name for formula, _ in pieces)
            yield f"{name} belongs to {f'both {claimed}' if claimed else 'no part'}"
    counted: dict[Piece, int] = defaultdict(int)
    for part in model.parts:
        counted[part.formula, part.place] += part.each * part.stored
    for piece, number in counted.items():
        if number != held[piece]:
            yield f"{piece[0].name} counts {number:,} weights of {piece[1]}, and {held[piece]:,} are held"
