"""A compressor: one entry of each run of tokens

Each token gives numbers and, number by number, a gate; to the gates a vector is added that belongs to the token's
place in its run. Where a run is full, the softmax of its gates weighs its numbers, their sum is normed and rotated as
the first token of the run would be, and kept as its entry. Where runs overlap, a token gives numbers for its own run
and others for the next, so an entry is made from two runs; the first has no run before it.

Until its run is full, and while the next may need it, what a token gave is kept: of as many tokens as an entry is made
from, however long the sequence is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from .. import ops
from ..cache import Cache
from ..formats import Array
from ..sizes import least, most

if TYPE_CHECKING:
    from ..layers import Layers
    from .compressed import Compression


def compress(
    layers: Layers, compression: Compression, i: int, of: str, caches: Mapping[str, Cache], x: Array, start: int
) -> None:
    """(batch, n, d_model): keep the entries of the runs that the new tokens fill, in block i.

    Args:
        layers: the decoder's weights.
        compression: shapes of its blocks.
        i: the block.
        of: whose entries: "entry" or "long" for attention's own, "index" for those of the index.
        caches: of the block, by name.
        x: what attention was fed with, of the tokens start, …, start + n − 1.
        start: tokens there were before.
    """
    ledger, at = layers.ledger, f"blocks.{i}.{of}_"
    prefix = "index_" if of == "index" else ""
    run, back, end = compression.run(i), compression.back(i), start + x.shape[1]
    with ledger.scope(of):
        # (B, n, 2·series)
        made = np.concatenate([layers.linear(name, at + name, x) for name in ("values", "gates")], axis=-1)
        pending = caches[f"{prefix}pending"]
        first, last = start // run * run, end // run * run  # of the runs that are full from now on
        given = made[:, : most(0, last - start)]  # (B, whole, 2·series)
        if last > first:
            begin = most(0, first - (back - run))
            with ledger.scope("pending"):
                # (B, tokens, 2·series)
                given = np.concatenate([pending.between(begin, start), given], axis=1)
        with ledger.scope("pending"):
            pending.put(made[:, -back:], end - least(back, x.shape[1]))
        if last == first:
            return
        entries = _made(layers, at, given, run, back, begin == first)  # (B, runs, width)
        with ledger.scope("norm"):
            weight = layers.weights[f"{at}norm.weight"].load()  # (width,)
            entries = ops.rms_norm(ledger, entries, weight, layers.config.norm_epsilon)  # (B, runs, width)
        # (B, runs, width)
        entries = layers.rotate_end(entries[:, :, None], first, theta=compression.rope_theta, every=run)[:, :, 0]
        with ledger.scope("cache"):
            caches[f"{prefix}entries"].put(entries, first // run)


def _made(layers: Layers, at: str, given: Array, run: int, back: int, is_first: bool) -> Array:
    """(batch, tokens, 2·series) of whole runs -> (batch, runs, width), their entries.

    Where runs overlap, the run before the first new one is given as well, unless that `is_first` of all.
    """
    ledger, batch = layers.ledger, given.shape[0]
    values, gates = (
        one.reshape(batch, -1, run, given.shape[-1] // 2) for one in np.split(given, 2, axis=-1)
    )  # (B, taken, run, series), (B, taken, run, series)
    with ledger.scope("places"):
        # (B, taken, run, series)
        gates = ops.elementwise(ledger, "add", gates, layers.weights[f"{at}places.weight"].load())
    if back > run:
        half = values.shape[-1] // 2
        # before the first run there is nothing, which weighs nothing
        (values, gates) = (
            np.concatenate([_before(one[..., :half], is_first, nothing), one[:, int(not is_first) :, :, half:]], axis=2)
            for one, nothing in ((values, 0.0), (gates, ops.lowest(gates)))
        )  # (B, runs, back, width), (B, runs, back, width)
    with ledger.scope("softmax"):  # over the tokens of a run, for each number of its own
        weights = ops.stable_softmax(ledger, gates.swapaxes(2, 3))  # (B, runs, width, back)
    with ledger.scope("sum"):
        weighed = ops.elementwise(ledger, "multiply", weights, values.swapaxes(2, 3))  # (B, runs, width, back)
        return ops.total(ledger, weighed)[..., 0]  # (B, runs, width)


def _before(one: Array, is_first: bool, nothing: object) -> Array:
    """(batch, runs, run, width) -> for each run, the numbers of the run before it.

    The first run is left out, unless it `is_first` of all: then it has a run of `nothing` before it.
    """
    if not is_first:
        return one[:, :-1]  # (B, runs, run, width)
    return np.concatenate([np.full_like(one[:, :1], nothing), one[:, :-1]], axis=1)  # (B, runs, run, width)
