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


def _step_time(ledger: Ledger, flops: int, bandwidth: int) -> Fraction:
    return max(times(ledger, flops, bandwidth))


@probe("clock.step_time", "T_step")
def _(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, n_bytes: Fraction, flops: int, bandwidth: int
) -> Answer:
    """How long do the matrices of a decoding step take on the model machine?"""
    return Ratio(_step_time(step(n_blocks, n_heads, d_head, n_vocab, batch, 1, n_bytes), flops, bandwidth), 1)


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
    return Ratio(_tokens(batch), _step_time(ledger, flops, bandwidth))


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
    return Ratio(_step_time(prompt(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes), flops, bandwidth), 1)


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
    return Ratio(sum(_step_time(ledger, flops, bandwidth) for ledger in ledgers), 1)


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


@probe("clock.token_crossover", "T_star")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, n_bytes: Fraction, flops: int, bandwidth: int) -> Answer:
    """At how many tokens in one prefill does arithmetic take as long as reading the weights?"""
    ledgers = (prompt(n_blocks, n_heads, d_head, n_vocab, 1, tokens, n_bytes) for tokens in (1, 2))
    return zero(*(gap(ledger, flops, bandwidth) for ledger in ledgers))


def _gaps(
    shape: tuple[int, int, int, int],
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    flops: Exact,
    bandwidth: Exact,
    *,
    cache: bool,
) -> tuple[Parts, Parts]:
    """The gap between memory and compute time of a step with one sequence, and with two."""
    one, two = (
        gap(step(*shape, batch, context, n_bytes, n_bytes_kv), flops, bandwidth, cache=cache) for batch in (1, 2)
    )
    return one, two


@probe("clock.batch_crossover", "B_star")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, n_bytes: Fraction, flops: int, bandwidth: int) -> Answer:
    """At which batch does arithmetic take as long as reading the weights?"""
    shape = (n_blocks, n_heads, d_head, n_vocab)
    return zero(*_gaps(shape, 1, n_bytes, Fraction(2), flops, bandwidth, cache=False))


@probe("clock.memory_bound")
def _(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, n_bytes: Fraction, flops: int, bandwidth: int
) -> Answer:
    """Is the arithmetic of a decoding step done before the weights are read?"""
    return gap(step(n_blocks, n_heads, d_head, n_vocab, batch, 1, n_bytes), flops, bandwidth).value > 0


@probe("clock.latency_is_memory_time")
def _(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, n_bytes: Fraction, flops: int, bandwidth: int
) -> Answer:
    """Does a decoding step take exactly as long as reading the weights?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, 1, n_bytes)
    return _step_time(ledger, flops, bandwidth) == times(ledger, flops, bandwidth)[1]


@probe("clock.batch_crossover_with_cache", "B_star_cache")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """At which batch do arithmetic and reading, the cache's included, take equally long?"""
    shape = (n_blocks, n_heads, d_head, n_vocab)
    return zero(*_gaps(shape, context, n_bytes, n_bytes_kv, flops, bandwidth, cache=True))


@probe("clock.memory_bound_with_cache")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    flops: Fraction,
    bandwidth: int,
) -> Answer:
    """Is the arithmetic of a decoding step done before weights and cache are read?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv)
    return gap(ledger, flops, bandwidth, cache=True).value > 0


def _growth(
    shape: tuple[int, int, int, int], context: int, n_bytes_kv: Fraction, flops: Exact, bandwidth: Exact
) -> Parts:
    """By how much the gap grows with one more sequence; negative while arithmetic grows faster."""
    one, two = _gaps(shape, context, Fraction(2), n_bytes_kv, flops, bandwidth, cache=True)
    return two - one


@probe("clock.critical_context", "N_critical")
def _(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, n_bytes_kv: Fraction, flops: int, bandwidth: int
) -> Answer:
    """At which context does one more sequence add as much reading as arithmetic?"""
    shape = (n_blocks, n_heads, d_head, n_vocab)
    return zero(*(_growth(shape, context, n_bytes_kv, flops, bandwidth) for context in (1, 2)))


@probe("clock.crossover_exists")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    context: int,
    n_bytes_kv: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """Does one more sequence add more arithmetic than reading?"""
    return _growth((n_blocks, n_heads, d_head, n_vocab), context, n_bytes_kv, flops, bandwidth).value < 0


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
