"""Real decoders: what their parts hold, what a pass of one costs

Shapes that have to divide are asked for by their factors: n_kv_heads groups of `group` query heads each, heads of
`pairs` rotated pairs, n_active experts that work on a token beside `idle` ones that do not.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..config import Config
from ..formats import F16, Format
from ..ledger import Ledger
from ..model import Decoder
from .passes import PRODUCTS, by_part
from .registry import Answer, enter, probe

LLAMA: dict[str, Any] = {
    "norm": "rms",
    "activation": "silu",
    "gated": True,
    "positions": "rotary",
    "tied": False,
}
QWEN3 = LLAMA | {"qk_norm": True}
GPT2: dict[str, Any] = {
    "norm": "layer",
    "positions": "learned",
    "biases": ("query", "key", "value", "output", "up", "down"),
}


def shaped(
    n_blocks: int = 1,
    n_kv_heads: int = 1,
    group: int = 1,
    d_head: int = 1,
    n_vocab: int = 1,
    cache: Format = F16,
    **switches: Any,
) -> Config:
    """A configuration with weights in 16 bits."""
    return Config(n_blocks, n_kv_heads * group, d_head, n_vocab, F16, cache, F16, n_kv_heads=n_kv_heads, **switches)


def held(config: Config, *names: str) -> int:
    """Weights that a decoder holds under these names, counted off their 16-bit storage."""
    ledger = Decoder(config).ledger
    return sum(ledger.footprint(f"weights.{name}") for name in names) // 2


# The parts


@probe("decoders.query_of_one_head")
def _(d_model: int, d_head: int) -> Answer:
    """How many weights of the query matrix serve one head?"""
    decoder = Decoder(shaped(group=2, d_head=d_head, d_model=d_model))
    return int(decoder.weights["blocks.0.query"].load(slice(0, d_head)).size)


@probe("decoders.keys_and_values")
def _(d_model: int, n_kv_heads: int, group: int, d_head: int) -> Answer:
    """How many weights do the key and the value matrix of a block hold?"""
    config = shaped(n_kv_heads=n_kv_heads, group=group, d_head=d_head, d_model=d_model)
    return held(config, "blocks.0.key", "blocks.0.value")


@probe("decoders.attention", "P_attention")
def _(d_model: int, n_kv_heads: int, group: int, d_head: int) -> Answer:
    """How many weights do the attention matrices of a block hold?"""
    config = shaped(n_kv_heads=n_kv_heads, group=group, d_head=d_head, d_model=d_model)
    return held(config, *(f"blocks.0.{name}" for name in ("query", "key", "value", "output")))


@probe("decoders.query_key_norms", "P_qk_norm")
def _(d_head: int) -> Answer:
    """How many weights do the norms of queries and keys hold?"""
    config = shaped(n_kv_heads=3, group=2, d_head=d_head, d_model=1, qk_norm=True)
    return held(config, "blocks.0.query_norm.*", "blocks.0.key_norm.*")


@probe("decoders.query_key_value_biases", "P_bias")
def _(n_kv_heads: int, group: int, d_head: int) -> Answer:
    """How many biases do queries, keys and values have?"""
    config = shaped(n_kv_heads=n_kv_heads, group=group, d_head=d_head, d_model=1, biases=("query", "key", "value"))
    return held(config, "*.bias")


@probe("decoders.attention_output_biases", "P_bias")
def _(d_model: int) -> Answer:
    """How many biases does the output of attention have?"""
    return held(shaped(d_model=d_model, biases=("output",)), "*.bias")


@probe("decoders.vocabulary_biases", "P_bias")
def _(n_vocab: int) -> Answer:
    """How many biases does the output matrix have?"""
    return held(shaped(n_vocab=n_vocab, tied=False, output_bias=True), "*.bias")


@probe("decoders.mlp_up")
def _(d_model: int, d_ff: int) -> Answer:
    """How many weights does the widening matrix of the MLP hold?"""
    return held(shaped(d_model=d_model, d_ff=d_ff), "blocks.0.up")


@probe("decoders.plain_mlp", "P_mlp")
def _(d_model: int, d_ff: int) -> Answer:
    """How many weights does an MLP of two matrices hold?"""
    return held(shaped(d_model=d_model, d_ff=d_ff), "blocks.0.up", "blocks.0.down")


@probe("decoders.gated_mlp", "P_mlp")
def _(d_model: int, d_ff: int) -> Answer:
    """How many weights does an MLP with a gate hold?"""
    names = (f"blocks.0.{name}" for name in ("gate", "up", "down"))
    return held(shaped(d_model=d_model, d_ff=d_ff, gated=True), *names)


@probe("decoders.mlp_biases", "P_bias")
def _(d_model: int, d_ff: int) -> Answer:
    """How many biases does an MLP of two matrices have?"""
    return held(shaped(d_model=d_model, d_ff=d_ff, biases=("up", "down")), "*.bias")


@probe("decoders.gated_mlp_biases", "P_bias")
def _(d_model: int, d_ff: int) -> Answer:
    """How many biases does an MLP with a gate have?"""
    return held(shaped(d_model=d_model, d_ff=d_ff, gated=True, biases=("gate", "up", "down")), "*.bias")


@probe("decoders.rms_norm", "P_norm")
def _(d_model: int) -> Answer:
    """How many weights does an RMSNorm hold?"""
    return held(shaped(d_model=d_model, norm="rms"), "norm.*")


@probe("decoders.layer_norm", "P_norm")
def _(d_model: int) -> Answer:
    """How many weights does a LayerNorm hold?"""
    return held(shaped(d_model=d_model, norm="layer"), "norm.*")


@probe("decoders.positions", "P_positions")
def _(d_model: int, n_positions: int) -> Answer:
    """How many weights do the learned positions hold?"""
    return held(shaped(d_model=d_model, positions="learned", n_positions=n_positions), "positions")


@probe("decoders.router", "P_router")
def _(d_model: int, n_active: int, idle: int) -> Answer:
    """How many weights does the router of a block hold?"""
    return held(shaped(d_model=d_model, n_experts=n_active + idle, n_active=n_active), "blocks.0.router")


@probe("decoders.expert", "P_expert")
def _(d_model: int, d_expert: int) -> Answer:
    """How many weights does one expert hold?"""
    config = shaped(d_model=d_model, d_ff=d_expert, gated=True, n_experts=2, n_active=1)
    return held(config, "blocks.0.experts.1.*")


# Whole decoders

_SHAPES = ("n_blocks", "n_kv_heads", "group", "n_vocab", "d_model")
_FAMILIES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "llama": (LLAMA, (*_SHAPES, "pairs", "d_ff")),
    "qwen3": (QWEN3, (*_SHAPES, "pairs", "d_ff")),
    "gpt2": (GPT2, (*_SHAPES, "d_head", "d_ff")),
    "mixtral": (LLAMA, (*_SHAPES, "pairs", "d_expert", "n_active", "idle")),
}


@lru_cache(maxsize=512)
def _drawn(family: str, n_positions: int, items: tuple[tuple[str, int], ...]) -> Decoder:
    switches, shape = _FAMILIES[family][0], dict(items)
    if "pairs" in shape:
        shape["d_head"] = 2 * shape.pop("pairs")
    if "idle" in shape:
        shape |= {"n_experts": shape["n_active"] + shape.pop("idle"), "d_ff": shape.pop("d_expert")}
    if switches["positions"] == "learned":
        shape["n_positions"] = n_positions
    return Decoder(shaped(**(switches | shape)))


def _decoder(family: str, n_positions: int, shape: dict[str, int]) -> Decoder:
    """A decoder of this shape, the same as before if it was the same; its ledger is cleared but for what is held."""
    decoder = _drawn(family, n_positions, tuple(shape.items()))
    decoder.ledger.clear()
    return decoder


def _parameters(family: str, n_positions: int = 1, **shape: int) -> Answer:
    """How many weights does a {} decoder hold?"""
    return _decoder(family, n_positions, shape).ledger.footprint("weights.*") // 2


def _decoded(family: str, batch: int, context: int, **shape: int) -> Ledger:
    """The ledger of one decoding step at this context; what its cache holds does not matter for the count."""
    decoder = _decoder(family, context, shape)
    decoder.start(batch, context)
    decoder.context = context - 1
    decoder.decode(np.zeros(batch, int))
    return decoder.ledger


def _weights_multiplied(family: str, **shape: int) -> Answer:
    """How many multiplications by a weight does a {} decoder do for a token, each with an addition?"""
    ledger = _decoded(family, 1, 1, **shape)
    return (by_part(ledger, op="matmul") - by_part(ledger, paths=PRODUCTS, op="matmul")) // 2


def _decode_flops(family: str, batch: int, context: int, **shape: int) -> Answer:
    """How many operations does a decoding step of a {} decoder take?"""
    return by_part(_decoded(family, batch, context, **shape))


def _prefill_flops(family: str, batch: int, context: int, **shape: int) -> Answer:
    """How many operations does a prefill of a {} decoder take?"""
    decoder = _decoder(family, context, shape)
    decoder.prefill(np.zeros((batch, context), int))
    return by_part(decoder.ledger)


for _family, (_switches, _shape) in _FAMILIES.items():
    _positions = ("n_positions",) if _switches["positions"] == "learned" else ()
    for _name, _ask, _more, _quantity in (
        ("parameters", _parameters, _positions, "P_total"),
        ("decode_flops", _decode_flops, ("batch", "context"), "C_decode"),
        ("prefill_flops", _prefill_flops, ("batch", "context"), "C_prefill"),
        *((("weights_multiplied", _weights_multiplied, (), "P"),) if _family != "qwen3" else ()),  # as in a llama
    ):
        _question = (_ask.__doc__ or "").format(_family)
        _architecture = ("experts",) if "n_active" in _shape else ()
        enter(f"{_family}.{_name}", _question, partial(_ask, _family), (*_shape, *_more), _quantity, _architecture)
