"""What the shapes of each subject come to in letters, and which formulas count what it holds

Most subjects are given by the very letters of the formulas. Where a shape has to be a multiple of another, its factors
are the parameters; a subject whose weights are counted names the formulas that describe it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sympy import Integer, Symbol

from ..notation import (
    B,
    N,
    P_high,
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
    n_state,
    n_state_groups,
    n_state_heads,
    n_streams,
    n_superblock,
    n_tensor,
    n_vocab,
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
    **dict.fromkeys(("llama", "qwen3", "joint", "biased", "narrow", "borrowing"), _HEADS),
    "kept": _HEADS | {P_high: 2 * n_vocab * d_model},
    "nested blocks": {n_scale: parameter("part_bits"), n_superblock: n_block * parameter("parts")},
    "schematic": {n_heads: _HEADS[n_heads]},
    "gpt2": {n_heads: _HEADS[n_heads]},
    "mixtral": _HEADS | _EXPERTS,
    **dict.fromkeys(("experts", "sharing"), _MOE),
    "routing": _EXPERTS,
    **dict.fromkeys(("mixed", "mixed without windows"), _MIXED),
    "windowed": _HEADS | {n_local: n_blocks},
    "mixed with windows": _HEADS | {n_blocks: n_local},
    **dict.fromkeys(("twofold", "twofold with windows"), _TWOFOLD),
    "sparse twofold": _TWOFOLD | _EXPERTS | {n_moe: n_global + n_local},
    "hybrid": _HEADS | _STATES | {n_products: Integer(3)},
    "sparse hybrid": _HEADS | _STATES | _EXPERTS | {n_products: Integer(3), n_moe: n_global + n_state},
    "mamba": _HEADS | _STATES | {n_products: Integer(2)},
    "convolving": _HEADS | {n_blocks: n_global + n_conv},
    **dict.fromkeys(("latent", "expanded", "compressed"), _ROTATED),
    **dict.fromkeys(("picked", "picked expanded", "picked without an index"), _PICKED),
    "picked experts": _PICKED | _EXPERTS | {n_moe: parameter("n_follow")},
    "compressing": _COMPRESSING,
    "projected": {d_model: parameter("d_embedding") + parameter("excess")},
    **dict.fromkeys(("tiled", "untiled"), _TILED),
    **dict.fromkeys(("shared prefix", "prefix for each"), _SHARED),
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
