"""Where times cross: found by measuring at two places and following the straight line through them"""

from __future__ import annotations

from fractions import Fraction

from .clock import gap, step_time, times, zero
from .passes import prompt, step
from .registry import Answer, Exact, Parts, probe


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
    return step_time(ledger, flops, bandwidth) == times(ledger, flops, bandwidth)[1]


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
