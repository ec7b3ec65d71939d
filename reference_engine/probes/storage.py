"""What is stored: weights, packed blocks, caches, what fits into memory"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..config import Config
from ..formats import FORMATS, Blocks, Float
from ..model import Decoder
from .passes import CACHE
from .registry import Answer, Ratio, probe


@lru_cache(maxsize=4096)
def _decoder(n_blocks: int, n_heads: int, d_head: int, n_vocab: int) -> Decoder:
    return Decoder(Config(n_blocks, n_heads, d_head, n_vocab, weights=Float(16)))


def _weights(decoder: Decoder, *names: str) -> int:
    """Entries of the matrices that are held under these names, counted off their 16-bit storage."""
    return sum(decoder.ledger.footprint(f"weights.{name}") for name in names) // 2


@probe("parameters.query_of_one_head")
def _(d_head: int, n_heads: int) -> Answer:
    """How many weights of the query matrix serve one head?"""
    weights = _decoder(1, n_heads, d_head, 1).weights
    return int(weights["blocks.0.query"].load(slice(0, d_head)).size)


@probe("parameters.attention", "P_attention")
def _(n_heads: int, d_head: int) -> Answer:
    """How many weights do the attention matrices of one block hold?"""
    names = ("query", "key", "value", "output")
    return _weights(_decoder(1, n_heads, d_head, 1), *(f"blocks.0.{name}" for name in names))


@probe("parameters.mlp_up")
def _(n_heads: int, d_head: int) -> Answer:
    """How many weights does the widening matrix of the MLP hold?"""
    return _weights(_decoder(1, n_heads, d_head, 1), "blocks.0.up")


@probe("parameters.mlp", "P_mlp")
def _(n_heads: int, d_head: int) -> Answer:
    """How many weights does the MLP of one block hold?"""
    return _weights(_decoder(1, n_heads, d_head, 1), "blocks.0.up", "blocks.0.down")


@probe("parameters.block", "P_block")
def _(n_heads: int, d_head: int) -> Answer:
    """How many weights does one block hold?"""
    return _weights(_decoder(1, n_heads, d_head, 1), "blocks.0.*")


@probe("parameters.embedding_row")
def _(n_heads: int, d_head: int) -> Answer:
    """How many weights does one row of the embedding hold?"""
    return int(_decoder(1, n_heads, d_head, 1).weights["embedding"].load(0).size)


@probe("parameters.embedding", "P_embedding")
def _(n_heads: int, d_head: int, n_vocab: int) -> Answer:
    """How many weights does the embedding hold?"""
    return _weights(_decoder(1, n_heads, d_head, n_vocab), "embedding")


@probe("parameters.total", "P_total")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int) -> Answer:
    """How many weights does the model hold?"""
    return _weights(_decoder(n_blocks, n_heads, d_head, n_vocab), "*")


def _packed(bits: int, block: int, scale_bits: int) -> tuple[int, int]:
    """Bytes of the codes and of the scales of one packed block."""
    packed = Blocks(bits, block, scale_bits).pack(np.ones((1, block)))
    return packed["codes"].nbytes, packed["scale"].nbytes


@probe("quantization.code_bits_of_one_block")
def _(bits: int, block: int) -> Answer:
    """How many bits do the packed codes of one block take?"""
    return 8 * _packed(bits, block, 16)[0]


@probe("quantization.scale_bits_of_one_block")
def _(scale_bits: int) -> Answer:
    """How many bits does the scale of one block take?"""
    return 8 * _packed(4, 8, scale_bits)[1]


@probe("quantization.bytes_per_weight", "n_bytes")
def _(bits: int, block: int, scale_bits: int) -> Answer:
    """How many bytes does a packed block take for how many weights?"""
    return Ratio(sum(_packed(bits, block, scale_bits)), block)


@probe("quantization.q4_bytes_per_weight", "n_bytes")
def _() -> Answer:
    """How many bytes do 4-bit blocks of 32 with 16-bit scales take for how many weights?"""
    return Ratio(sum(_packed(4, 32, 16)), 32)


def _held_cache(n_blocks: int, n_heads: int, d_head: int, batch: int, context: int, n_bytes_kv: Fraction) -> int:
    decoder = Decoder(Config(n_blocks, n_heads, d_head, 1, Float(16), FORMATS[Fraction(n_bytes_kv)]))
    decoder.prefill(np.zeros((batch, context), int))
    return decoder.ledger.footprint("cache.*")


@probe("kv_cache.key_bytes_of_one_head")
def _(d_head: int, n_bytes_kv: Fraction) -> Answer:
    """How many bytes does the key of one head hold for one token?"""
    decoder = Decoder(Config(1, 1, d_head, 1, Float(16), FORMATS[Fraction(n_bytes_kv)]))
    decoder.prefill([[0]])
    return decoder.caches[0]["keys"].nbytes


@probe("kv_cache.bytes_per_token_and_layer", "m_layer")
def _(n_heads: int, d_head: int, n_bytes_kv: Fraction) -> Answer:
    """How many bytes does the cache of a model of one layer hold for one token?"""
    return _held_cache(1, n_heads, d_head, 1, 1, n_bytes_kv)


@probe("kv_cache.bytes_per_token", "m_token")
def _(n_blocks: int, n_heads: int, d_head: int, n_bytes_kv: Fraction) -> Answer:
    """How many bytes does the cache hold for one token?"""
    return _held_cache(n_blocks, n_heads, d_head, 1, 1, n_bytes_kv)


@probe("kv_cache.bytes_total", "M_cache")
def _(n_blocks: int, n_heads: int, d_head: int, batch: int, context: int, n_bytes_kv: Fraction) -> Answer:
    """How many bytes does the cache of a batch hold after a prefill?"""
    return _held_cache(n_blocks, n_heads, d_head, batch, context, n_bytes_kv)


@probe("kv_cache.kept_context", "N_kept")
def _(n_blocks: int, n_heads: int, d_head: int, batch: int, context: int) -> Answer:
    """How many bytes do the caches of a batch hold, for how many held by one token of each sequence in all blocks?"""
    kept, one = (_held_cache(n_blocks, n_heads, d_head, batch, n, Fraction(2)) for n in (context, 1))
    return Ratio(kept, one)


@probe("kv_cache.bytes_read_while_generating", "D_generation")
def _(
    n_blocks: int, n_heads: int, d_head: int, batch: int, context: int, new_tokens: int, n_bytes_kv: Fraction
) -> Answer:
    """How many bytes of cache does it load to generate that many tokens after a prompt?"""
    decoder = Decoder(Config(n_blocks, n_heads, d_head, 1, Float(16), FORMATS[Fraction(n_bytes_kv)]))
    decoder.prefill(np.zeros((batch, context), int), capacity=context + new_tokens)
    decoder.ledger.clear()
    for _ in range(new_tokens):
        decoder.decode(np.zeros(batch, int))
    return decoder.ledger.total("loaded", *CACHE)
