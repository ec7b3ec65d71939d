"""Factored attention: queries are made through a narrow vector, and one vector of a token is key and value at once"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ..cache import Cache
from ..formats import Array
from ..slices import rows
from .kind import Attention, Shapes, Share
from .products import attend

if TYPE_CHECKING:
    from ..config import Config
    from ..layers import Layers


@dataclass(frozen=True)
class Factored(Attention):
    """Shapes of attention whose heads share one vector of a token.

    Attributes:
        width: numbers of the vector that queries are made of.
    """

    width: int

    matrices: ClassVar[tuple[str, ...]] = ("narrow", "query", "key", "output")

    def shapes(self, config: Config, block: int) -> Shapes:
        """Shapes of a block's weights."""
        d, inputs = config.d_model, config.n_heads * config.d_head
        return {
            "narrow": (self.width, d),
            "query": (inputs, self.width),
            "key": (config.d_head, d),
            "output": (d, inputs),
        }

    def cached(self, config: Config, block: int) -> Shapes:
        """Shape of the one vector of a token."""
        return {"vectors": (config.d_head,)}

    def needs(self, config: Config) -> Iterator[tuple[bool, str]]:
        """Conditions on a decoder's configuration: whether each holds, and the sentence that says it."""
        yield from super().needs(config)
        yield config.positions is None and config.n_kv_heads == 1, "one vector is not rotated, and for all heads"

    def mix(self, layers: Layers, i: int, caches: Mapping[str, Cache], x: Array, start: int) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model), in block i, with a cache of vectors."""
        config, at = layers.config, f"blocks.{i}."
        # (B, n, n_heads·d_head)
        queries = layers.linear("query", at + "query", layers.linear("narrow", at + "narrow", x))
        queries = queries.reshape(*x.shape[:2], config.n_heads, -1)  # (B, n, n_heads, d_head)
        made = layers.linear("key", at + "key", x)  # (B, n, d_head)
        with layers.ledger.scope("cache"):
            held = caches["vectors"].extend(made, start)[:, :, None]  # (B, context, 1, d_head)
        # (B, n, n_heads, d_head)
        mixed = attend(layers, queries, held, held, start, window=config.window(i), scale=config.d_head**-0.5)
        return layers.linear("output", at + "output", mixed.reshape(*x.shape[:2], -1))  # (B, n, d_model)

    def places(self, config: Config, block: int, name: str, share: Share) -> tuple[Any, ...]:
        """Indices that a device has of a weight: its heads, and the narrow vector and the one vector whole."""
        own = rows(share.heads, config.d_head)
        return {"query": (own,), "output": (None, own)}.get(name, ())
