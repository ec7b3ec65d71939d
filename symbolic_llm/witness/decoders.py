"""Decoders of the engine as models, and the part of a model to which each of their weights belongs"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from math import prod

from reference_engine.attention.heads import HEADS
from reference_engine.config import Config
from reference_engine.files.loading import load
from reference_engine.files.tensors import ModelFileError
from reference_engine.model import Decoder

from ..catalogue.named import (
    activation_parameters,
    embedding_parameters,
    expert_parameters,
    gated_mlp_parameters,
    plain_mlp_parameters,
    router_parameters,
    vector_parameters,
)
from ..errors import InvalidModel, MissingDependency, ended, shown, within_memory
from ..files import path_of
from ..formula import Formula
from ..models import Model
from ..models.attention import KINDS as ATTENTION
from ..models.attention.kind import all_or_none
from ..models.builder import Builder
from ..models.config import Fields
from ..models.part import Part
from ..models.recurrent import KINDS
from .letters import probes_of

# From the switches that a decoder runs with, instead of a config.json


def loaded(path: str | os.PathLike[str], *, eight_bits: bool = False) -> Decoder:
    """The decoder in a model directory or a GGUF file; `InvalidModel` says in one sentence why there is none.

    `eight_bits` is that of the engine's machine.
    """
    path = path_of(path, InvalidModel)
    try:
        with within_memory(f"reading {shown(path, 200)}"):
            return load(path, eight_bits=eight_bits)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InvalidModel(f"{shown(path, 200)} cannot be read: {reason}.") from None
    except ModelFileError as error:
        raise InvalidModel(ended(error)) from None
    except ValueError as error:  # a path that no system has
        raise InvalidModel(f"{shown(path, 200)} cannot be read: {error}.") from None
    except ImportError as error:
        which = "with pip install 'symbolic-llm[models]'"
        raise MissingDependency(f"{str(error).removesuffix('.')}, {which}.") from None


def model_of(config: Config, name: str) -> Model:
    """The model that a decoder with this configuration runs; `InvalidModel` where no formulas describe it."""
    n = config.n_blocks
    made = Builder(
        Fields({}, name),
        n_blocks=n,
        n_heads=config.n_heads,
        d_model=config.d_model,
        n_vocab=config.n_vocab,
        d_ff=config.d_ff,
    )
    made.embedding(config.d_embedding, tied=config.tied)
    made.vectors("biases", "n_vocab", int(config.output_bias))
    if config.positions == "learned":
        made.letters["n_positions"] = config.n_positions
        made.positions()
    _kept(made, config)
    if config.streams is not None:
        made.mix_streams(config.streams.n)
    if config.alternating is not None:
        made.alternate(config.alternating.n, config.alternating.rank)
    sparse, biases = sum(map(config.has_experts, range(n))), all_or_none(made, config, *config.mlp)
    if sparse and not config.gated:
        raise InvalidModel(f"{name} has experts without gates, which no formula counts.")
    beside = sparse * config.beside
    wide = _twice_as_wide(config, name)
    if wide and biases:
        raise InvalidModel(f"{name} has biases in MLPs of two widths, which no formula counts.")
    made.mlp_blocks(n - sparse + beside + wide, gated=config.gated, biases=biases)
    made.unmultiplied("activations", activation_parameters, (n - sparse) * (config.activation == "xielu"))
    whole = config.d_shared == config.n_shared * config.d_expert and not config.shared_gate
    shape = (config.n_experts, config.n_active, config.d_expert)
    made.expert_blocks(sparse, *shape, config.n_shared if whole else 0, biases=biases)
    made.vectors("router", "d_model", beside)
    made.vectors("router", "n_experts", beside)
    made.vectors("biases", "n_experts", sparse * ("router" in config.biases))
    if config.n_shared and biases:
        raise InvalidModel(f"{name} has shared experts with biases, which no formula counts.")
    if not whole:
        made.shared_blocks(sparse, config.d_shared, gated=config.shared_gate)
    norms = (2 - config.parallel + 2 * config.post_norm) * n + (1 + 2 * config.post_norm) * beside + 1
    if config.norm == "rms":
        made.vectors("norms", "d_model", norms)
    elif config.norm == "layer":
        made.layer_norms(norms)
    if config.d_block:
        made.block_embeddings(config.d_block, config.n_vocab_block, vectors={"rms": 1, "layer": 2}.get(config.norm, 0))
    limit = config.context_length or None
    return Model(name, name, _family(config), made.letters, tuple(made.parts), context_limit=limit)


def _twice_as_wide(config: Config, name: str) -> int:
    """MLPs that are as wide as two, in blocks that share: each is counted once more."""
    mlps = [i for i in range(config.n_blocks) if config.beside or not config.has_experts(i)]
    wide = [i for i in mlps if config.mlp_width(i) != config.d_ff]
    if any(config.mlp_width(i) != 2 * config.d_ff for i in wide):
        raise InvalidModel(f"{name} has MLPs of two widths, and formulas count only one that is twice the other.")
    return len(wide)


def _kept(made: Builder, config: Config) -> None:
    """Add what each block attends with, or has in the place of attention."""
    attends = [block for block in range(config.n_blocks) if not config.has_state(block)]
    if config.states is not None:
        _states(made, config, attends)
    kind = next((one for one in ATTENTION if one.runs == type(config.attention).__name__), None)
    if kind is None:
        raise InvalidModel(f"{made.fields.where} attends in a way that no formulas describe.")
    kind.add(made, config, attends)


def _states(made: Builder, config: Config, attends: list[int]) -> None:
    states = config.states
    assert states is not None
    kind = next((one for one in KINDS if one.runs == type(states).__name__), None)
    if kind is None:
        raise InvalidModel(f"{made.fields.where} has blocks of a kind that no formulas describe.")
    kind.add(made, len(attends), config.n_blocks - len(attends), vars(states))


def _family(config: Config) -> str:
    """The family whose formulas count all operations of such a decoder; "" where only its products are counted."""
    if config.attention != HEADS:
        return ""
    if config.post_norm or config.parallel or config.n_shared or config.output_bias or not all(config.sparse):
        return ""
    if config.joint_norms or config.attention_gate or config.sinks or "router" in config.biases:
        return ""
    if config.activation == "xielu" or config.n_sharing or config.d_block:
        return ""
    if config.beside or not config.alike or config.keys_as_values or config.d_value not in (0, config.d_head):
        return ""
    if config.norm == "rms" and config.gated and config.positions == "rotary":
        return "mixtral" if config.n_experts else "qwen3" if config.qk_norm else "llama"
    return "gpt2" if config.norm == "layer" and config.positions == "learned" and not config.gated else ""


# The part to which each weight belongs
#
# A whole is proved by its parts: every weight that the engine holds belongs to exactly one of them, and those of a part
# are as many as its formula counts. What a part's weights are called is said by the question that its formula is
# measured by, and not once more here. A weight that no part claims, or that two claim, is a finding.


Piece = tuple[Formula, str, str]  # the formula of a part, its place, and of a vector the letter of its width

# Vectors, by their place and width: all that there are, since a question asks for one norm
_OF_BLOCKS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("norms", "d_model"): ("norm_?.*", "post_norm_*.*"),
    ("biases", "d_model"): ("output.bias", "down.bias", "experts.*.down.bias"),
    ("biases", "d_ff"): ("gate.bias", "up.bias"),
    ("biases", "d_expert"): ("experts.*.gate.bias", "experts.*.up.bias"),
    ("biases", "n_experts"): ("router.bias",),
    ("router", "d_model"): ("router_norm.*", "shared_gate"),
    ("router", "n_experts"): ("expert_scales.*",),
    ("block embeddings", "d_model"): ("looked_norm.*",),
    ("streams", "d_model"): ("streams_*_norm.*", "streams_scale.*"),
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
        of_kinds = (*(kind.names for kind in ATTENTION), *(kind.names for kind in KINDS))
        named = (where.get((place, width), ()) for where in (_OF_BLOCKS, *of_kinds))
        of_blocks = (f"blocks.*.{name}" for names in named for name in names)
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
