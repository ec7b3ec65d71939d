"""A decoder that really computes

By default the schematic model of the articles: equal blocks of attention and a fourfold-wide MLP, residual
connections, layer norms without learned weights, no biases, no positions, and one embedding that is the output matrix
too. `Config` switches it, part by part, to the models that people run. Weights lie off-chip in a packed format and are
loaded once for each pass, experts only if a token chose them; activations stay on the chip; keys and values are kept
in an off-chip cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import prod
from typing import Any

import numpy as np

from . import ops
from .cache import Kept
from .config import Config
from .formats import Array, Format
from .layers import TILE, Layers, Passing
from .ledger import Ledger
from .memory import Machine, OffChip, OutOfMemory, SecondMemory
from .streams import Mixing


class ContextFull(ValueError):
    """There are more tokens than positions, or than the caches have room for."""


class Decoder:
    """The model on a machine that counts. `prefill` and `decode` return logits; `ledger` holds what they cost.

    The ledger's paths: `embedding`, `positions`; in each block `blocks.0.norm_1`, `.attention.query` (and `key`,
    `value`, `query_norm`, `key_norm`, `rotary`, `cache`, `scores`, `softmax`, `mix`, `output`; latent attention has
    `query_down`, `query_down_norm`, `latent`, `latent_norm`, `key_up`, `value_up` besides, and where an index picks
    tokens `index.query`, as well as `key`, `norm`, `rotary`, `cache`, `weight`, `scores`, `relu`, `sum` and `pick` of
    it; compressed attention has `key_value`, `entries`, `entry.values`, `.gates` and so on), `.residual_1`, `.norm_2`,
    `.mlp.up` (and `gate`, `activation`, `gating`, `down`), `.residual_2`; where a block looks up a vector `.looked.up`
    (and `gate`, `down`, norms) and `.residual_3`; with experts `.mlp.router`, `.mlp.routing`, `.mlp.experts.3.up` (and
    so on), `.mlp.shared.up`, `.mlp.mix`; with an MLP beside them `.mlp.norm_3`,
    `.mlp.router_norm`, `.mlp.post_norm_mlp` and `.mlp.post_norm_experts` too; post-norms are `.post_norm_1` and
    `.post_norm_2`; then `norm` and `output`; `project_in` and `project_out` where the embedding has a width of its own.
    Streams that alternate are made and ended at `streams.projection`, and in each block mixed at `.streams.router`,
    `.coefficients`, `.mix` and `.scale`, with `.learned.up` and `.down` beside attention; the router is loaded twice a
    pass, since it works before the layers of its block and after them.
    Several streams are mixed at `.mixing_1`, `.mixing_2` and, last, `mixing`. A bias is loaded and added (op `add`) at
    the path of its matrix. Held are `weights.` with the names of `Config.shapes`, and `cache.blocks.0.keys` and
    `.values`, or `.latents` and `.rotated`, and `.index`, or what `Attention.cached` names. A block with a state has
    `.state.in` (and `gate`, `step`, `take`, `kept`, `convolution`, `decay`, `recall`, `write`, `read`, `norm`,
    `gating`, `out`) in the place of `.attention`, and holds `states.blocks.0.states` and `.inputs`; one that is a gated
    short convolution has `in`, `kept`, `gating`, `convolution` and `out` of these, and holds `.inputs`. A matrix in a
    second memory is held and multiplied at its path and `.host`.

    Args:
        config: what it looks like.
        seed: weights are drawn at random from this seed, if none are given.
        machine: where it runs; one without a limit if left out.
        weights: off-chip weights by the names of `Config.shapes`.
        growing: caches grow when they are full; otherwise a full cache is an error.
        page: caches of tokens have room in whole pages of so many tokens, of one size for all blocks, and those with a
            window give none back; 0 for room token by token. States, and entries of runs, have no pages.
        route: for experiments with experts, (tokens,) -> (tokens, n_active): where so many tokens of a pass are sent.
    """

    def __init__(
        self,
        config: Config,
        seed: int = 0,
        machine: Machine | None = None,
        *,
        weights: Mapping[str, OffChip] | None = None,
        growing: bool = False,
        page: int = 0,
        route: Callable[[int], Array] | None = None,
    ) -> None:
        self.config = config
        self.machine = machine or Machine()
        self.growing = growing
        self.page = page
        self.weights = weights if weights is not None else self._placed(drawn(config, seed))
        self._layers = Layers(config, self.machine, self.weights, route)
        self.caches: list[dict[str, Any]] = []  # of each block: `Cache`s, or `Kept`s where it has a state
        self.context = 0
        self.batch = 0
        self.capacity = 0

    @property
    def ledger(self) -> Ledger:
        """Ledger of the machine: operations, traffic and held bytes."""
        return self.machine.ledger

    def _placed(self, weights: Iterable[tuple[str, Array]]) -> dict[str, OffChip]:
        found, second = {}, SecondMemory(self.machine)
        for name, numbers in weights:
            with self.ledger.scope(f"weights.{name}"):
                memory = second if self.config.lies_beside(name) else self.machine
                found[name] = memory.allocate(numbers, self.config.stored(name))
        return found

    def start(self, batch: int, capacity: int) -> None:
        """Make room for the caches of `batch` sequences of up to `capacity` tokens, all empty; earlier ones stay held.

        `OutOfMemory` if they do not fit; the decoder is then as it was.
        """
        config, states = self.config, self.config.states
        caches: list[dict[str, Any]] = []
        sources = [*map(config.source, range(config.n_blocks))]
        try:
            for i in range(config.n_blocks):
                caches.append({})
                if states and config.has_state(i):
                    for name, shape in states.held().items():
                        format = states.format_of(name, config.cache)
                        caches[i][name] = Kept(_room(self.machine, f"states.blocks.{i}.{name}", batch, shape, format))
                    continue
                for name, shape in config.cached(i).items():
                    # the machine's, not the decoder's: a decoder that its own caches refer to is freed late
                    reserve = partial(_room, self.machine, f"cache.blocks.{i}.{name}", batch, shape, config.cache)
                    how = {"reserve": reserve, "capacity": capacity, "shared": sources.count(i) > 1, "page": self.page}
                    caches[i][name] = config.attention.cache(config, i, name, **how)
        except OutOfMemory:
            _release(caches)
            raise
        self.caches, self.batch, self.capacity, self.context = caches, batch, capacity, 0

    def release(self) -> None:
        """Give back the room of all caches and states."""
        _release(self.caches)
        self.caches = []

    def memory_for(self, n: int, batch: int = 1) -> int:
        """Approximate bytes of a prefill of n tokens beside the weights: its cache and its largest arrays.

        These are five as large as the scores of a block, or six as large as the inside of an MLP, or the logits, once
        more where the output matrix comes in pieces.
        """
        config, width = self.config, np.dtype(self.machine.dtype).itemsize
        inside = max(config.d_ff, config.sharing_width, config.d_expert, config.d_shared if config.n_shared else 0)
        logits = (1 + (config.n_vocab * config.d_model > TILE)) * config.n_vocab
        largest = batch * n * width * max(5 * config.n_heads * n, 6 * inside, logits)
        kept = sum(
            min(n, config.window(i) or n) * prod(config.cache.packed_shape(shape))
            for i in range(config.n_blocks)
            for shape in config.cached(i).values()
        )
        return largest + batch * kept * config.cache.dtype.itemsize

    def prefill(self, tokens: Any, capacity: int | None = None, logits: int | None = None) -> Array:
        """(batch, n) token numbers of new sequences -> (batch, logits, n_vocab) logits of the last positions.

        One sequence may come without its axis: (n,) -> (logits, n_vocab). The caches of the sequences before are given
        back.

        Args:
            tokens: the prompts, all of one length.
            capacity: tokens each cache has room for; by default just the prompt.
            logits: how many positions of each prompt, the last ones, get logits; by default all n.
        """
        prompt = self._tokens(tokens, (1, 2))  # (..., n)
        if logits is not None and not 1 <= logits <= prompt.shape[-1]:
            raise ValueError(f"there are {prompt.shape[-1]} positions, so {logits} of them cannot get logits")
        if prompt.ndim == 1:
            alone: Array = self.prefill(prompt[None], capacity, logits)[0]  # (logits, n_vocab)
            return alone
        self.release()
        self.start(prompt.shape[0], capacity or prompt.shape[1])
        return self._forward(prompt, logits)  # (B, logits, n_vocab)

    def decode(self, tokens: Any) -> Array:
        """(batch,) token numbers, one for each sequence -> (batch, n_vocab) logits of the next.

        For a single sequence a number will do: () -> (n_vocab,).
        """
        new = self._tokens(tokens, (0, 1))  # (B,)
        if new.ndim == 0:
            alone: Array = self.decode(new[None])[0]  # (n_vocab,)
            return alone
        if new.shape[0] != self.batch:
            raise ValueError(f"{new.shape[0]} tokens were given for {self.batch} sequences")
        logits: Array = self._forward(new[:, None])[:, 0]  # (B, n_vocab)
        return logits

    def extend(self, tokens: Any) -> Array:
        """(batch, n) further tokens of the sequences -> (batch, n, n_vocab) logits of each: a chunk of a prefill."""
        new = self._tokens(tokens, (2, 2))  # (B, n)
        if new.shape[0] != self.batch:
            raise ValueError(f"tokens of {new.shape[0]} sequences were given for {self.batch}")
        return self._forward(new)  # (B, n, n_vocab)

    def rewind(self, context: int) -> None:
        """Forget the latest tokens of all sequences, down to so many: the next take their places."""
        if not 0 <= context <= self.context:
            raise ValueError(f"there are {self.context} tokens to go back from, and not {context}")
        if any(self.config.window(i) is not None for i in range(self.config.n_blocks)):
            raise ValueError("what a window has overwritten cannot be had back")
        self.context = context

    def _tokens(self, tokens: Any, axes: tuple[int, int]) -> Array:
        array: Array = np.asanyarray(tokens)
        if array.ndim not in axes or array.size == 0 or array.dtype.kind not in "iu":
            raise ValueError(f"tokens are a non-empty array of whole numbers with {axes[0]} or {axes[1]} axes")
        if array.min() < 0 or array.max() >= self.config.n_vocab:
            raise ValueError(f"token numbers run from 0 to {self.config.n_vocab - 1}")
        return array

    def _make_room(self, end: int) -> None:
        # checked before the caches, since a cache that grows still has no position to give
        if self.config.positions == "learned" and end > self.config.n_positions:
            raise ContextFull(f"there are positions for {self.config.n_positions} tokens, not for {end}")
        if end <= self.capacity:
            return
        if not self.growing:
            raise ContextFull(f"the caches have room for {self.capacity} tokens, not for {end}")
        for cache in (cache for block in self.caches for cache in block.values()):
            cache.grow(end)
        self.capacity = end

    def _forward(self, tokens: Array, logits: int | None = None) -> Array:
        """(batch, n) -> (batch, logits, n_vocab): one pass over n new tokens of each sequence."""
        passing = self.passing(tokens, logits)
        stop, x = next(passing)  # (B, n, d_model)
        while stop != "logits":
            stop, x = passing.send(x)  # (B, n, d_model) or (B, logits, n_vocab)
        return x

    def passing(self, tokens: Array, logits: int | None = None) -> Passing:
        """A pass over new tokens that stops where devices sharing it have to meet, and goes on with what it is sent.

        It yields where it stops, with an array: what attention made, or a state, is "attended"; what an MLP gets is
        "entering", and what it made is "thought"; "ending" is the stream before the last norm. "logits" are the last,
        of so many positions at the end of each sequence, or of all. Alone, a decoder sends itself what it has.
        """
        start, end = self.context, self.context + tokens.shape[1]
        self._make_room(end)
        ledger, layers = self.ledger, self._layers
        attention = self.config.attention.passing()
        states, streams, alternating = self.config.states, self.config.streams, self.config.alternating
        with ledger.scope("embedding"):
            x = self.weights["embedding"].load(tokens)  # (B, n, d_embedding)
        if self.config.projects:
            x = layers.linear("project_in", "project_in", x)  # (B, n, d_model)
        if self.config.positions == "learned":
            with ledger.scope("positions"):
                # (B, n, d_model)
                x = ops.elementwise(ledger, "add", x, self.weights["positions"].load(slice(start, end)))
        looked = x  # (B, n, d_model)
        # the dots are the axis of streams, where there are several
        x = streams.open(x) if streams else alternating.open(layers, x) if alternating else x  # (B, n, ..., d_model)
        for i in range(self.config.n_blocks):
            caches = self.caches[self.config.source(i)]
            with ledger.scope(f"blocks.{i}"):
                predicted = x  # (B, n, ..., d_model)
                if alternating:
                    with ledger.scope("streams"):
                        predicted = alternating.predicted(layers, f"blocks.{i}", x)  # (B, n, streams, d_model)
                    x = predicted[:, :, 0]  # (B, n, d_model)
                # (B, n, d_model)
                entering, mixing = streams.collapsed(layers, f"blocks.{i}.mixing_1", x) if streams else (x, None)
                normed = layers.norm("norm_1", f"blocks.{i}.norm_1", entering)  # (B, n, d_model)
                if states and self.config.has_state(i):
                    with ledger.scope("state"):
                        # (B, n, d_model)
                        attended = yield "attended", states.mix(layers, i, caches, normed)
                else:
                    with ledger.scope("attention"):
                        attended = yield "attended", attention(layers, i, caches, normed, start)  # (B, n, d_model)
                if self.config.post_norm:
                    attended = layers.norm("post_norm_1", f"blocks.{i}.post_norm_1", attended)  # (B, n, d_model)
                with ledger.scope("residual_1"):
                    x = self._added(x, attended, mixing)  # (B, n, ..., d_model)
                if alternating:
                    with ledger.scope("learned"):
                        x = alternating.learned(layers, f"blocks.{i}", normed, x)  # (B, n, d_model)
                # parallel blocks feed the MLP with what attention was fed with, so the one norm serves both
                # (B, n, d_model)
                entering, mixing = streams.collapsed(layers, f"blocks.{i}.mixing_2", x) if streams else (x, None)
                if not self.config.parallel:
                    normed = layers.norm("norm_2", f"blocks.{i}.norm_2", entering)  # (B, n, d_model)
                with ledger.scope("mlp"):
                    # all: of devices that attend for sequences of their own, an MLP gets the sequences of every one
                    normed = yield "entering", normed  # (all, n, d_model)
                    if self.config.beside and self.config.has_experts(i):
                        thought = yield from layers.beside(f"blocks.{i}", x, normed)  # (B, n, d_model)
                    elif self.config.has_experts(i):
                        chosen_by = tokens if self.config.routing.is_hashed(i) else None  # (B, n)
                        # (B, n, d_model)
                        thought = yield "thought", layers.experts(f"blocks.{i}", normed, tokens=chosen_by)
                    else:
                        # (B, n, d_model)
                        thought = yield "thought", layers.mlp(f"blocks.{i}", normed, sparse=self.config.sparse_gate(i))
                if self.config.post_norm:
                    thought = layers.norm("post_norm_2", f"blocks.{i}.post_norm_2", thought)  # (B, n, d_model)
                with ledger.scope("residual_2"):
                    x = self._added(x, thought, mixing)  # (B, n, ..., d_model)
                opening = x  # (B, n, ..., d_model)
                if alternating:
                    with ledger.scope("streams"):
                        x = alternating.corrected(layers, f"blocks.{i}", predicted, x)  # (B, n, streams, d_model)
                        opening = alternating.scaled(layers, f"blocks.{i}", x)  # (B, n, d_model)
                if self.config.d_block:
                    with ledger.scope("looked"):
                        found = layers.looked_up(f"blocks.{i}", tokens, looked, opening)  # (B, n, d_model)
                    with ledger.scope("residual_3"):
                        # (B, n, ..., d_model)
                        x = alternating.added(ledger, x, found) if alternating else self._added(x, found, None)
        for cache in (cache for block in self.caches for cache in block.values()):
            cache.settle()
        # (B, n, d_model)
        x = streams.ended(layers, x) if streams else alternating.ended(layers, x) if alternating else x
        x = yield "ending", x  # (all, n, d_model)
        x = layers.norm("norm", "norm", x)  # (all, n, d_model)
        if self.config.projects:
            x = layers.linear("project_out", "project_out", x)  # (all, n, d_embedding)
        # only now: after a pass that failed halfway, the next begins where that one did
        self.context = end
        asked = x if logits is None else x[:, tokens.shape[1] - logits :]  # (all, logits, d_embedding)
        # (all, logits, n_vocab)
        yield "logits", layers.linear("output", "embedding" if self.config.tied else "output", asked)

    def _added(self, x: Array, made: Array, mixing: Mixing | None) -> Array:
        """The residual stream, or the streams, with the output of a layer added."""
        if self.config.streams is None or mixing is None:
            return ops.elementwise(self.ledger, "add", x, made)  # (B, n, d_model)
        return self.config.streams.added(self.ledger, x, made, mixing)  # (B, n, streams, d_model)


def drawn(config: Config, seed: int = 0) -> Iterator[tuple[str, Array]]:
    """The weights of a decoder by name, as numbers drawn at random."""
    random = np.random.default_rng(seed)
    for name, shape in config.shapes.items():
        # over the root of the inputs, so that activations keep their size from block to block
        numbers = random.standard_normal(shape, np.float32) / np.float32(shape[-1]) ** 0.5
        # a norm's weight is near 1 in trained models; near 0 it would silence the block
        is_near_1 = name.endswith("weight") and ("norm" in name or "scales" in name)
        yield name, numbers + 1 if is_near_1 else numbers


def _room(machine: Machine, name: str, batch: int, shape: tuple[int, ...], format: Format, *capacity: int) -> OffChip:
    """Off-chip room for (batch, capacity, …), or (batch, …) without a capacity, held under a name."""
    with machine.ledger.scope(name):
        return machine.reserve((batch, *capacity, *shape), format)


def _release(caches: list[dict[str, Any]]) -> None:
    for cache in (cache for block in caches for cache in block.values()):
        cache.release()
