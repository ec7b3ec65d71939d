"""Products of attention, whatever is kept: queries with keys, shares of values, and matrices of groups of heads"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import ops
from ..arrays import arange
from ..formats import Array

if TYPE_CHECKING:
    from ..layers import Layers


def attend(
    layers: Layers,
    queries: Array,
    keys: Array,
    values: Array,
    start: int,
    *,
    window: int | None,
    scale: float,
    sinks: Array | None = None,
    passed_over: Array | None = None,
) -> Array:
    """(batch, n, heads, d), (batch, context, groups, d), (batch, context, groups, e) -> (batch, n, heads, e).

    The queries of the tokens start, …, start + n − 1 against everything up to them; all products are computed, those
    with later tokens too. `sinks`: (heads,), scores that stand beside those of the tokens and have no value.
    `passed_over`: (batch, n, context), the tokens that an index did not pick.
    """
    n, hidden = queries.shape[1], None
    # a single token looks back on all that the cache has kept for it
    if n != 1:
        hidden = beyond(start, n, keys.shape[1], window)  # (n, context)
        if passed_over is not None:
            hidden = hidden | passed_over[:, None, None]  # (B, 1, 1, n, context)
    return weighed(layers, queries, keys, values, hidden, scale=scale, sinks=sinks)  # (B, n, heads, e)


def beyond(start: int, n: int, kept: int, window: int | None) -> Array:
    """(n, kept), whether a token that is kept comes after the new one that looks at it, or lies before its window."""
    end = start + n
    ago = arange(start, end)[:, None] - arange(end - kept, end)[None, :]  # (n, kept)
    # without a window everything before is within `end` tokens
    hidden: Array = (ago < 0) | (ago >= (window or end))  # (n, kept)
    return hidden


def weighed(
    layers: Layers,
    queries: Array,
    keys: Array,
    values: Array,
    hidden: Array | None,
    *,
    scale: float,
    sinks: Array | None = None,
) -> Array:
    """Attention of the same shapes as `attend`, with a mask of what is `hidden` from each query.

    The mask is (n, context), or (batch, 1, 1, n, context); None hides nothing.
    """
    ledger, (batch, n, heads, d) = layers.ledger, queries.shape
    context, groups, each = keys.shape[1], keys.shape[2], heads // keys.shape[2]
    # the heads that share a key are rows of one product
    # (B, groups, each·n, d)
    rows = queries.reshape(batch, n, groups, each, d).transpose(0, 2, 3, 1, 4).reshape(batch, groups, each * n, d)
    with ledger.scope("scores"):
        # (B, groups, each·n, d) @ (B, groups, d, context) -> (B, groups, each·n, context)
        scores = ops.matmul(ledger, rows, keys.transpose(0, 2, 3, 1))
    with ledger.scope("softmax"):
        # (B, groups, each, n, context)
        scores = ops.elementwise(ledger, "multiply", scores, scale).reshape(batch, groups, each, n, context)
        if hidden is not None:
            scores = np.where(hidden, ops.lowest(scores), scores)  # (B, groups, each, n, context)
        if sinks is not None:
            # (B, groups, each, n, 1)
            beside = np.broadcast_to(sinks.reshape(groups, each, 1, 1), (*scores.shape[:-1], 1))
            scores = np.concatenate([scores, beside], axis=-1)  # (B, groups, each, n, context + 1)
        # a sink takes its share of the softmax, and has no value to give for it
        weights = ops.stable_softmax(ledger, scores)[..., :context]  # (B, groups, each, n, context)
    with ledger.scope("mix"):
        # (B, groups, each·n, context) @ (B, groups, context, e) -> (B, groups, each·n, e)
        mixed = ops.matmul(ledger, weights.reshape(batch, groups, each * n, context), values.transpose(0, 2, 1, 3))
    # (B, n, heads, e)
    return mixed.reshape(batch, groups, each, n, -1).transpose(0, 3, 1, 2, 4).reshape(batch, n, heads, -1)


def by_group(layers: Layers, name: str, at: str, x: Array, *, turned: bool = True) -> Array:
    """(batch, n, heads, inputs) -> (batch, n, heads, outputs), each head, or group, with its own (outputs, inputs)."""
    batch, n, heads, _ = x.shape
    with layers.ledger.scope(name):
        matrices = layers.weights[at + name].load()  # (heads, rows, columns)
        rows = x.transpose(2, 0, 1, 3).reshape(heads, batch * n, -1)  # (heads, B·n, inputs)
        # (heads, B·n, outputs)
        made = ops.matmul(layers.ledger, rows, matrices.transpose(0, 2, 1) if turned else matrices)
    return made.reshape(heads, batch, n, -1).transpose(1, 2, 0, 3)  # (B, n, heads, outputs)
