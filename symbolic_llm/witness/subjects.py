"""The subjects of questions in letters: what their shapes come to, and of what parts their weights are

Most subjects are given by the very letters of the formulas. Where a shape has to be a multiple of another, its factors
are the parameters. A decoder of the engine is a list of parts, as a model is; here each part stands with the letters
that count its copies. For the kinds that the book writes out whole, its formulas stand instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import product
from typing import Any

from reference_engine.probes import SUBJECTS

from ..algebra import Integer, Symbol
from ..catalogue.named import (
    compressed_query_parameters,
    convolution_parameters,
    delta_matrix_parameters,
    distinct_experts,
    embedding_parameters,
    expert_parameters,
    gated_convolution_parameters,
    gated_mlp_parameters,
    gpt2_multiplied_parameters,
    gpt2_parameters,
    grouped_attention_parameters,
    latent_key_value_parameters,
    llama_multiplied_parameters,
    llama_parameters,
    mixtral_multiplied_parameters,
    mixtral_parameters,
    prefill_distinct_experts,
    router_parameters,
    shared_key_attention_parameters,
    stored_parameters,
    two_width_attention_parameters,
    vector_parameters,
)
from ..formula import Formula
from ..models.attention.compressed import compress
from ..models.attention.latent import attend, index
from ..models.builder import Builder
from ..models.config import Fields
from ..models.device_share import OF_DEVICE, more, shares
from ..models.device_weights import DEALT
from ..models.formula_table import EXACT
from ..models.offloading import Layer, of_layers
from ..models.part import of_width
from ..models.recurrent import BLOCK_LETTERS
from ..models.sums import Addend, summed
from ..notation import (
    LETTERS,
    B,
    N,
    P,
    P_high,
    P_total,
    alpha,
    b_k,
    b_q,
    d_conv,
    d_expert,
    d_ff,
    d_head,
    d_head_full,
    d_index,
    d_model,
    d_query,
    d_rope,
    d_state_key,
    d_state_value,
    d_streams,
    n_active,
    n_block,
    n_blocks,
    n_conv,
    n_csa,
    n_experts,
    n_global,
    n_hca,
    n_heads,
    n_index,
    n_kv_full,
    n_kv_heads,
    n_local,
    n_moe,
    n_output_groups,
    n_prefix,
    n_products,
    n_scale,
    n_shared_experts,
    n_state,
    n_state_groups,
    n_state_heads,
    n_streams,
    n_superblock,
    n_tensor,
    n_vocab,
    named,
    u,
)


@lru_cache(maxsize=2**8)
def parameter(name: str) -> Any:
    """A parameter of a probe as a symbol."""
    return Symbol(name, positive=True)


_HEADS = {n_heads: n_kv_heads * parameter("group"), d_head: 2 * parameter("pairs")}
_EXPERTS = {n_experts: n_active + parameter("idle")}
_STATES = {n_blocks: n_global + n_state, n_state_heads: n_state_groups * parameter("state_group")}
_STATES |= {d_conv: 2 * n_state_groups * d_state_key + _STATES[n_state_heads] * d_state_value}
_ROTATED, _TILED = {d_rope: 2 * parameter("pairs")}, {N: b_q * b_k * parameter("tiles")}
_PICKED = _ROTATED | {
    n_blocks: n_index + parameter("n_follow"),
    d_index: 2 * parameter("pairs") + parameter("index_excess"),
}
_COMPRESSING = _EXPERTS | {
    n_blocks: parameter("n_sliding") + n_csa + n_hca,
    n_heads: n_output_groups * parameter("group_each"),
    d_streams: n_streams * d_model,
    d_head: 2 * parameter("pairs") + parameter("head_excess"),
    d_index: 2 * parameter("pairs") + parameter("index_excess"),
}
_MOE = _HEADS | _EXPERTS | {n_blocks: parameter("n_dense") + n_moe}
_OFFLOADED = parameter("near") + parameter("far")
_MIXED = _HEADS | {n_blocks: n_global + n_local}
_TWOFOLD = _MIXED | {n_heads: n_kv_full * _HEADS[n_heads], d_head_full: 2 * parameter("pairs_full")}
_SHARED = {N: n_prefix + parameter("own")}
ANYWHERE = {
    u: parameter("busy") / (parameter("busy") + parameter("waiting")),
    alpha: parameter("accepted") / (parameter("accepted") + parameter("rejected")),
}
_EACH = {d_model: "model_each", d_ff: "ff_each", d_expert: "expert_each", n_vocab: "vocab_each"}
_BATCHES = {**_EACH, B: "batch_each"}  # the batch where a question deals out sequences
_SPLIT = {width: parameter("devices") * parameter(each) for width, each in _BATCHES.items()}
_COPIED = parameter("n_kv_heads") * parameter("copies")
_OF_SPLIT = (
    _SPLIT
    | {n_kv_heads: (kv := parameter("devices") * parameter("kv_each")), n_heads: kv * parameter("group")}
    | {d_head: _HEADS[d_head]}
)
_OF_COPIED = {width: _COPIED * parameter(each) for width, each in _BATCHES.items()} | {
    n_tensor: _COPIED,
    n_heads: _COPIED * parameter("group_each"),
    d_head: _HEADS[d_head],
}
_ROUTED = _EXPERTS | {n_blocks: _MOE[n_blocks]}
_OF_LATENT = _SPLIT | _ROTATED | {n_heads: parameter("devices") * parameter("heads_each")}
WRITTEN: dict[str, Mapping[Any, Any]] = {
    **{
        subject.name: _HEADS | {n_blocks: n_global + named(blocks)}
        for subject, blocks in product(SUBJECTS.values(), BLOCK_LETTERS)
        if blocks in subject.shape
    },
    **dict.fromkeys(("llama", "qwen3", "joint", "biased", "narrow", "borrowing"), _HEADS),
    "kept": _HEADS | {P_high: 2 * n_vocab * d_model},
    "nested blocks": {n_scale: parameter("part_bits"), n_superblock: n_block * parameter("parts")},
    "schematic": {n_heads: _HEADS[n_heads]},
    "gpt2": {n_heads: _HEADS[n_heads]},
    "mixtral": _HEADS | _EXPERTS,
    **dict.fromkeys(("experts", "sharing", "wholly offloaded"), _MOE),
    "routing": _EXPERTS,
    "offloaded": _HEADS | {n_blocks: _OFFLOADED},
    "offloaded experts": _MOE | {n_moe: _OFFLOADED, n_blocks: parameter("n_dense") + _OFFLOADED},
    "mixed": _MIXED,
    "windowed": _HEADS | {n_local: n_blocks},
    "mixed with windows": _HEADS | {n_blocks: n_local},
    **dict.fromkeys(("twofold", "twofold with windows"), _TWOFOLD),
    "sparse twofold": _TWOFOLD | _EXPERTS | {n_moe: n_global + n_local},
    "hybrid": _HEADS | _STATES | {n_products: Integer(3)},
    "sparse hybrid": _HEADS | _STATES | _EXPERTS | {n_products: Integer(3), n_moe: n_global + n_state},
    "mamba": _HEADS | _STATES | {n_products: Integer(2)},
    **dict.fromkeys(("latent", "expanded", "expanded and kept", "compressed"), _ROTATED),
    **dict.fromkeys(("picked", "picked expanded", "picked without an index"), _PICKED),
    "picked experts": _PICKED | _EXPERTS | {n_moe: parameter("n_follow")},
    "compressing": _COMPRESSING,
    "projected": {d_model: parameter("d_embedding") + parameter("excess")},
    **dict.fromkeys(("tiled", "untiled"), _TILED),
    "shared prefix": _SHARED,
    "ragged": {b_k: b_q},
    "apart": {n_experts: parameter("expert_devices") * (parameter("n_active") + parameter("idle"))},
    "any number": {d_model: 60 * parameter("piece")},
    "pieces": {d_model: parameter("devices") * (parameter("devices") + 1) * parameter("piece")},
    "split": _OF_SPLIT,
    "copied": _OF_COPIED,
    "split experts": _OF_SPLIT | _ROUTED,
    "split windowed": _OF_SPLIT | {n_local: n_blocks},
    "split mixed": _OF_SPLIT | {n_blocks: n_global + n_local},
    "split mixed experts": _OF_SPLIT | _EXPERTS | {n_blocks: n_global + n_local, n_moe: n_global + n_local},
    "copied experts": _OF_COPIED | _ROUTED,
    "uneven": _SPLIT | {n_heads: n_kv_heads * parameter("devices") * parameter("group_each"), d_head: _HEADS[d_head]},
    **dict.fromkeys(("split latent", "split expanded", "split compressed"), _OF_LATENT),
    "split latent experts": _OF_LATENT | _ROUTED,
}


# Weights, as sums over parts


_ONCE = Integer(1)


@dataclass(frozen=True)
class _Copies:
    """A part in a decoder.

    Attributes:
        formula: what counts one copy.
        stored: how many copies there are, in letters.
        multiplied: how many of them a token is multiplied with.
        renamed: letters of the formula that are the decoder's under another name.
    """

    formula: Formula
    stored: Any = _ONCE
    multiplied: Any = None
    renamed: Mapping[str, str] = field(default_factory=dict)


def _all(formula: Formula, copies: Any = _ONCE) -> _Copies:
    return _Copies(formula, copies, copies)


def _experts(blocks: Any, *, shared: Any = None) -> tuple[_Copies, ...]:
    """A router and experts in so many blocks, and so many beside them to which every token is sent."""
    beside = () if shared is None else (_all(expert_parameters, blocks * shared),)
    routed = _Copies(expert_parameters, blocks * n_experts, blocks * n_active)
    return (_all(router_parameters, blocks), routed, *beside)


_ENDS = (_all(embedding_parameters), _Copies(embedding_parameters))  # the output matrix, and the embedding
_DENSE = n_blocks - n_moe


def _vectors(copies: Any, width: str = "d_model") -> _Copies:
    """So many vectors of a width."""
    return _Copies(vector_parameters, copies, renamed=of_width(width))


def _norms(blocks: Any, each: int = 2) -> _Copies:
    return _vectors(each * blocks + 1)


def _built(*adding: Callable[[Builder], None], **letters: Any) -> tuple[_Copies, ...]:
    """The parts that models are built of, with their copies in letters."""
    made = Builder(Fields({}, "a decoder in letters"), **{"n_blocks": n_blocks, "d_model": d_model, **letters})
    for add in adding:
        add(made)
    return tuple(_Copies(one.formula, one.stored, one.multiplied or None, one.renamed) for one in made.parts)


_LATENT = (*_built(partial(attend, d_query=None)), _norms(n_blocks))
_FROM_COMPRESSED = (*_built(partial(attend, d_query=d_query)), _norms(n_blocks))
_PICKED_PARTS = (*_FROM_COMPRESSED, *_built(partial(index, n_index=n_index)))
_STATE_PARTS = (
    _all(grouped_attention_parameters, n_global),
    _all(delta_matrix_parameters, n_state),
    _Copies(convolution_parameters, n_state),
    _vectors(n_state, "d_conv"),
    _vectors(2 * n_state, "n_state_heads"),
    _vectors(n_state, "d_state_value"),
    _norms(n_global + n_state),
)
_BOTH, _MIXING = n_global + n_local, n_global + n_state
_TWO_KINDS = (
    _all(grouped_attention_parameters, n_local),
    _all(shared_key_attention_parameters, n_global),
    _all(gated_mlp_parameters, _BOTH),
)
_LLAMA = (_all(grouped_attention_parameters, n_blocks), _all(gated_mlp_parameters, n_blocks), _norms(n_blocks))
_SPARSE = (
    _all(grouped_attention_parameters, n_blocks),
    _all(gated_mlp_parameters, _DENSE),
    _norms(n_blocks),
)

# The parts of each kind, but for embedding and output matrix
PARTS: Mapping[str, tuple[_Copies, ...]] = {
    "qwen3": (*_LLAMA, _vectors(2 * n_blocks, "d_head")),
    "experts": (*_SPARSE, *_experts(n_moe)),
    "sharing": (*_SPARSE, *_experts(n_moe, shared=n_shared_experts)),
    "hybrid": (*_STATE_PARTS, _all(gated_mlp_parameters, _MIXING)),
    "sparse hybrid": (*_STATE_PARTS, *_experts(_MIXING)),
    "convolving": (
        _all(grouped_attention_parameters, n_global),
        _all(gated_convolution_parameters, n_conv),
        _Copies(convolution_parameters, n_conv),
        _all(gated_mlp_parameters, n_global + n_conv),
        _norms(n_global + n_conv),
    ),
    "twofold": (*_TWO_KINDS, _norms(_BOTH)),
    "sparse twofold": (*_TWO_KINDS, *_experts(_BOTH), _vectors(_BOTH), _vectors(_BOTH, "n_experts"), _norms(_BOTH, 3)),
    "narrow": (_all(two_width_attention_parameters, n_blocks), _all(gated_mlp_parameters, n_blocks), _norms(n_blocks)),
    "latent": (*_LATENT, _all(gated_mlp_parameters, n_blocks)),
    "picked": (*_PICKED_PARTS, _all(gated_mlp_parameters, n_blocks)),
    "picked experts": (*_PICKED_PARTS, _all(gated_mlp_parameters, n_index), *_experts(n_blocks - n_index)),
    "compressing": (
        *_built(compress, partial(Builder.mix_streams, n_streams=n_streams), n_csa=n_csa, n_hca=n_hca),
        *_experts(n_blocks, shared=1),
        _norms(n_blocks),
    ),
    "split mixed experts": (
        _all(grouped_attention_parameters, _BOTH),
        *_experts(_BOTH),
        _norms(_BOTH),
    ),
    "split compressed": (*_FROM_COMPRESSED, _all(gated_mlp_parameters, n_blocks)),
    "split latent experts": (
        *_FROM_COMPRESSED,
        _all(gated_mlp_parameters, _DENSE),
        *_experts(n_moe, shared=n_shared_experts),
    ),
}


def _sums(kind: str) -> tuple[Formula, ...]:
    """P and P_total of a kind of decoder, and of where devices share it what one of them has."""
    found = []
    for letter, title, by in (
        (P, "Weights that a token is multiplied with", "multiplied"),
        (P_total, "Weights", "stored"),
        *OF_DEVICE,
    ):
        addends = [
            Addend(part.formula.title, part.formula, part.renamed, factors, shares=_shares(letter, part))
            for part in (*_ENDS, *PARTS[kind])
            if (copies := getattr(part, by)) is not None
            for factors in [((copies, "so many of them"),) if copies != 1 else ()]
        ]
        found.append(summed(kind, letter, title, addends))
    return tuple(found)


def _shares(letter: Any, part: _Copies) -> Mapping[Any, Any]:
    """A device's number of each letter of a part, in a sum of what it has."""
    return shares(looked_up=part.multiplied is None) if letter in DEALT else {}


