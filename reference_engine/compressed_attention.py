"""Attention over a window and over compressed runs of tokens, as DeepSeek-V4 has it

One vector of each token is key and value for all heads, so its rotation is taken back from what a head gives. A query
meets the tokens of the window and the entries of the runs before it, all of them or those that an index picked, and a
score of its own that stands for nothing. Entries of a run that is not over are made for nobody: a query meets those
that are complete with its own token.
"""

from __future__ import annotations

import numpy as np

from . import ops
from .arrays import arange, zeros
from .cache import Cache
from .compressors import compress
from .formats import Array
from .index import found, passed_over
from .layers import Layers
from .self_attention import beyond, by_group, weighed
from .sizes import least


def compressed(layers: Layers, i: int, caches: dict[str, Cache], x: Array, start: int) -> Array:
    """(batch, n, d_model) -> (batch, n, d_model), in block i, with caches of a window and of entries.

    A single new token of a block with an index reads the entries that it picked, and no others. Several new ones pick
    each their own, so all are read, all products are computed, and what a token did not pick is hidden from it.
    """
    config, ledger, at = layers.config, layers.ledger, f"blocks.{i}."
    compression, (batch, n, _) = config.compression, x.shape
    assert compression is not None, "the block has its shapes"
    run, end, theta = compression.run(i), start + n, compression.rope_theta if compression.run(i) else None
    low = layers.linear("query_down", at + "query_down", x)  # (B, n, q_rank)
    low = layers.rms_norm("query_down_norm", at + "query_down_norm", low)  # (B, n, q_rank)
    queries = layers.linear("query", at + "query", low).reshape(batch, n, config.n_heads, -1)  # (B, n, n_heads, d_head)
    with ledger.scope("query_norm"):
        queries = ops.rms(ledger, queries, config.norm_epsilon)  # (B, n, n_heads, d_head)
    queries = layers.rotate_end(queries, start, theta=theta)  # (B, n, n_heads, d_head)
    # (B, n, d_head)
    made = layers.rms_norm("key_value_norm", at + "key_value_norm", layers.linear("key_value", at + "key_value", x))
    made = layers.rotate_end(made[:, :, None], start, theta=theta)[:, :, 0]  # (B, n, d_head)
    with ledger.scope("cache"):
        kept = caches["window"].extend(made, start)  # (B, seen, d_head)
    hidden = beyond(start, n, kept.shape[1], config.window(i)) if n != 1 else None  # (n, seen)
    if run:
        compress(layers, i, compression.compressor(i), caches, x, start)
        places = _pick(layers, i, caches, x, low, start) if compression.kind(i) == "sparse" else None  # (B, n, read)
        with ledger.scope("entries"):
            if places is not None and n == 1:
                entries = caches["entries"].at(places[:, 0])  # (B, entries, d_head)
            else:
                entries = caches["entries"].between(0, end // run)  # (B, entries, d_head)
        if hidden is not None:
            later = _unfinished(start, n, run)[None]  # (1, n, entries)
            # (1, n, entries) or (B, n, entries)
            later = later if places is None else later | passed_over(places, end // run)
            # (1, n, seen + entries) or (B, n, seen + entries)
            hidden = np.concatenate([np.broadcast_to(hidden, (later.shape[0], *hidden.shape)), later], axis=-1)
            hidden = hidden[:, None, None]  # (1, 1, 1, n, seen + entries) or (B, 1, 1, n, seen + entries)
        kept = np.concatenate([kept, entries], axis=1)  # (B, seen + entries, d_head)
    keys = kept[:, :, None]  # (B, context, 1, d_head)
    with ledger.scope("sinks"):
        sinks = layers.weights[at + "sinks"].load()  # (n_heads,)
    # (B, n, n_heads, d_head)
    mixed = weighed(layers, queries, keys, keys, hidden, scale=config.d_head**-0.5, sinks=sinks)
    mixed = layers.rotate_end(mixed, start, theta=theta, back=True)  # (B, n, n_heads, d_head)
    # (groups, n, heads·d_head/groups) @ (groups, heads·d_head/groups, o_rank) -> (groups, n, o_rank)
    # (B, n, n_groups, o_rank)
    short = by_group(layers, "output_down", at, mixed.reshape(batch, n, compression.n_groups, -1))
    return layers.linear("output", at + "output", short.reshape(batch, n, -1))  # (B, n, d_model)


def _pick(layers: Layers, i: int, caches: dict[str, Cache], x: Array, low: Array, start: int) -> Array:
    """(batch, n, d_model), (batch, n, q_rank) -> (batch, n, picked) places of the entries that each token reads."""
    config, ledger, at = layers.config, layers.ledger, f"blocks.{i}.index_"
    compression, (batch, n, _) = config.compression, x.shape
    assert compression is not None, "the block has an index"
    heads, width, run = compression.n_index_heads, compression.index_width, compression.run(i)
    compress(layers, i, "index", caches, x, start)
    with ledger.scope("index"):
        queries = layers.linear("query", at + "query", low).reshape(batch, n, heads, width)  # (B, n, heads, width)
        queries = layers.rotate_end(queries, start, theta=compression.rope_theta)  # (B, n, heads, width)
        with ledger.scope("cache"):
            held = caches["index_entries"].between(0, (start + n) // run)  # (B, entries, width)
        summed = found(layers, at, queries, held, x)  # (B, n, entries)
        with ledger.scope("pick"):
            if n != 1:
                summed = np.where(_unfinished(start, n, run), ops.lowest(summed), summed)  # (B, n, entries)
            if not summed.shape[-1]:
                return zeros((batch, n, 0), int)  # (B, n, 0)
            return ops.top_k(ledger, summed, least(compression.picked, summed.shape[-1]))  # (B, n, read)


def _unfinished(start: int, n: int, run: int) -> Array:
    """(n, entries), whether the run of an entry goes on after the new token that looks at it."""
    # (n, entries)
    hidden: Array = arange((start + n) // run)[None, :] >= (arange(start, start + n)[:, None] + 1) // run
    return hidden
