"""Self-attention through a cache: heads that share keys and values, and heads that share a latent vector

Both end in the same products. Grouped heads cache keys and values. Latent attention (DeepSeek's) caches one short
vector for all heads and one rotated key; a head's keys and values are made from the latent vector, either all of them
anew in each pass, or never: absorbed, the queries are brought to the latent vectors instead, and so are the outputs
back from them. Or they are made once, of each new token, and these are cached in the place of latent vectors.
"""

from __future__ import annotations

import numpy as np

from . import ops
from .arrays import arange
from .cache import Cache
from .formats import Array
from .index import Picks, passed_over, pick
from .layers import Layers


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


def grouped(layers: Layers, i: int, caches: dict[str, Cache], x: Array, start: int) -> Array:
    """(batch, n, d_model) -> (batch, n, d_model), in block i, with a cache of keys and values."""
    config, made = layers.config, {}
    projected: dict[str, Array] = {}
    n_kv, width = config.heads(i)
    own = config.source(i) == i
    for name, heads in (("query", config.n_heads), *((("key", n_kv), ("value", n_kv)) if own else ())):
        if name == "value" and config.shares_keys(i):
            # (B, n, n_kv·width); before the key's norm and rotation, so it is kept apart from the key
            vectors = projected["key"]
        else:
            # (B, n, heads·width) or (B, n, heads·e)
            vectors = projected[name] = layers.linear(name, f"blocks.{i}.{name}", x)
        if name != "value" and config.joint_norms:
            vectors = layers.rms_norm(f"{name}_norm", f"blocks.{i}.{name}_norm", vectors)  # (B, n, heads·width)
        # (B, n, heads, width) or (B, n, heads, e)
        vectors = vectors.reshape(*x.shape[:2], heads, config.value_width(i) if name == "value" else width)
        if name != "value" and config.qk_norm:
            vectors = layers.rms_norm(f"{name}_norm", f"blocks.{i}.{name}_norm", vectors)  # (B, n, heads, width)
        if name == "value" and config.value_norms:
            with layers.ledger.scope("value_norm"):
                vectors = ops.rms(layers.ledger, vectors, config.norm_epsilon)  # (B, n, n_kv, e)
        if name != "value" and config.positions == "rotary":
            vectors = layers.rotate(vectors, start)  # (B, n, heads, width)
        made[name] = vectors
    with layers.ledger.scope("cache"):
        if own:
            # (B, context, n_kv, width), (B, context, n_kv, e)
            keys, values = caches["keys"].extend(made["key"], start), caches["values"].extend(made["value"], start)
        else:
            # (B, context, n_kv, width), (B, context, n_kv, e)
            keys, values = (caches[name].again(start, start + x.shape[1]) for name in ("keys", "values"))
    scale, window, sinks = width**-0.5, config.window(i), None
    if config.has_sinks(i):
        with layers.ledger.scope("sinks"):
            sinks = layers.weights[f"blocks.{i}.sinks"].load()  # (n_heads,)
    # (B, n, n_heads, e)
    mixed = attend(layers, made["query"], keys, values, start, window=window, scale=scale, sinks=sinks)
    mixed = mixed.reshape(*x.shape[:2], -1)  # (B, n, n_heads·e)
    if config.attention_gate:
        with layers.ledger.scope("gating"):
            # (B, n, n_heads·e)
            gate = ops.sigmoid(layers.ledger, layers.linear("gate", f"blocks.{i}.attention_gate", x))
            mixed = ops.elementwise(layers.ledger, "multiply", mixed, gate)  # (B, n, n_heads·e)
    return layers.linear("output", f"blocks.{i}.output", mixed)  # (B, n, d_model)


