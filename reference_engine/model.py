"""A decoder that really computes

By default the schematic model of the articles: equal blocks of attention and a fourfold-wide MLP, residual
connections, layer norms without learned weights, no biases, no positions, and one embedding that is the output matrix
too. `Config` switches it, part by part, to the models that people run. Weights lie off-chip in a packed format and are
loaded once for each pass, experts only if a token chose them; activations stay on the chip; keys and values are kept
in an off-chip cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from . import ops
from .cache import Cache
from .config import Config
from .ledger import Ledger
from .memory import Machine, OffChip
from .quantize import Array

TILE = 2**22  # numbers of a matrix that are on the chip at a time


class Decoder:
    """The model on a machine that counts. `prefill` and `decode` return logits; `ledger` holds what they cost.

    The ledger's paths: `embedding`, `positions`; in each block `blocks.0.norm_1`, `.attention.query` (and `key`,
    `value`, `query_norm`, `key_norm`, `rotary`, `cache`, `scores`, `softmax`, `mix`, `output`), `.residual_1`,
    `.norm_2`, `.mlp.up` (and `gate`, `activation`, `gating`, `down`), `.residual_2`; with experts `.mlp.router`,
    `.mlp.routing`, `.mlp.experts.3.up` (and so on), `.mlp.mix`; then `norm` and `output`. A bias is loaded and added
    (op `add`) at the path of its matrix. Held are `weights.` with the names of `Config.shapes`, and
    `cache.blocks.0.keys` and `.values`.

    Args:
        config: what it looks like.
        seed: weights are drawn at random from this seed, if none are given.
        machine: where it runs; one without a limit if left out.
        weights: off-chip weights by the names of `Config.shapes`.
        growing: caches grow when they are full; otherwise a full cache is an error.
    """

    def __init__(
        self,
        config: Config,
        seed: int = 0,
        machine: Machine | None = None,
        *,
        weights: Mapping[str, OffChip] | None = None,
        growing: bool = False,
    ) -> None:
        self.config = config
        self.machine = machine or Machine()
        self.growing = growing
        self.weights = weights if weights is not None else self._drawn(np.random.default_rng(seed))
        self.caches: list[dict[str, Cache]] = []
        self.context = 0
        self.batch = 0
        self.capacity = 0

    @property
    def ledger(self) -> Ledger:
        """What has been computed, moved and held."""
        return self.machine.ledger

    def _drawn(self, random: np.random.Generator) -> dict[str, OffChip]:
        found = {}
        for name, shape in self.config.shapes.items():
            numbers = random.standard_normal(shape, np.float32) / np.float32(shape[-1]) ** 0.5
            if "norm" in name and name.endswith("weight"):
                numbers += 1
            with self.ledger.scope(f"weights.{name}"):
                found[name] = self.machine.allocate(numbers, self.config.stored(name))
        return found

    def start(self, batch: int, capacity: int) -> None:
        """Make room for the caches of `batch` sequences of up to `capacity` tokens, all empty; earlier ones stay held.

        `OutOfMemory` if they do not fit; the decoder is then as it was.
        """
        caches = [
            {
                name: Cache(partial(self._room, f"cache.blocks.{i}.{name}", batch), capacity, self.config.window(i))
                for name in ("keys", "values")
            }
            for i in range(self.config.n_blocks)
        ]
        self.caches, self.batch, self.capacity, self.context = caches, batch, capacity, 0

    def _room(self, name: str, batch: int, capacity: int) -> OffChip:
        with self.ledger.scope(name):
            shape = (batch, capacity, self.config.n_kv_heads, self.config.d_head)
            return self.machine.reserve(shape, self.config.cache)

    def prefill(self, tokens: Any, capacity: int | None = None) -> Array:
        """(batch, n) token numbers of new sequences -> (batch, n, n_vocab) logits of every position.

        One sequence may come without its axis: (n,) -> (n, n_vocab). The caches of the sequences before are given back.

        Args:
            tokens: the prompts, all of one length.
            capacity: tokens each cache has room for; by default just the prompt.
        """
        prompt = self._tokens(tokens, (1, 2))
        if prompt.ndim == 1:
            alone: Array = self.prefill(prompt[None], capacity)[0]
            return alone
        for cache in (cache for block in self.caches for cache in block.values()):
            cache.release()
        self.start(prompt.shape[0], capacity or prompt.shape[1])
        return self._forward(prompt)

    def decode(self, tokens: Any) -> Array:
        """(batch,) token numbers, one for each sequence -> (batch, n_vocab) logits of the next.

        For a single sequence a number will do: () -> (n_vocab,).
        """
        new = self._tokens(tokens, (0, 1))
        if new.ndim == 0:
            alone: Array = self.decode(new[None])[0]
            return alone
        if new.shape[0] != self.batch:
            raise ValueError(f"{new.shape[0]} tokens were given for {self.batch} sequences")
        logits: Array = self._forward(new[:, None])[:, 0]
        return logits

    def _tokens(self, tokens: Any, axes: tuple[int, int]) -> Array:
        array = np.asarray(tokens)
        if array.ndim not in axes or array.size == 0 or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(f"tokens are a non-empty array of whole numbers with {axes[0]} or {axes[1]} axes")
        if array.min() < 0 or array.max() >= self.config.n_vocab:
            raise ValueError(f"token numbers run from 0 to {self.config.n_vocab - 1}")
        return array

    def _make_room(self, end: int) -> None:
        if self.config.positions == "learned" and end > self.config.n_positions:
            raise ValueError(f"there are positions for {self.config.n_positions} tokens, not for {end}")
        if end <= self.capacity:
            return
        if not self.growing:
            raise ValueError(f"the caches have room for {self.capacity} tokens, not for {end}")
        for cache in (cache for block in self.caches for cache in block.values()):
            cache.grow(end)
        self.capacity = end

    def _forward(self, tokens: Array) -> Array:
        """(batch, n) -> (batch, n, n_vocab): one pass over n new tokens of each sequence."""
        start, end = self.context, self.context + tokens.shape[1]
        self._make_room(end)
        ledger = self.ledger
        with ledger.scope("embedding"):
            x = self.weights["embedding"].load(tokens)
        if self.config.positions == "learned":
            with ledger.scope("positions"):
                x = ops.elementwise(ledger, "add", x, self.weights["positions"].load(slice(start, end)))
        for i in range(self.config.n_blocks):
            with ledger.scope(f"blocks.{i}"):
                normed = self._norm("norm_1", f"blocks.{i}.norm_1", x)
                with ledger.scope("attention"):
                    attended = self._attention(i, normed, start, end)
                with ledger.scope("residual_1"):
                    x = ops.elementwise(ledger, "add", x, attended)
                normed = self._norm("norm_2", f"blocks.{i}.norm_2", x)
                with ledger.scope("mlp"):
                    thought = (self._experts if self.config.n_experts else self._mlp)(f"blocks.{i}", normed)
                with ledger.scope("residual_2"):
                    x = ops.elementwise(ledger, "add", x, thought)
        x = self._norm("norm", "norm", x)
        self.context = end
        return self._linear("output", "embedding" if self.config.tied else "output", x)

    def _linear(self, scope: str, name: str, x: Array) -> Array:
        """(..., inputs) @ (inputs, outputs) -> (..., outputs), the matrix loaded once, tile by tile, then its bias."""
        matrix, bias = self.weights[name], self.weights.get(f"{name}.bias")
        rows, (outputs, inputs) = x.reshape(-1, x.shape[-1]), matrix.shape
        step = max(1, TILE // inputs)
        with self.ledger.scope(scope):
            made = [
                ops.matmul(self.ledger, rows, matrix.load(slice(first, first + step)).T)
                for first in range(0, outputs, step)
            ]
            y = made[0] if len(made) == 1 else np.concatenate(made, axis=-1)
            if bias is not None:
                y = ops.elementwise(self.ledger, "add", y, bias.load())
        return y.reshape(*x.shape[:-1], outputs)

    def _norm(self, scope: str, name: str, x: Array) -> Array:
        with self.ledger.scope(scope):
            if self.config.norm == "rms":
                return self._rms(name, x)
            x = ops.layer_norm(self.ledger, x, self.config.norm_epsilon)
            if self.config.norm == "layer":
                x = ops.elementwise(self.ledger, "multiply", x, self.weights[f"{name}.weight"].load())
                x = ops.elementwise(self.ledger, "add", x, self.weights[f"{name}.bias"].load())
            return x

    def _rms(self, name: str, x: Array) -> Array:
        return ops.rms_norm(self.ledger, x, self.weights[f"{name}.weight"].load(), self.config.norm_epsilon)

    def _mlp(self, name: str, x: Array) -> Array:
        """(..., d_model) -> (..., d_model), with the matrices of a block or of one expert."""
        up, activation = self._linear("up", f"{name}.up", x), ops.ACTIVATIONS[self.config.activation]
        opening = self._linear("gate", f"{name}.gate", x) if self.config.gated else up
        with self.ledger.scope("activation"):
            wide = activation(self.ledger, opening)
        if self.config.gated:
            with self.ledger.scope("gating"):
                wide = ops.elementwise(self.ledger, "multiply", wide, up)
        return self._linear("down", f"{name}.down", wide)

    def _experts(self, name: str, x: Array) -> Array:
        """(..., d_model) -> (..., d_model): each token through the experts it chose, weighted and summed up."""
        ledger, rows = self.ledger, x.reshape(-1, x.shape[-1])
        scores = self._linear("router", f"{name}.router", rows)
        with ledger.scope("routing"):
            weights = ops.stable_softmax(ledger, scores)
            chosen = ops.top_k(ledger, weights, self.config.n_active)
            weights = np.take_along_axis(weights, chosen, axis=-1)
            if self.config.renormalise:
                weights = ops.elementwise(ledger, "divide", weights, ops.total(ledger, weights))
        mixed = np.zeros_like(rows)
        for expert in np.unique(chosen):
            here, rank = np.nonzero(chosen == expert)
            with ledger.scope(f"experts.{expert}"):
                thought = self._mlp(f"{name}.experts.{expert}", rows[here])
            with ledger.scope("mix"):
                thought = ops.elementwise(ledger, "multiply", thought, weights[here, rank][:, None])
                mixed[here] = ops.elementwise(ledger, "add", mixed[here], thought)
        return mixed.reshape(x.shape)

    def _attention(self, i: int, x: Array, start: int, end: int) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model), against everything in the cache."""
        ledger, config, (batch, n, _) = self.ledger, self.config, x.shape
        d, kv_heads, group = config.d_head, config.n_kv_heads, config.n_heads // config.n_kv_heads
        queries = self._heads("query", i, x, config.n_heads, start)
        keys = self._heads("key", i, x, kv_heads, start)
        values = self._linear("value", f"blocks.{i}.value", x).reshape(batch, n, kv_heads, d)
        with ledger.scope("cache"):
            keys, values = self.caches[i]["keys"].extend(keys, start), self.caches[i]["values"].extend(values, start)
        context = keys.shape[1]
        # the query heads that share a key/value head are rows of one product
        queries = queries.reshape(batch, n, kv_heads, group, d).transpose(0, 2, 3, 1, 4).reshape(batch, kv_heads, -1, d)
        with ledger.scope("scores"):
            # (batch, kv_heads, group·n, d) @ (batch, kv_heads, d, context) -> (batch, kv_heads, group·n, context)
            scores = ops.matmul(ledger, queries, keys.transpose(0, 2, 3, 1))
        with ledger.scope("softmax"):
            scores = ops.elementwise(ledger, "multiply", scores, d**-0.5).reshape(batch, kv_heads, group, n, context)
            ago = np.arange(start, end)[:, None] - np.arange(end - context, end)[None, :]
            hidden = (ago < 0) | (ago >= (config.window(i) or end))
            weights = ops.stable_softmax(ledger, np.where(hidden, ops.lowest(scores), scores))
        with ledger.scope("mix"):
            # (batch, kv_heads, group·n, context) @ (batch, kv_heads, context, d) -> (batch, kv_heads, group·n, d)
            weights = weights.reshape(batch, kv_heads, group * n, context)
            mixed = ops.matmul(ledger, weights, values.transpose(0, 2, 1, 3))
        mixed = mixed.reshape(batch, kv_heads, group, n, d).transpose(0, 3, 1, 2, 4).reshape(batch, n, -1)
        return self._linear("output", f"blocks.{i}.output", mixed)

    def _heads(self, name: str, i: int, x: Array, heads: int, start: int) -> Array:
        """(batch, n, d_model) -> (batch, n, heads, d_head): queries or keys, normed and rotated if asked for."""
        config, ledger = self.config, self.ledger
        vectors = self._linear(name, f"blocks.{i}.{name}", x).reshape(*x.shape[:2], heads, config.d_head)
        if config.qk_norm:
            with ledger.scope(f"{name}_norm"):
                vectors = self._rms(f"blocks.{i}.{name}_norm", vectors)
        if config.positions == "rotary":
            positions = np.arange(start, start + x.shape[1])
            frequencies = config.rope_theta ** (-np.arange(0, config.d_head, 2) / config.d_head)
            if config.rope_factors:
                frequencies = frequencies / np.array(config.rope_factors)
            tables = ops.rotary_tables(positions, frequencies, config.rope_pairs)
            cosines, sines = (table[:, None].astype(self.machine.dtype) for table in tables)
            with ledger.scope("rotary"):
                vectors = ops.rotate(ledger, vectors, cosines, sines, config.rope_pairs)
        return vectors
