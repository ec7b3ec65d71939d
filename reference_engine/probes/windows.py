"""Decoders some of whose blocks attend to a window"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..config import Config
from ..formats import FORMATS
from ..memory import Machine, OutOfMemory
from ..model import Decoder
from .clock import gap, zero
from .decoders import shaped
from .memory import longest
from .passes import by_part
from .registry import Answer, Parts, Ratio, probe


def _windowed(n_global: int, n_local: int, window: int, context: int, batch: int, config: Config) -> Decoder:
    """A decoder with full caches, some of whose blocks attend to everything and the others to a window."""
    windows = (None,) * n_global + (window,) * n_local
    decoder = Decoder(replace(config, n_blocks=n_global + n_local, windows=windows))
    decoder.start(batch, context)
    decoder.context = context - 1
    return decoder


@probe("windows.kept_context", "N_kept", ("mixed",))
def _(n_global: int, n_local: int, window: int, context: int, batch: int) -> Answer:
    """How many bytes do the caches of a batch hold, for how many held by one token of each sequence in all blocks?"""
    kept, one = (_windowed(n_global, n_local, window, n, batch, shaped()) for n in (context, 1))
    return Ratio(kept.ledger.footprint("cache.*"), one.ledger.footprint("cache.*"))


@probe("windows.causal_product_flops", "C_prefill", ("mixed",))
def _(
    n_global: int, n_local: int, window: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int
) -> Answer:
    """How many operations do the matrix products take if the prompt is decoded token by token?"""
    decoder = _windowed(n_global, n_local, window, context, batch, shaped(1, n_heads, d_head=d_head, n_vocab=n_vocab))
    decoder.context = 0
    for _ in range(context):
        decoder.decode(np.zeros(batch, int))
    return by_part(decoder.ledger, op="matmul")


def _growth(config: Config, windows: tuple[int, int, int], context: int, flops: int, bandwidth: int) -> Parts:
    """By how much the memory time exceeds the compute time of a step, less the same for one sequence fewer."""
    gaps = []
    for batch in (1, 2):
        decoder = _windowed(*windows, context, batch, config)
        decoder.ledger.clear()
        decoder.decode(np.zeros(batch, int))
        gaps.append(gap(decoder.ledger, flops, bandwidth, cache=True))
    return gaps[1] - gaps[0]


@probe("windows.critical_context", "N_critical", ("mixed",))
def _(
    n_global: int,
    n_local: int,
    window: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    n_bytes_kv: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """At which context does one more sequence add as much reading as arithmetic, where some blocks have a window?"""
    config = replace(shaped(1, n_heads, d_head=d_head, n_vocab=n_vocab), cache=FORMATS[Fraction(n_bytes_kv)])
    if _growth(config, (n_global, n_local, window), window, flops, bandwidth).value >= 0:
        # reached while the windows fill, when they make no difference
        return zero(*(_growth(config, (n_global + n_local, 0, 1), n, flops, bandwidth) for n in (1, 2)))
    beyond = (_growth(config, (n_global, n_local, window), window + n, flops, bandwidth) for n in (1, 2))
    return Ratio(zero(*beyond).value + window, 1)


@probe("windows.critical_context_of_filling_windows", "N_critical", ("windowed",))
def _(
    n_blocks: int,
    window: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    n_bytes_kv: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """At which context does one more sequence add as much reading as arithmetic, while all windows fill?"""
    config = replace(shaped(1, n_heads, d_head=d_head, n_vocab=n_vocab), cache=FORMATS[Fraction(n_bytes_kv)])
    if _growth(config, (0, n_blocks, window), window, flops, bandwidth).value < 0:
        return 0  # none: not even full windows take as long to read
    return zero(*(_growth(config, (n_blocks, 0, 1), n, flops, bandwidth) for n in (1, 2)))


def _longest(windows: tuple[int, int, int], config: Config, batch: int, memory: int, limit: int | None = None) -> int:
    """The longest context, up to a limit, for which the caches of the batch can be allocated beside the weights.

    Where every block has a window and full ones fit, any context does; without a limit the window is the answer.
    """
    n_global, n_local, window = windows
    blocks = (None,) * n_global + (window,) * n_local
    made = replace(config, n_blocks=n_global + n_local, windows=blocks)

    def fits(context: int) -> bool:
        if context > (limit or context) or (limit is None and not n_global and context > window):
            return False
        try:
            Decoder(made, machine=Machine(capacity=memory)).start(batch, context)
        except OutOfMemory:
            return False
        return True

    return longest(fits)


@probe("windows.context_that_fits", "N_fit", ("mixed",))
def _(
    n_global: int,
    n_local: int,
    window: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int,
) -> Answer:
    """How long a context can be allocated for a batch, where some blocks have a window?"""
    config = Config(1, n_heads, d_head, n_vocab, FORMATS[Fraction(n_bytes)], FORMATS[Fraction(n_bytes_kv)])
    return _longest((n_global, n_local, window), config, batch, memory)


@probe("windows.context_that_fits_of_filling_windows", "N_fit", ("windowed",))
def _(
    n_blocks: int,
    window: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int,
) -> Answer:
    """How long a context can be allocated for a batch, where all blocks have a window and full ones do not fit?"""
    config = Config(1, n_heads, d_head, n_vocab, FORMATS[Fraction(n_bytes)], FORMATS[Fraction(n_bytes_kv)])
    return _longest((0, n_blocks, window), config, batch, memory)


@probe("windows.largest_context", "N_largest", ("windowed",))
def _(
    n_blocks: int,
    window: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int,
    limit: int,
) -> Answer:
    """How long a context, up to a limit, can be allocated for a batch, where all blocks have a window?"""
    config = Config(1, n_heads, d_head, n_vocab, FORMATS[Fraction(n_bytes)], FORMATS[Fraction(n_bytes_kv)])
    return _longest((0, n_blocks, window), config, batch, memory, limit)