def latent(layers: Layers, i: int, caches: dict[str, Cache], x: Array, start: int, picks: Picks | None = None) -> Array:
    """(batch, n, d_model) -> (batch, n, d_model), in block i, with a cache of latent vectors.

    Where an index picks tokens, a single new token reads the latent vectors of these alone. Several new ones pick each
    their own, so all are read, all products are computed, and what a token did not pick is hidden from it.
    """
    config, ledger, at = layers.config, layers.ledger, f"blocks.{i}."
    low = x  # (B, n, d_model)
    if config.q_rank:
        low = layers.linear("query_down", at + "query_down", x)  # (B, n, q_rank)
        low = layers.rms_norm("query_down_norm", at + "query_down_norm", low)  # (B, n, q_rank)
    # (B, n, n_heads, d_head + d_rope)
    queries = layers.linear("query", at + "query", low).reshape(*x.shape[:2], config.n_heads, -1)
    # (B, n, n_heads, d_head), (B, n, n_heads, d_rope)
    queries, turned = queries[..., : config.d_head], layers.rotate(queries[..., config.d_head :], start)
    both = layers.linear("latent", at + "latent", x)  # (B, n, kv_rank + d_rope)
    latents = layers.rms_norm("latent_norm", at + "latent_norm", both[..., : config.kv_rank])  # (B, n, kv_rank)
    rotated = layers.rotate(both[..., None, config.kv_rank :], start)  # (B, n, 1, d_rope)
    if picks is not None and config.has_index(i):
        picks.places = pick(layers, i, caches["index"], x, low, start)  # (B, n, picked)
    places, passed = picks.places if picks else None, None  # (B, n, picked)
    if config.caches_heads:
        keys, values = _of_heads(
            layers, at, latents, rotated
        )  # (B, n, n_heads, d_head + d_rope), (B, n, n_heads, d_value)
        with ledger.scope("cache"):
            # (B, context, n_heads, d_head + d_rope), (B, context, n_heads, d_value)
            keys, values = caches["keys"].extend(keys, start), caches["values"].extend(values, start)
    else:
        with ledger.scope("cache"):
            if places is not None and x.shape[1] == 1:
                caches["latents"].put(latents, start)
                caches["rotated"].put(rotated[:, :, 0], start)
                # (B, picked, kv_rank), (B, picked, 1, d_rope)
                latents, rotated = caches["latents"].at(places[:, 0]), caches["rotated"].at(places[:, 0])[:, :, None]
            else:
                latents = caches["latents"].extend(latents, start)  # (B, context, kv_rank)
                rotated = caches["rotated"].extend(rotated[:, :, 0], start)[:, :, None]  # (B, context, 1, d_rope)
                passed = None if places is None else passed_over(places, latents.shape[1])  # (B, n, context)
        if config.absorbed:
            # (heads, n, d_head) @ (heads, d_head, rank) -> (heads, n, rank); all heads share the latent vectors as one
            # key
            queries = by_group(layers, "key_up", at, queries, turned=False)  # (B, n, n_heads, kv_rank)
            # (B, context, 1, kv_rank + d_rope), (B, context, 1, kv_rank)
            keys, values = np.concatenate([latents[:, :, None], rotated], axis=-1), latents[:, :, None]
        else:
            # (B, context, n_heads, d_head + d_rope), (B, context, n_heads, d_value)
            keys, values = _of_heads(layers, at, latents, rotated)
    # (B, n, n_heads, kv_rank + d_rope) or (B, n, n_heads, d_head + d_rope)
    queries = np.concatenate([queries, turned], axis=-1)
    # of the width before absorption, whichever product is computed: the scores have to be the same
    scale = (config.d_head + config.d_rope) ** -0.5
    # (B, n, n_heads, kv_rank) or (B, n, n_heads, d_value)
    mixed = attend(layers, queries, keys, values, start, window=config.window(i), scale=scale, passed_over=passed)
    if config.absorbed:
        mixed = by_group(layers, "value_up", at, mixed)  # (B, n, n_heads, d_value)
    return layers.linear("output", at + "output", mixed.reshape(*x.shape[:2], -1))  # (B, n, d_model)


def _of_heads(layers: Layers, at: str, latents: Array, rotated: Array) -> tuple[Array, Array]:
    """(batch, tokens, rank), (batch, tokens, 1, d_rope) -> keys and values: (batch, tokens, heads, d or e) each.

    They are made from latent vectors; the rotated part of the key is the same for all heads.
    """
    config = layers.config
    # (heads, tokens, rank) @ (heads, rank, d) -> (heads, tokens, d)
    # (B, tokens, n_heads, kv_rank)
    shared = np.broadcast_to(latents[:, :, None], (*latents.shape[:2], config.n_heads, config.kv_rank))
    rotated = np.broadcast_to(rotated, (*shared.shape[:3], config.d_rope))  # (B, tokens, n_heads, d_rope)
    # (B, tokens, n_heads, d_head + d_rope)
    keys = np.concatenate([by_group(layers, "key_up", at, shared), rotated], axis=-1)
    values = by_group(layers, "value_up", at, shared)  # (B, tokens, n_heads, d_value)
    return keys, values


def by_group(layers: Layers, name: str, at: str, x: Array, *, turned: bool = True) -> Array:
    """(batch, n, heads, inputs) -> (batch, n, heads, outputs), each head, or group, with its own (outputs, inputs)."""
    batch, n, heads, _ = x.shape
    with layers.ledger.scope(name):
        matrices = layers.weights[at + name].load()  # (heads, rows, columns)
        rows = x.transpose(2, 0, 1, 3).reshape(heads, batch * n, -1)  # (heads, B·n, inputs)
        # (heads, B·n, outputs)
        made = ops.matmul(layers.ledger, rows, matrices.transpose(0, 2, 1) if turned else matrices)
    return made.reshape(heads, batch, n, -1).transpose(1, 2, 0, 3)  # (B, n, heads, outputs)
