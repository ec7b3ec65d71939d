"""A GPT-style decoder

The schematic model of the articles: equal blocks of attention and a fourfold-wide MLP, residual connections, layer
norms without learned weights, no biases, no positional matrix, and one embedding that is the output matrix too.
Weights lie off-chip in a packed format and are loaded once for each pass; activations stay on the chip; keys and
values are kept in an off-chip cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import ops
from .ledger import Ledger
from .memory import Machine, OffChip
from .quantize import F16, Q4_0, Array, Format


@dataclass(frozen=True)
class Config:
    """Shapes and storage formats of a decoder.

    Attributes:
        n_blocks: blocks.
        n_heads: heads of each block; d_head: width of each. The model is n_heads·d_head wide.
        n_vocab: tokens of the vocabulary.
        weights: how weights are stored; blocks have to divide the model's width.
        cache: how keys and values are stored; blocks have to divide the head's width.
    """

    n_blocks: int
    n_heads: int
    d_head: int
    n_vocab: int
    weights: Format = Q4_0
    cache: Format = F16

    @property
    def d_model(self) -> int:
        """Width of the model."""
        return self.n_heads * self.d_head


@dataclass(frozen=True)
class Block:
    """The off-chip matrices of one block, each as (outputs, inputs)."""

    query: OffChip
    key: OffChip
    value: OffChip
    output: OffChip
    up: OffChip
    down: OffChip


@dataclass
class Cache:
    """Off-chip room for the keys and values of one block: (batch, context, heads, d_head)."""

    keys: OffChip
    values: OffChip


class Decoder:
    """The model, its weights drawn at random from `seed`, on a machine that counts.

    `prefill` and `decode` return logits; `ledger` holds what they cost.
    """

    def __init__(self, config: Config, seed: int = 0, machine: Machine | None = None) -> None:
        self.config = config
        self.machine = machine or Machine()
        self._random = np.random.default_rng(seed)
        d = config.d_model
        with self.ledger.scope("weights"):
            self.embedding = self._matrix("embedding", config.n_vocab, d)
            self.blocks = [
                Block(
                    query=self._matrix(f"blocks.{i}.query", d, d),
                    key=self._matrix(f"blocks.{i}.key", d, d),
                    value=self._matrix(f"blocks.{i}.value", d, d),
                    output=self._matrix(f"blocks.{i}.output", d, d),
                    up=self._matrix(f"blocks.{i}.up", 4 * d, d),
                    down=self._matrix(f"blocks.{i}.down", d, 4 * d),
                )
                for i in range(config.n_blocks)
            ]
        self.caches: list[Cache] = []
        self.context = 0
        self.batch = 0

    @property
    def ledger(self) -> Ledger:
        """What has been computed, moved and held."""
        return self.machine.ledger

    def _matrix(self, name: str, rows: int, columns: int) -> OffChip:
        with self.ledger.scope(name):
            numbers = self._random.standard_normal((rows, columns), np.float32) / np.float32(columns) ** 0.5
            return self.machine.allocate(numbers, self.config.weights)

    def start(self, batch: int, capacity: int) -> None:
        """Make room for the caches of `batch` sequences of up to `capacity` tokens, all empty.

        `OutOfMemory` if they do not fit; the decoder is then as it was.
        """
        shape = (batch, capacity, self.config.n_heads, self.config.d_head)
        with self.ledger.scope("cache"):
            caches = [
                Cache(self._room(f"blocks.{i}.keys", shape), self._room(f"blocks.{i}.values", shape))
                for i in range(self.config.n_blocks)
            ]
        self.caches, self.batch, self.context = caches, batch, 0

    def _room(self, name: str, shape: tuple[int, ...]) -> OffChip:
        with self.ledger.scope(name):
            return self.machine.reserve(shape, self.config.cache)

    def prefill(self, tokens: Any, capacity: int | None = None) -> Array:
        """(batch, n) token numbers of new sequences -> (batch, n, n_vocab) logits of every position.

        Args:
            tokens: the prompts, all of one length.
            capacity: tokens each cache has room for; by default just the prompt.
        """
        prompt = self._tokens(tokens, 2)
        self.start(prompt.shape[0], capacity or prompt.shape[1])
        return self._forward(prompt)

    def decode(self, tokens: Any) -> Array:
        """(batch,) token numbers, one for each sequence -> (batch, n_vocab) logits of the next."""
        new = self._tokens(tokens, 1)
        if new.shape[0] != self.batch:
            raise ValueError(f"{new.shape[0]} tokens were given for {self.batch} sequences")
        logits: Array = self._forward(new[:, None])[:, 0]
        return logits

    def _tokens(self, tokens: Any, dimensions: int) -> Array:
        array = np.asarray(tokens)
        if array.ndim != dimensions or array.size == 0 or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(f"tokens are a non-empty array of whole numbers with {dimensions} axes")
        if array.min() < 0 or array.max() >= self.config.n_vocab:
            raise ValueError(f"token numbers run from 0 to {self.config.n_vocab - 1}")
        return array

    def _forward(self, tokens: Array) -> Array:
        """(batch, n) -> (batch, n, n_vocab): one pass over n new tokens of each sequence."""
        start, end = self.context, self.context + tokens.shape[1]
        if self.caches and end > self.caches[0].keys.shape[1]:
            raise ValueError(f"the caches have room for {self.caches[0].keys.shape[1]} tokens, not for {end}")
        ledger = self.ledger
        with ledger.scope("embedding"):
            x = self.embedding.load(tokens)
        for i, (block, cache) in enumerate(zip(self.blocks, self.caches, strict=True)):
            with ledger.scope(f"blocks.{i}"):
                with ledger.scope("norm_1"):
                    normed = ops.layer_norm(ledger, x)
                with ledger.scope("attention"):
                    attended = self._attention(block, cache, normed, start, end)
                with ledger.scope("residual_1"):
                    x = ops.elementwise(ledger, "add", x, attended)
                with ledger.scope("norm_2"):
                    normed = ops.layer_norm(ledger, x)
                with ledger.scope("mlp"):
                    thought = self._mlp(block, normed)
                with ledger.scope("residual_2"):
                    x = ops.elementwise(ledger, "add", x, thought)
        with ledger.scope("norm"):
            x = ops.layer_norm(ledger, x)
        self.context = end
        return self._linear("output", x, self.embedding)

    def _linear(self, name: str, x: Array, matrix: OffChip) -> Array:
        """(batch, n, inputs) @ (inputs, outputs) -> (batch, n, outputs), the matrix loaded once."""
        with self.ledger.scope(name):
            rows = x.reshape(-1, x.shape[-1])
            return ops.matmul(self.ledger, rows, matrix.load().T).reshape(*x.shape[:-1], -1)

    def _mlp(self, block: Block, x: Array) -> Array:
        wide = self._linear("up", x, block.up)
        with self.ledger.scope("activation"):
            wide = ops.gelu(self.ledger, wide)
        return self._linear("down", wide, block.down)

    def _attention(self, block: Block, cache: Cache, x: Array, start: int, end: int) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model), against everything in the cache."""
        ledger, heads = self.ledger, (*x.shape[:2], self.config.n_heads, self.config.d_head)
        queries = self._linear("query", x, block.query).reshape(heads)
        new = (slice(None), slice(start, end))
        for name, matrix, room in (("key", block.key, cache.keys), ("value", block.value, cache.values)):
            made = self._linear(name, x, matrix).reshape(heads)
            with ledger.scope("cache"):
                room.store(made, new)
        with ledger.scope("cache"):
            keys, values = (room.load((slice(None), slice(0, end))) for room in (cache.keys, cache.values))
        with ledger.scope("scores"):
            # (batch, heads, n, d_head) @ (batch, heads, d_head, context) -> (batch, heads, n, context)
            scores = ops.matmul(ledger, queries.transpose(0, 2, 1, 3), keys.transpose(0, 2, 3, 1))
        with ledger.scope("softmax"):
            scores = ops.elementwise(ledger, "multiply", scores, self.config.d_head**-0.5)
            future = np.arange(end)[None, :] > np.arange(start, end)[:, None]
            weights = ops.stable_softmax(ledger, np.where(future, -np.inf, scores))
        with ledger.scope("mix"):
            # (batch, heads, n, context) @ (batch, heads, context, d_head) -> (batch, heads, n, d_head)
            mixed = ops.matmul(ledger, weights, values.transpose(0, 2, 1, 3))
        return self._linear("output", mixed.transpose(0, 2, 1, 3).reshape(x.shape), block.output)
