"""Latent attention: heads that share a latent vector, as DeepSeek has it

One short vector is cached for all heads, and one rotated key; a head's keys and values are made from the latent vector,
either all of them anew in each pass, or never: absorbed, the queries are brought to the latent vectors instead, and so
are the outputs back from them. Or they are made once, of each new token, and these are cached in the place of latent
vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..cache import Cache
from ..formats import Array
from ..slices import places, rows
from .index import Index, Picks, passed_over, pick
from .kind import Attend, Attention, Shapes, Share
from .products import attend, by_group

if TYPE_CHECKING:
    from ..config import Config
    from ..layers import Layers


@dataclass(frozen=True)
class Latent(Attention):
    """Shapes of attention whose heads share a latent vector.

    Attributes:
        kv_rank: width of the latent vector that is cached for all heads.
        d_rope: width of the rotated part of queries, and of the one rotated key.
        q_rank: width of the latent vector that queries are made from; 0 for the model's own.
        absorbed: queries are brought to the latent vectors, and no keys and values are made of them.
        caches_heads: where it is not absorbed, keys and values of its heads are cached, and no latent vectors.
        index: what picks the tokens that are read; None where all are.
    """

    kv_rank: int
    d_rope: int
    q_rank: int = 0
    absorbed: bool = True
    caches_heads: bool = False
    index: Index | None = None

    matrices: ClassVar[tuple[str, ...]] = (
        *("query_down", "query", "latent", "key_up", "value_up", "output"),
        *(f"index.{name}" for name in ("query", "key", "weight")),
    )
    products: ClassVar[tuple[str, ...]] = ("index.scores", "index.sum")

    def shapes(self, config: Config, block: int) -> Shapes:
        """Shapes of a block's weights: matrices (outputs, inputs), those of heads (heads, outputs, inputs)."""
        d, values = config.d_model, config.value_width(block)
        found: Shapes = {
            "query": (config.n_heads * (config.d_head + self.d_rope), self.q_rank or d),
            "latent": (self.kv_rank + self.d_rope, d),
            "latent_norm.weight": (self.kv_rank,),
            "key_up": (config.n_heads, config.d_head, self.kv_rank),
            "value_up": (config.n_heads, values, self.kv_rank),
            "output": (d, config.n_heads * values),
        }
        down: Shapes = {"query_down": (self.q_rank, d), "query_down_norm.weight": (self.q_rank,)}
        index = self.index.shapes(d, self.q_rank) if self.index and self.index.is_in(block) else {}
        return (down if self.q_rank else {}) | found | index

    def cached(self, config: Config, block: int) -> Shapes:
        """Shapes of a token's latent vector, rotated key and key of an index, or of keys and values of its heads."""
        if self.caches_heads:
            width = config.d_head + self.d_rope
            return {"keys": (config.n_heads, width), "values": (config.n_heads, config.value_width(block))}
        index: Shapes = {"index": (self.index.width,)} if self.index and self.index.is_in(block) else {}
        return {"latents": (self.kv_rank,), "rotated": (self.d_rope,)} | index

    def rotated(self, config: Config) -> int:
        """Width of the part of a query, and of the one key, that is rotated."""
        return self.d_rope

    def needs(self, config: Config) -> Iterator[tuple[bool, str]]:
        """Conditions on a decoder's configuration: whether each holds, and the sentence that says it."""
        yield from super().needs(config)
        yield self.kv_rank > 0 and self.d_rope > 0, "latent attention has a latent vector, and a rotated part"
        yield config.positions == "rotary", "latent attention needs rotary positions"
        yield not (config.qk_norm or config.joint_norms), "latent attention has norms of its own"
        yield not config.sinks, "latent attention has no sinks"
        yield (
            not self.caches_heads or not (self.absorbed or self.index),
            "keys and values of heads are cached by latent attention that makes them, and no index picks among them",
        )
        yield config.alike and not config.keys_as_values, "latent attention has heads of one kind"
        yield not config.attention_gate, "latent attention has no gate"
        yield config.n_kv_heads == config.n_heads, "latent attention has no groups of heads"
        yield not config.states, "latent attention has no states beside it"
        yield from self.index.needs(config, self.q_rank, self.d_rope) if self.index else ()

    def limits(self, config: Config) -> tuple[int, ...]:
        """Width of windows, and how many tokens an index picks."""
        return (*super().limits(config), *((self.index.picked,) if self.index else ()))

    def likeness(self, config: Config, block: int) -> bool:
        """Whether a block has an index."""
        return self.index is not None and self.index.is_in(block)

    def places(self, config: Config, block: int, name: str, share: Share) -> tuple[Any, ...]:
        """Indices that a device has of a weight along its axes; None, or left out, for all of them."""
        return {
            "query": (rows(share.heads, config.d_head + self.d_rope),),
            "key_up": (places(share.heads),),
            "value_up": (places(share.heads),),
            "output": (None, rows(share.heads, config.value_width(block))),
        }.get(name, ())

    def passing(self) -> Attend:
        """The attention of one pass: blocks without an index read what the last index before them picked."""
        return partial(self.mix, picks=Picks())

    def mix(
        self, layers: Layers, i: int, caches: Mapping[str, Cache], x: Array, start: int, picks: Picks | None = None
    ) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model), in block i, with a cache of latent vectors.

        Where an index picks tokens, a single new token reads the latent vectors of these alone. Several new ones pick
        each their own, so all are read, all products are computed, and what a token did not pick is hidden from it.
        """
        config, ledger, at = layers.config, layers.ledger, f"blocks.{i}."
        low = x  # (B, n, d_model)
        if self.q_rank:
            low = layers.linear("query_down", at + "query_down", x)  # (B, n, q_rank)
            low = layers.rms_norm("query_down_norm", at + "query_down_norm", low)  # (B, n, q_rank)
        # (B, n, n_heads, d_head + d_rope)
        queries = layers.linear("query", at + "query", low).reshape(*x.shape[:2], config.n_heads, -1)
        # (B, n, n_heads, d_head), (B, n, n_heads, d_rope)
        queries, turned = queries[..., : config.d_head], layers.rotate(queries[..., config.d_head :], start)
        both = layers.linear("latent", at + "latent", x)  # (B, n, kv_rank + d_rope)
        latents = layers.rms_norm("latent_norm", at + "latent_norm", both[..., : self.kv_rank])  # (B, n, kv_rank)
        rotated = layers.rotate(both[..., None, self.kv_rank :], start)  # (B, n, 1, d_rope)
        if picks is not None and self.index is not None and self.index.is_in(i):
            picks.places = pick(layers, self.index, i, caches["index"], x, low, start)  # (B, n, picked)
        places, passed = picks.places if picks else None, None  # (B, n, picked)
        if self.caches_heads:
            # (B, n, n_heads, d_head + d_rope), (B, n, n_heads, d_value)
            keys, values = self._of_heads(layers, at, latents, rotated)
            with ledger.scope("cache"):
                # (B, context, n_heads, d_head + d_rope), (B, context, n_heads, d_value)
                keys, values = caches["keys"].extend(keys, start), caches["values"].extend(values, start)
        else:
            with ledger.scope("cache"):
                if places is not None and x.shape[1] == 1:
                    caches["latents"].put(latents, start)
                    caches["rotated"].put(rotated[:, :, 0], start)
                    latents = caches["latents"].at(places[:, 0])  # (B, picked, kv_rank)
                    rotated = caches["rotated"].at(places[:, 0])[:, :, None]  # (B, picked, 1, d_rope)
                else:
                    latents = caches["latents"].extend(latents, start)  # (B, context, kv_rank)
                    rotated = caches["rotated"].extend(rotated[:, :, 0], start)[:, :, None]  # (B, context, 1, d_rope)
                    passed = None if places is None else passed_over(places, latents.shape[1])  # (B, n, context)
            if self.absorbed:
                # (heads, n, d_head) @ (heads, d_head, rank) -> (heads, n, rank); all heads share the latent vectors as
                # one key
                queries = by_group(layers, "key_up", at, queries, turned=False)  # (B, n, n_heads, kv_rank)
                # (B, context, 1, kv_rank + d_rope), (B, context, 1, kv_rank)
                keys, values = np.concatenate([latents[:, :, None], rotated], axis=-1), latents[:, :, None]
            else:
                # (B, context, n_heads, d_head + d_rope), (B, context, n_heads, d_value)
                keys, values = self._of_heads(layers, at, latents, rotated)
        # (B, n, n_heads, kv_rank + d_rope) or (B, n, n_heads, d_head + d_rope)
        queries = np.concatenate([queries, turned], axis=-1)
        # of the width before absorption, whichever product is computed: the scores have to be the same
        scale = (config.d_head + self.d_rope) ** -0.5
        # (B, n, n_heads, kv_rank) or (B, n, n_heads, d_value)
        mixed = attend(layers, queries, keys, values, start, window=config.window(i), scale=scale, passed_over=passed)
        if self.absorbed:
            mixed = by_group(layers, "value_up", at, mixed)  # (B, n, n_heads, d_value)
        return layers.linear("output", at + "output", mixed.reshape(*x.shape[:2], -1))  # (B, n, d_model)

    def _of_heads(self, layers: Layers, at: str, latents: Array, rotated: Array) -> tuple[Array, Array]:
        """(batch, tokens, rank), (batch, tokens, 1, d_rope) -> keys and values: (batch, tokens, heads, d or e) each.

        They are made from latent vectors; the rotated part of the key is the same for all heads.
        """
        config = layers.config
        # (heads, tokens, rank) @ (heads, rank, d) -> (heads, tokens, d)
        # (B, tokens, n_heads, kv_rank)
        shared = np.broadcast_to(latents[:, :, None], (*latents.shape[:2], config.n_heads, self.kv_rank))
        rotated = np.broadcast_to(rotated, (*shared.shape[:3], self.d_rope))  # (B, tokens, n_heads, d_rope)
        # (B, tokens, n_heads, d_head + d_rope)
        keys = np.concatenate([by_group(layers, "key_up", at, shared), rotated], axis=-1)
        values = by_group(layers, "value_up", at, shared)  # (B, tokens, n_heads, d_value)
        return keys, values
