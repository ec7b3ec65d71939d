"""An index that picks the tokens attention reads, as DeepSeek's sparse attention has it

A block keeps one short key for each token, apart from its latent vectors. A new token brings a few short queries, made
from its compressed query. Each meets every key; what is below zero counts for nothing, and the rest is weighed, head by
head, with a product of the token. The tokens with the largest sums are picked, and attention reads these alone. A block
may have no index of its own: then it reads what the last one before it picked.

The first numbers of queries and keys are rotated, as many as of latent attention's. DeepSeek's own code then turns both
by one orthogonal matrix and rounds them to 8 bits: the first leaves every product as it is, the second is a format.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from .. import ops
from ..arrays import ones, zeros
from ..cache import Cache
from ..formats import Array
from ..sizes import least
from .products import beyond

if TYPE_CHECKING:
    from ..config import Config
    from ..layers import Layers

_EPSILON = 1e-6  # of the keys' norm, whatever the others have


@dataclass(frozen=True)
class Index:
    """Shapes of the blocks' indexes.

    Attributes:
        n_heads: queries of a token; width: numbers of each, and of a key.
        picked: the most tokens that attention reads.
        blocks: which blocks have an index of their own, layer by layer and repeated; the first has one.
        pairs: what is rotated together in it: "halves" or "neighbours", whatever attention itself has.
    """

    n_heads: int
    width: int
    picked: int
    blocks: tuple[bool, ...] = (True,)
    pairs: Literal["halves", "neighbours"] = "halves"

    def is_in(self, block: int) -> bool:
        """Whether a block has an index of its own."""
        return self.blocks[block % len(self.blocks)]

    def shapes(self, d_model: int, q_rank: int) -> dict[str, tuple[int, ...]]:
        """Shapes of the weights of one index: matrices as (outputs, inputs), vectors as (width,)."""
        return {
            "index_query": (self.n_heads * self.width, q_rank),
            "index_key": (self.width, d_model),
            "index_norm.weight": (self.width,),
            "index_norm.bias": (self.width,),
            "index_weight": (self.n_heads, d_model),
        }

    def needs(self, config: Config, q_rank: int, d_rope: int) -> Iterator[tuple[bool, str]]:
        """Conditions on a decoder's configuration: whether each holds, and the message where it does not."""
        yield q_rank > 0, "an index needs latent attention and compressed queries"
        yield set(config.windows) == {None}, "an index has no windows beside it"
        yield self.blocks[:1] == (True,), "the first block has an index of its own"
        yield self.width >= d_rope, "an index is as wide as what is rotated, or wider"
        yield self.n_heads > 0 and self.picked > 0, "an index has heads, and picks tokens"


@dataclass
class Picks:
    """Tokens that the last index of a pass picked, for the blocks after it that have none.

    Attributes:
        places: (batch, n, picked) of each new token, the places of those it attends to; None before the first.
    """

    places: Array | None = field(default=None)


def pick(layers: Layers, index: Index, i: int, keys: Cache, x: Array, low: Array, start: int) -> Array:
    """(batch, n, d_model), (batch, n, q_rank) -> (batch, n, picked) places of the tokens that block i attends to.

    With fewer tokens than may be picked all are, and the scores are computed nevertheless. In a pass over several new
    tokens, early ones have fewer before them: what they pick of later tokens is hidden where attention is computed.
    """
    ledger, at, (batch, n, _) = layers.ledger, f"blocks.{i}.index_", x.shape
    with ledger.scope("index"):
        # (B, n, n_heads, width)
        queries = layers.linear("query", at + "query", low).reshape(batch, n, index.n_heads, index.width)
        made = layers.layer_norm("norm", at + "norm", layers.linear("key", at + "key", x), _EPSILON)  # (B, n, width)
        queries = _turned(layers, queries, start, index)  # (B, n, n_heads, width)
        made = _turned(layers, made[:, :, None], start, index)[:, :, 0]  # (B, n, width)
        with ledger.scope("cache"):
            held = keys.extend(made, start)  # (B, context, width)
        hidden = beyond(start, n, start + n, None) if n != 1 else None  # (n, context)
        return best(layers, at, queries, held, x, hidden, index.picked)  # (B, n, picked)


def best(layers: Layers, at: str, queries: Array, held: Array, x: Array, hidden: Array | None, picked: int) -> Array:
    """Places of the `picked` held keys that score best, or of all; what is `hidden` of each query is worth least.

    The score is ReLU of the products with the queries, weighed by a product of x, and summed over heads.

    (batch, n, heads, width), (batch, held, width), (batch, n, d_model), (n, held) -> (batch, n, read)
    """
    ledger, (batch, n, heads, width) = layers.ledger, queries.shape
    weights = layers.linear("weight", at + "weight", x)  # (B, n, heads)
    with ledger.scope("scores"):
        # (B, n·heads, width) @ (B, width, held) -> (B, n·heads, held)
        scores = ops.matmul(ledger, queries.reshape(batch, n * heads, width), held.transpose(0, 2, 1))
    with ledger.scope("relu"):
        scores = ops.relu(ledger, scores).reshape(batch, n, heads, -1)  # (B, n, heads, held)
    with ledger.scope("sum"):
        weights = ops.elementwise(ledger, "multiply", weights, (heads * width) ** -0.5)  # (B, n, heads)
        # (B, n, 1, heads) @ (B, n, heads, held) -> (B, n, 1, held)
        summed = ops.matmul(ledger, weights[:, :, None], scores)[:, :, 0]  # (B, n, held)
    with ledger.scope("pick"):
        if hidden is not None:
            summed = np.where(hidden, ops.lowest(summed), summed)  # (B, n, held)
        if not summed.shape[-1]:
            return zeros((batch, n, 0), int)  # (B, n, 0)
        return ops.top_k(ledger, summed, least(picked, summed.shape[-1]))  # (B, n, read)


def passed_over(places: Array, context: int) -> Array:
    """(batch, n, picked) -> (batch, n, context), whether a token was not picked."""
    hidden: Array = ones((*places.shape[:2], context), bool)  # (B, n, context)
    np.put_along_axis(hidden, places, False, axis=-1)
    return hidden


def _turned(layers: Layers, x: Array, start: int, index: Index) -> Array:
    """(batch, n, heads, width) with its first numbers rotated."""
    rotated = layers.config.rotated
    turned = layers.rotate(x[..., :rotated], start, index.pairs)  # (B, n, heads, rotated)
    return np.concatenate([turned, x[..., rotated:]], axis=-1)  # (B, n, heads, width)
