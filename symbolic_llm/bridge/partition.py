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
from ..formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from ..formulas.experts.expert_parameters import FORMULA as expert_parameters
from ..formulas.experts.router_parameters import FORMULA as router_parameters
from ..formulas.mlp.gated_mlp_parameters import FORMULA as gated_mlp_parameters
from ..formulas.mlp.plain_mlp_parameters import FORMULA as plain_mlp_parameters
from ..formulas.vectors.vector_parameters import FORMULA as vector_parameters
from ..models import Model
from ..models.part import Part
from .comparison import probes_of

Piece = tuple[Formula, str, str]  # the formula of a part, its place, and of a vector the letter of its width

# Vectors, by their place and width: all that there are, since a question asks for one norm
_OF_BLOCKS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("norms", "d_model"): ("norm_?.*", "post_norm_*.*"),
    ("norms", "d_head"): ("query_norm.*", "key_norm.*"),
    ("norms", "d_latent"): ("latent_norm.*",),
    ("norms", "d_query"): ("query_down_norm.*",),
    ("norms", "d_index"): ("index_norm.*",),
    ("biases", "d_model"): ("output.bias", "down.bias", "experts.*.down.bias", "state_out.bias"),
    ("biases", "d_ff"): ("gate.bias", "up.bias"),
    ("biases", "d_expert"): ("experts.*.gate.bias", "experts.*.up.bias"),
    ("biases", "n_experts"): ("router.bias",),
    ("biases", "d_conv"): ("state_in.bias", "state_taps.bias"),
    ("sinks", "n_heads"): ("sinks",),
    ("router", "d_model"): ("router_norm.*", "shared_gate"),
    ("router", "n_experts"): ("expert_scales.*",),
    ("block embeddings", "d_model"): ("looked_norm.*",),
    ("streams", "d_model"): ("streams_*_norm.*", "streams_scale.*"),
    ("states", "n_state_heads"): ("state_shift.*", "state_decay.*", "state_pass.*"),
    ("states", "d_state_value"): ("state_norm.*",),
}
_OF_NO_BLOCK: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("norms", "d_model"): ("norm.*",),
    ("biases", "n_vocab"): ("output.bias",),
    ("block embeddings", "d_block"): ("looked_norm.weight",),
}
# MLPs may be experts
_OF_MLPS: Mapping[Formula, tuple[str, ...]] = {
    gated_mlp_parameters: ("gate", "up", "down"),
    expert_parameters: ("gate", "up", "down"),
    plain_mlp_parameters: ("up", "down"),
}
_EXPERTS = "experts.*."  # also of those that every token is sent to, where no more are stored than work on one
_WHERE = {"mlp": ("",), "learned residuals": ("learned.",), "routed experts": (_EXPERTS,), "experts": ("shared.",)}
_ASKED_OF_ONE = re.compile(r"\b(blocks|experts)\.[02]\b")
# What parts of a place are called that others of the same formula are not
_PLACED: Mapping[tuple[Formula, str], tuple[str, ...]] = {
    (embedding_parameters, "block embeddings"): ("blocks.*.looked.embedding",),
    (router_parameters, "streams"): ("blocks.*.streams.router",),
    (embedding_parameters, "streams"): (
        "blocks.*.streams.predicted",
        "blocks.*.streams.corrected",
        "streams.opened.*",
        "streams.closed.*",
    ),
    (gated_mlp_parameters, "block embeddings"): tuple(f"blocks.*.looked.{name}" for name in ("gate", "up", "down")),
}


@cache
def names_of(formula: Formula, place: str, width: str) -> tuple[str, ...]:
    """Patterns of the names of a part's weights; * stands for a word or a number."""
    if formula is vector_parameters:
        of_blocks = (f"blocks.*.{name}" for name in _OF_BLOCKS.get((place, width), ()))
        return (*_OF_NO_BLOCK.get((place, width), ()), *of_blocks)
    if (formula, place) in _PLACED:
        return _PLACED[formula, place]
    if formula is embedding_parameters:
        return (place,)
    if formula in _OF_MLPS:
        where = (*_WHERE[place], *((_EXPERTS,) if (formula, place) == (expert_parameters, "experts") else ()))
        return tuple(f"blocks.*.{prefix}{name}" for prefix, name in product(where, _OF_MLPS[formula]))
    found: dict[str, None] = {}
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
    pieces = tuple(dict.fromkeys(map(_piece, model.parts)))
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


def _piece(part: Part) -> Piece:
    # heads of two kinds have norms of one name
    width = part.width.removesuffix("_full") if part.formula is vector_parameters else ""
    return part.formula, part.place, width


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
            claimed = " and ".join(formula.name for formula, *_ in pieces)
            yield f"{name} belongs to {f'both {claimed}' if claimed else 'no part'}"
    counted: dict[Piece, int] = defaultdict(int)
    for part in model.parts:
        counted[_piece(part)] += part.each * part.stored
    for piece, number in counted.items():
        if number != held[piece]:
            yield f"{piece[0].name} counts {number:,} weights of {piece[1]}, and {held[piece]:,} are held"