def _has_experts(kind: str) -> bool:
    return any(part.formula is router_parameters for part in PARTS[kind])


_OF_LLAMA = (llama_multiplied_parameters, llama_parameters)
_EXPERT = (expert_parameters, distinct_experts, prefill_distinct_experts)
COUNTED: dict[str, tuple[Formula, ...]] = {
    "schematic": (gpt2_multiplied_parameters, stored_parameters),
    **dict.fromkeys(("llama", "kept", "mixed", "mixed with windows", "windowed"), _OF_LLAMA),
    **dict.fromkeys(("split", "copied", "uneven", "split windowed", "split mixed"), _OF_LLAMA),
    "gpt2": (gpt2_multiplied_parameters, gpt2_parameters),
    "mixtral": (mixtral_multiplied_parameters, mixtral_parameters, *_EXPERT),
    **{kind: (*_sums(kind), *(_EXPERT if _has_experts(kind) else ())) for kind in PARTS},
}
COUNTED |= dict.fromkeys(("split experts", "copied experts"), COUNTED["experts"])
COUNTED |= dict.fromkeys(("expanded", "expanded and kept", "split latent", "split expanded"), COUNTED["latent"])
COUNTED["picked expanded"] = COUNTED["picked"]
COUNTED |= {family: (*COUNTED[family], everything) for family, everything in EXACT.items()}
COUNTED["wholly offloaded"] = COUNTED["experts"]
_DENSE_LAYER = tuple(Layer(one.name, one) for one in (grouped_attention_parameters, gated_mlp_parameters))
_ROUTED_LAYER = (Layer(expert_parameters.name, expert_parameters),)
for _kind, _offloaded, _layer in (
    ("llama", "offloaded", _DENSE_LAYER),
    ("experts", "offloaded experts", _ROUTED_LAYER),
):
    _sums_of_layers = of_layers(_kind, _layer, routed=_layer is _ROUTED_LAYER)
    COUNTED |= dict.fromkeys((_kind, _offloaded), (*COUNTED[_kind], *_sums_of_layers))
