"""Latent attention: what it holds, caches and computes"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..config import Config
from ..formats import FORMATS
from ..ledger import Ledger
from ..model import Decoder
from .decoders import held, shaped
from .passes import PRODUCTS, by_part
from .registry import Answer, probe


def _block(pairs: int = 1, d_latent: int = 1, d_nope: int = 1, **switches: Any) -> Config:
    """Latent attention that caches d_latent numbers and pairs that are rotated; heads have d_nope numbers beside."""
    return shaped(d_head=d_nope, kv_rank=d_latent, d_rope=2 * pairs, positions="rotary", **switches)


@probe("latent.key_value_parameters", "P_attention", ("latent",))
def _(d_model: int, n_heads: int, d_latent: int, pairs: int, d_nope: int, d_value: int) -> Answer:
    """How many weights do latent keys, values and the output hold?"""
    config = _block(pairs, d_latent, d_nope, n_kv_heads=n_heads, d_model=d_model, d_value=d_value)
    return held(config, *(f"blocks.0.{name}" for name in ("latent", "key_up", "value_up", "output")))


@probe("latent.full_query_parameters", "P_attention", ("latent",))
def _(d_model: int, n_heads: int, pairs: int, d_nope: int) -> Answer:
    """How many weights does the query matrix hold?"""
    return held(_block(pairs, 1, d_nope, n_kv_heads=n_heads, d_model=d_model), "blocks.0.query")


@probe("latent.compressed_query_parameters", "P_attention", ("latent",))
def _(d_model: int, n_heads: int, d_query: int, pairs: int, d_nope: int) -> Answer:
    """How many weights do the matrices of compressed queries hold?"""
    config = _block(pairs, 1, d_nope, n_kv_heads=n_heads, d_model=d_model, q_rank=d_query)
    return held(config, "blocks.0.query_down", "blocks.0.query")


@probe("latent.norm", "P_norm", ("latent",))
def _(d_latent: int) -> Answer:
    """How many weights does the norm of latent vectors hold?"""
    return held(_block(1, d_latent), "blocks.0.latent_norm.*")


@probe("latent.query_norm", "P_norm", ("latent",))
def _(d_query: int) -> Answer:
    """How many weights does the norm of compressed queries hold?"""
    return held(_block(q_rank=d_query), "blocks.0.query_down_norm.*")


@probe("latent.cache_bytes_per_token", "m_token", ("latent",))
def _(n_blocks: int, n_heads: int, d_latent: int, pairs: int, n_bytes_kv: Fraction) -> Answer:
    """How many bytes does the cache hold for one token?"""
    config = _block(pairs, d_latent, n_blocks=n_blocks, n_kv_heads=n_heads, cache=FORMATS[Fraction(n_bytes_kv)])
    decoder = Decoder(config)
    decoder.start(1, 1)
    return decoder.ledger.footprint("cache.*")


@probe("latent.attention_flops_per_context_token", "a", ("latent",))
def _(n_blocks: int, n_heads: int, d_latent: int, pairs: int) -> Answer:
    """How many operations more do scores and weighted sums take when the context is one token longer?"""
    counts = []
    for context in (2, 3):
        decoder = Decoder(_block(pairs, d_latent, n_blocks=n_blocks, n_kv_heads=n_heads))
        decoder.start(1, context)
        decoder.context = context - 1
        decoder.decode(np.zeros(1, int))
        counts.append(sum(decoder.ledger.total("flops", f"blocks.*.attention.{name}") for name in ("scores", "mix")))
    return counts[1] - counts[0]


@probe("latent.prompt_attention_flops_per_pair", "a_prompt", ("latent",))
def _(n_blocks: int, n_heads: int, pairs: int, d_nope: int, d_value: int) -> Answer:
    """How many operations do scores and weighted sums of a prompt of one token take, with keys and values expanded?"""
    config = _block(pairs, 1, d_nope, n_blocks=n_blocks, n_kv_heads=n_heads, d_value=d_value, absorbed=False)
    decoder = Decoder(config)
    decoder.prefill([[0]])
    return sum(decoder.ledger.total("flops", f"blocks.*.attention.{name}") for name in ("scores", "mix"))


def _stepped(pairs: int, d_latent: int, d_nope: int, batch: int, context: int, **switches: Any) -> Ledger:
    """The ledger of a decoding step of a decoder with a gated MLP."""
    decoder = Decoder(_block(pairs, d_latent, d_nope, gated=True, **switches))
    decoder.start(batch, context)
    decoder.context = context - 1
    decoder.decode(np.zeros(batch, int))
    return decoder.ledger


@probe("latent.weights_multiplied", "P", ("latent",))
def _(
    n_blocks: int,
    n_heads: int,
    n_vocab: int,
    d_model: int,
    d_latent: int,
    pairs: int,
    d_nope: int,
    d_value: int,
    d_ff: int,
) -> Answer:
    """How many multiplications by a weight does a decoder do for a token, each with an addition?"""
    shape = {"n_blocks": n_blocks, "n_kv_heads": n_heads, "n_vocab": n_vocab, "d_model": d_model, "d_ff": d_ff}
    ledger = _stepped(pairs, d_latent, d_nope, 1, 1, d_value=d_value, **shape)
    return (by_part(ledger, op="matmul") - by_part(ledger, paths=PRODUCTS, op="matmul")) // 2


@probe("latent.expanded_decode_flops", "C_decode", ("latent",))
def _(
    n_blocks: int,
    n_heads: int,
    n_vocab: int,
    d_model: int,
    d_latent: int,
    pairs: int,
    d_nope: int,
    d_value: int,
    d_ff: int,
    batch: int,
    context: int,
) -> Answer:
    """How many operations do the matrix products of a decoding step take, with keys and values expanded?"""
    shape = {"n_blocks": n_blocks, "n_kv_heads": n_heads, "n_vocab": n_vocab, "d_model": d_model, "d_ff": d_ff}
    ledger = _stepped(pairs, d_latent, d_nope, batch, context, d_value=d_value, absorbed=False, **shape)
    return by_part(ledger, op="matmul")
