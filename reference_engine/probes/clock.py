"""Time on a model machine

A machine that does `flops` operations and moves `bandwidth` bytes a second, and overlaps the two, takes as long as
the longer of its times. The counts are the engine's; only the two rates are given. Crossovers are not computed from
a formula but found by measuring at two places and following the straight line through them to zero.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..ledger import Ledger
from .passes import CACHE, MATRICES, PRODUCTS, by_part, drawn, prompt, step, sum_over
from .registry import Answer, Exact, Parts, Ratio, probe


def times(ledger: Ledger, flops: Exact, bandwidth: Exact, *, cache: bool = False) -> tuple[Fraction, Fraction]:
    """Compute time and memory time of what the ledger holds: of matrices alone, or with attention and cache reads."""
    operations = sum_over(ledger, "flops", MATRICES + (PRODUCTS if cache else ()))
    read = sum_over(ledger, "loaded", MATRICES + (CACHE if cache else ()))
    return Fraction(operations) / flops, Fraction(read) / bandwidth


def gap(ledger: Ledger, flops: Exact, bandwidth: Exact, *, cache: bool = False) -> Parts:
    """By how much the memory time exceeds the compute time, both multiplied by both rates."""
    operations = by_part(ledger, "flops", MATRICES + (PRODUCTS if cache else ()))
    read = by_part(ledger, "loaded", MATRICES + (CACHE if cache else ()))
    return read * flops - operations * bandwidth


def zero(at_1: Parts, at_2: Parts) -> Ratio:
    """Where the straight line through (1, at_1) and (2, at_2) meets zero."""
    return Ratio(at_1 * 2 - at_2, at_1 - at_2)


@probe("clock.memory_time", "T_memory")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, n_bytes: Fraction, bandwidth: int) -> Answer:
    """How many bytes of weights does a decoding step load, at how many bytes a second?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, 1, 1, n_bytes)
    return Ratio(by_part(ledger, "loaded", MATRICES), bandwidth)


@probe("clock.compute_time", "T_compute")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, flops: int) -> Answer:
    """How many operations do the matrices of a decoding step take, at how many a second?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, 1)
    return Ratio(by_part(ledger, "flops", MATRICES), flops)


def step_time(ledger: Ledger, flops: int, bandwidth: int) -> Fraction:
    """The longer of the times that the matrices of a pass take."""
    return max(times(ledger, flops, bandwidth))


@probe("clock.step_time", "T_step")
def _(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, n_bytes: Fraction, flops: int, bandwidth: int
) -> Answer:
    """How long do the matrices of a decoding step take on the model machine?"""
    return Ratio(step_time(step(n_blocks, n_heads, d_head, n_vocab, batch, 1, n_bytes), flops, bandwidth), 1)


def _tokens(batch: int) -> int:
    decoder = drawn(1, 1, 1, 1)
    decoder.start(batch, 1)
    return len(decoder.decode(np.zeros(batch, int)))


@probe("clock.tokens_of_a_step")
def _(batch: int) -> Answer:
    """For how many new tokens does a decoding step return logits?"""
    return _tokens(batch)


@probe("clock.throughput", "R")
def _(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, n_bytes: Fraction, flops: int, bandwidth: int
) -> Answer:
    """How many tokens does a decoding step give, in which time?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, 1, n_bytes)
    return Ratio(_tokens(batch), step_time(ledger, flops, bandwidth))


@probe("clock.prefill_time", "T_prefill")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """How long do the matrices of a prefill take on the model machine?"""
    return Ratio(step_time(prompt(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes), flops, bandwidth), 1)


@probe("clock.prefill_time_with_attention", "T_prefill")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """How long does a prefill take on the model machine, attention and cache reads included?"""
    ledger = prompt(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv)
    return Ratio(max(times(ledger, flops, bandwidth, cache=True)), 1)


@lru_cache(maxsize=64)
def _generation(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int, new_tokens: int, n_bytes: Fraction
) -> list[Ledger]:
    """The ledgers of a prefill and of the decoding steps after it, one after the other."""
    decoder = drawn(n_blocks, n_heads, d_head, n_vocab, n_bytes)
    decoder.ledger.clear()
    decoder.prefill(np.zeros((batch, context), int), capacity=context + new_tokens)
    ledgers = [decoder.ledger.folded()]
    for _ in range(new_tokens):
        decoder.ledger.clear()
        decoder.decode(np.zeros(batch, int))
        ledgers.append(decoder.ledger.folded())
    return ledgers


@probe("clock.generation_time", "T_generation")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    new_tokens: int,
    n_bytes: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """How long do a prefill and the decoding steps after it take, one after the other?"""
    ledgers = _generation(n_blocks, n_heads, d_head, n_vocab, batch, context, new_tokens, n_bytes)
    return Ratio(sum(step_time(ledger, flops, bandwidth) for ledger in ledgers), 1)


@probe("clock.memory_time_with_cache", "T_memory_cache")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    bandwidth: int,
) -> Answer:
    """How many bytes of weights and cache does a decoding step load, at how many bytes a second?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv)
    return Ratio(by_part(ledger, "loaded", MATRICES + CACHE), bandwidth)


@probe("clock.compute_time_with_attention", "T_compute_cache")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int, flops: int) -> Answer:
    """How many operations do matrices, scores and weighted sums of a decoding step take, at how many a second?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, context)
    return Ratio(by_part(ledger, "flops", MATRICES + PRODUCTS), flops)


@probe("clock.step_time_with_cache", "T_step")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """How long does a decoding step take on the model machine, cache reads and attention included?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv)
    return Ratio(max(times(ledger, flops, bandwidth, cache=True)), 1)


@probe("clock.throughput_with_cache", "R")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """How many tokens does a decoding step give, in which time, cache reads and attention included?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv)
    return Ratio(_tokens(batch), max(times(ledger, flops, bandwidth, cache=True)))