_OF_HEADS = (compressed_query_parameters, latent_key_value_parameters)
COUNTED["split compressed"] += (
    more("split compressed", (Addend(one.title, one, {}, ((n_blocks, "in every block"),)) for one in _OF_HEADS)),
)


InFourShapes = tuple[int, int, int, int]

# The values a parameter may take, where not all whole numbers are possible; blocks fill whole bytes at 2 bits already.
OFFERED: dict[str, Sequence[int]] = {
    "n_bytes": (2, 4, 8),
    "n_bytes_kv": (2, 4, 8),
    "n_bytes_act": (2, 4, 8),
    "n_bytes_2": (2, 4, 8),
    "n_bytes_state": (2, 4, 8),
    "bits": (2, 4, 8),
    "scale_bits": (16, 32, 64),
    "shared_bits": (16, 32, 64),
    "part_bits": (4, 6, 8, 10),
    "parts": tuple(range(4, 64, 4)),
    "block": tuple(range(4, 64, 4)),
}


# What the engine computes nothing with, with values for the four shapes of `configurations`
FIGURES: dict[str, InFourShapes] = {
    "work": (1009, 211, 17, 30_011),
    "stage_time": (11, 3, 1, 5),
    "hop_time": (2, 7, 3, 1),
    "memory": (120_007, 80_021, 61, 20_011),
    "target": (1009, 20_011, 61, 307),
    "draft_time": (7, 2, 1, 11),
    "arriving": (19, 5, 1, 3),
    "wanted": (3, 17, 1, 5),
    "servers": (3, 2, 1, 5),
    "storage": (11, 503, 1, 17),
    "host_flops": (11, 3, 2, 7),
    "host_bandwidth": (5, 13, 1, 3),
    "stream": (2, 7, 1, 5),
    "link_latency": (5, 3, 1, 101),
    "link_bandwidth": (1103, 2003, 61, 307),
    "reserve": (1013, 811, 3, 211),
    "activations": (59, 67, 1, 13),
    "flops_2": (100, 2000, 3, 7),
    "overhead": (11, 3, 1, 5),
    "flops": (7, 1000, 61, 1),
    "bandwidth": (3, 1, 1, 1000),  # on either side of every crossover
}


@cache
def counts(name: str) -> bool:
    """Whether a parameter is a whole number, at least 1: neither a rate nor the bytes of a number need be."""
    letters = [letter for letter in LETTERS.values() if letter.engine == name]
    return name not in FIGURES and name not in OFFERED and all(letter.whole for letter in letters)
