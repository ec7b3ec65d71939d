"""Decoders some of whose blocks attend to a window"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..config import Config
from ..formats import FORMATS
from ..model import Decoder
from .clock import gap, zero
from .decoders import shaped
from .passes import by_part
from .registry import Answer, Parts, Ratio, probe


def _windowed(n_global: int, n_local: int, window: int, context: int, batch: int, config: Config) -> Decoder:
    """A decoder with full caches, some of whose blocks attend to everything and the others to a window."""
    windows = (None,) * n_global + (window,) * n_local
    decoder = Decoder(replace(config, n_blocks=n_global + n_local, windows=windows))
    decoder.start(batch, context)
    decoder.context = context - 1
    return decoder


@probe("kv_cache.windowed_bytes", "M_cache")
def _(
    n_global: int,
    n_local: int,
    window: int,
    beyond: int,
    n_kv_heads: int,
    d_head: int,
    batch: int,
    n_bytes_kv: Fraction,
) -> Answer:
    """How many bytes does the cache of a batch hold where some blocks attend to a window?"""
    config = replace(shaped(1, n_kv_heads, d_head=d_head, d_model=1), cache=FORMATS[Fraction(n_bytes_kv)])
    return _windowed(n_global, n_local, window, window + beyond, batch, config).ledger.footprint("cache.*")


@probe("decode.windowed_product_flops", "C_decode")
def _(
    n_global: int, n_local: int, window: int, beyond: int, n_heads: int, d_head: int, n_vocab: int, batch: int
) -> Answer:
    """How many operations do the matrix products of a decoding step take where some blocks attend to a window?"""
    config = shaped(1, n_heads, d_head=d_head, n_vocab=n_vocab)
    decoder = _windowed(n_global, n_local, window, window + beyond, batch, config)
    decoder.decode(np.zeros(batch, int))
    return by_part(decoder.ledger, op="matmul")


@probe("clock.windowed_critical_context", "N_critical")
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
    """At which context, beyond the window, does one more sequence add as much reading as arithmetic?"""
    config = replace(shaped(1, n_heads, d_head=d_head, n_vocab=n_vocab), cache=FORMATS[Fraction(n_bytes_kv)])

    def growth(context: int, full: int = n_global, windowed: int = n_local) -> Parts:
        """By how much the memory time exceeds the compute time, less the same for one sequence fewer."""
        gaps = []
        for batch in (1, 2):
            decoder = _windowed(full, windowed, window, context, batch, config)
            decoder.ledger.clear()
            decoder.decode(np.zeros(batch, int))
            gaps.append(gap(decoder.ledger, flops, bandwidth, cache=True))
        return gaps[1] - gaps[0]

    if growth(window).value >= 0:  # reached while the windows fill, when they make no difference
        filling = (growth(context, n_global + n_local, 0) for context in (1, 2))
        return zero(*filling)
    return Ratio(zero(growth(window + 1), growth(window + 2)).value + window, 1)
