"""The layers of a block: matrices with their biases, norms, MLPs and experts

They load weights from off-chip memory, each once a pass, and compute on the chip. A layer enters what it does in the
ledger under a name of its own; the weights it uses are named as in `Config.shapes`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import starmap
from typing import Literal

import numpy as np

from . import ops
from .arrays import arange, pieces, places_of
from .compiled import few
from .config import Config, Pairs
from .formats import Array
from .ledger import Ledger
from .memory import BESIDE, Machine, OffChip
from .routing import by_number
from .sizes import Size

# A pass that stops where devices which share it have to meet: where, and with which array; it is sent what came of that
Stop = Literal["attended", "entering", "thought", "ending", "logits"]
Passing = Generator[tuple[Stop, Array], Array, None]
TILE = 2**20  # numbers of a matrix that are on the chip at a time


@dataclass(frozen=True)
class Layers:
    """The layers of a decoder: its weights, and the operations that use them.

    Attributes:
        config: what the decoder looks like.
        machine: where it runs.
        weights: off-chip weights by the names of `Config.shapes`.
        route: sends each of so many tokens to experts, in place of the router, whose work is done all the same.
    """

    config: Config
    machine: Machine
    weights: Mapping[str, OffChip]
    route: Callable[[int], Array] | None = None

    @property
    def ledger(self) -> Ledger:
        """Ledger in which all operations and traffic are entered."""
        return self.machine.ledger

    def linear(self, scope: str, name: str, x: Array) -> Array:
        """(..., inputs) @ (inputs, outputs) -> (..., outputs), the matrix loaded once, tile by tile, then its bias.

        A matrix in a second memory is multiplied there: what is loaded and done is entered under a name of its own.
        """
        matrix, bias = self.weights[name], self.weights.get(f"{name}.bias")
        rows, (outputs, inputs) = x.reshape(-1, x.shape[-1]), matrix.shape  # (tokens, inputs)
        # in pieces: unpacked to floats, an output matrix takes many times what it takes off-chip
        step = outputs if isinstance(outputs, Size) or matrix.is_read_in_place else max(1, TILE // inputs)
        if step < outputs:
            _keep_freed_memory()
        with self.ledger.scope(f"{scope}.{BESIDE}" if matrix.is_beside else scope):
            as_stored = self.machine.multiplies_packed and not matrix.is_read_in_place
            if as_stored and rows.shape[0] <= few(matrix.format, outputs, inputs):
                packed = matrix.load_packed()  # (outputs, blocks)
                in_codes = matrix.in_codes if self.machine.eight_bits else None
                # (tokens, outputs)
                y = ops.packed_matmul(self.ledger, rows, packed, matrix.format, TILE, in_codes=in_codes)
            else:
                parts = starmap(slice, pieces(0, outputs, step))
                made = [ops.matmul(self.ledger, rows, matrix.load(part).T) for part in parts]  # (tokens, part) each
                y = made[0] if len(made) == 1 else np.concatenate(made, axis=-1)  # (tokens, outputs)
            if bias is not None:
                y = ops.elementwise(self.ledger, "add", y, bias.load())  # (tokens, outputs)
        return y.reshape(*x.shape[:-1], outputs)  # (..., outputs)

    def norm(self, scope: str, name: str, x: Array) -> Array:
        """(..., d_model) -> (..., d_model), the norm of a residual stream."""
        if self.config.norm == "rms":
            return self.rms_norm(scope, name, x)  # (..., d_model)
        if self.config.norm == "layer":
            return self.layer_norm(scope, name, x, self.config.norm_epsilon)  # (..., d_model)
        with self.ledger.scope(scope):
            return ops.layer_norm(self.ledger, x, self.config.norm_epsilon)  # (..., d_model)

    def layer_norm(self, scope: str, name: str, x: Array, epsilon: float) -> Array:
        """(..., d) -> (..., d), a layer norm with a weight and a bias."""
        with self.ledger.scope(scope):
            x = ops.layer_norm(self.ledger, x, epsilon)  # (..., d)
            x = ops.elementwise(self.ledger, "multiply", x, self.weights[f"{name}.weight"].load())  # (..., d)
            return ops.elementwise(self.ledger, "add", x, self.weights[f"{name}.bias"].load())  # (..., d)

    def rms_norm(self, scope: str, name: str, x: Array) -> Array:
        """(..., d) -> (..., d), an RMS norm with a weight."""
        with self.ledger.scope(scope):
            # (..., d)
            return ops.rms_norm(self.ledger, x, self.weights[f"{name}.weight"].load(), self.config.norm_epsilon)

    def rotate(
        self,
        x: Array,
        start: int,
        pairs: Pairs | None = None,
        *,
        theta: float | None = None,
        every: int = 1,
        back: bool = False,
    ) -> Array:
        """Rotate vectors of the tokens start, …, start + n − 1: (batch, n, heads, d) -> (batch, n, heads, d).

        With another `every` than 1 they are of each `every`-th token from start on. `back` turns the other way; `theta`
        is the base, if not that of the configuration.
        """
        _, n, _, d = x.shape
        factors, pairs = self.config.rope_factors, pairs or self.config.rope_pairs
        theta = self.config.rope_theta if theta is None else theta
        # (n, 1, d), (n, 1, d)
        cosines, sines = _rotary_tables(start, n, every, d, theta, factors, pairs, self.machine.dtype)
        with self.ledger.scope("rotary"):
            return ops.rotate(self.ledger, x, cosines, -sines if back else sines, pairs)  # (B, n, heads, d)

    def rotate_end(
        self, x: Array, start: int, *, theta: float | None = None, every: int = 1, back: bool = False
    ) -> Array:
        """Rotate the last `Config.rotated` numbers of each head, as `rotate` does; those before them stay."""
        first = x.shape[-1] - self.config.rotated
        turned = self.rotate(x[..., first:], start, theta=theta, every=every, back=back)  # (B, tokens, heads, rotated)
        return np.concatenate([x[..., :first], turned], axis=-1)  # (B, tokens, heads, d)

    def mlp(self, name: str, x: Array, *, sparse: float = 0.0) -> Array:
        """(..., d_model) -> (..., d_model), with the matrices of a block or of one expert.

        Of its gates, about a share that is `sparse` is cut off: what lies below that quantile of a normal distribution.
        """
        up = self.linear("up", f"{name}.up", x)  # (..., width)
        opening = self.linear("gate", f"{name}.gate", x) if self.config.gated else up  # (..., width)
        if limit := self.config.mlp_limit:
            with self.ledger.scope("limit"):
                # (..., width)
                up = ops.elementwise(self.ledger, "minimum", ops.elementwise(self.ledger, "maximum", up, -limit), limit)
                # (..., width)
                opening = ops.elementwise(self.ledger, "minimum", opening, limit) if self.config.gated else up
        if sparse:
            with self.ledger.scope("cutoff"):
                opening = ops.beyond_quantile(self.ledger, opening, sparse)  # (..., width)
        with self.ledger.scope("activation"):
            if self.config.activation == "xielu":
                wide = ops.xielu(self.ledger, opening, self.weights[f"{name}.slopes.weight"].load())  # (..., width)
            else:
                wide = ops.ACTIVATIONS[self.config.activation](self.ledger, opening)  # (..., width)
        if self.config.gated:
            with self.ledger.scope("gating"):
                wide = ops.elementwise(self.ledger, "multiply", wide, up)  # (..., width)
        return self.linear("down", f"{name}.down", wide)  # (..., d_model)

    def looked_up(self, name: str, tokens: Array, embedded: Array, x: Array) -> Array:
        """(batch, n), twice (batch, n, d_model) -> (batch, n, d_model): a vector of the tokens, through a gate.

        What is looked up for each token is brought together with a vector made of its embedding; the stream opens the
        gate to both.
        """
        ledger, at = self.ledger, f"{name}.looked"
        with ledger.scope("embedding"):
            # tokens beyond the table take its first row
            known = np.where(tokens < self.config.n_vocab_block, tokens, 0)  # (B, n)
            found = self.weights[f"{at}.embedding"].load(known)  # (B, n, d_block)
        made = self.rms_norm("up_norm", "looked_norm", self.linear("up", f"{at}.up", embedded))  # (B, n, d_block)
        with ledger.scope("mix"):
            # (B, n, d_block)
            both = ops.elementwise(ledger, "multiply", ops.elementwise(ledger, "add", made, found), 2**-0.5)
        opening = self.linear("gate", f"{at}.gate", x)  # (B, n, d_block)
        with ledger.scope("activation"):
            opening = ops.ACTIVATIONS[self.config.activation](ledger, opening)  # (B, n, d_block)
        with ledger.scope("gating"):
            both = ops.elementwise(ledger, "multiply", opening, both)  # (B, n, d_block)
        return self.norm("norm", f"{name}.looked_norm", self.linear("down", f"{at}.down", both))  # (B, n, d_model)

    def beside(self, name: str, x: Array, normed: Array) -> Generator[tuple[Stop, Array], Array, Array]:
        """Twice (..., d_model) -> (..., d_model): through an MLP and, beside it, through the experts a token chose.

        Both start from the stream x, each with a norm of its own: the MLP's has been done. Each is met for apart, since
        norms come after them.
        """
        config, ledger = self.config, self.ledger
        thought = yield "thought", self.mlp(name, normed)  # (B, n, d_model)
        scored = self.rms_norm("router_norm", f"{name}.router_norm", x)  # (B, n, d_model)
        with ledger.scope("router_norm"):
            scored = ops.elementwise(ledger, "multiply", scored, x.shape[-1] ** -0.5)  # (B, n, d_model)
        # (B, n, d_model)
        routed = yield "thought", self.experts(name, self.norm("norm_3", f"{name}.norm_3", x), scored)
        if config.post_norm:
            thought = self.norm("post_norm_mlp", f"{name}.post_norm_mlp", thought)  # (B, n, d_model)
            routed = self.norm("post_norm_experts", f"{name}.post_norm_experts", routed)  # (B, n, d_model)
        with ledger.scope("mix"):
            return ops.elementwise(ledger, "add", thought, routed)  # (B, n, d_model)

    def experts(self, name: str, x: Array, scored: Array | None = None, *, tokens: Array | None = None) -> Array:
        """(..., d_model) -> (..., d_model): each token through the experts it chose, weighted, and the shared ones.

        What the router sees is `scored`, of the same shape, where that is not x. `tokens`: their numbers, where these
        choose and the scores only weigh.
        """
        ledger, routing, rows = self.ledger, self.config.routing, x.reshape(-1, x.shape[-1])  # (tokens, d_model)
        # (tokens, n_experts)
        scores = self.linear("router", f"{name}.router", rows if scored is None else scored.reshape(rows.shape))
        with ledger.scope("routing"):
            weights = routing.scores(ledger, scores)  # (tokens, n_experts)
            if tokens is None:
                chosen = ops.top_k(ledger, weights, self.config.n_active)  # (tokens, n_active)
            else:
                # (tokens, n_active)
                chosen = by_number(tokens.reshape(-1), self.config.n_experts, self.config.n_active)
            # the router has done its work by here: forced routes cost what free ones do
            if self.route is not None:
                chosen = self.route(rows.shape[0])  # (tokens, n_active)
            weights = np.take_along_axis(weights, chosen, axis=-1)  # (tokens, n_active)
            if self.config.renormalise:
                weights = ops.elementwise(ledger, "divide", weights, ops.total(ledger, weights))  # (tokens, n_active)
            if routing.scale != 1:
                weights = ops.elementwise(ledger, "multiply", weights, routing.scale)  # (tokens, n_active)
            if self.config.beside:
                scales = self.weights[f"{name}.expert_scales.weight"].load()  # (n_experts,)
                weights = ops.elementwise(ledger, "multiply", weights, scales[chosen])  # (tokens, n_active)
        mixed = np.zeros_like(rows)  # (tokens, d_model)
        # by expert and not by token: a matrix that several tokens chose is loaded once a pass
        # no token chooses an expert twice, so `here` has no place twice and the sum below loses nothing
        for expert, (here, rank) in places_of(chosen):
            with ledger.scope(f"experts.{expert}"):
                thought = self.mlp(f"{name}.experts.{expert}", rows[here])  # (..., d_model)
            with ledger.scope("mix"):
                thought = ops.elementwise(ledger, "multiply", thought, weights[here, rank][:, None])  # (..., d_model)
                mixed[here] = ops.elementwise(ledger, "add", mixed[here], thought)
        if self.config.n_shared:
            with ledger.scope("shared"):
                thought = self.mlp(f"{name}.shared", rows)  # (tokens, d_model)
                if self.config.shared_gate:
                    weight = ops.sigmoid(ledger, self.linear("shared_gate", f"{name}.shared_gate", rows))  # (tokens, 1)
                    thought = ops.elementwise(ledger, "multiply", thought, weight)  # (tokens, d_model)
            with ledger.scope("mix"):
                mixed = ops.elementwise(ledger, "add", mixed, thought)  # (tokens, d_model)
        return mixed.reshape(x.shape)  # (..., d_model)


@cache
def _keep_freed_memory() -> None:
    """Have glibc keep what the arrays of a tile give back: else it clears new pages for each, most of a step's time."""
    # it keeps twice as much as the largest piece, of up to 32 MiB, that it has given back to the system
    np.empty(2**25 - 2**16, np.uint8)


@lru_cache(maxsize=2)  # queries and keys of blocks with heads of one width are turned alike, pass by pass
def _rotary_tables(
    start: int, n: int, every: int, d: int, theta: float, factors: tuple[float, ...], pairs: Pairs, dtype: str
) -> tuple[Array, Array]:
    """Cosines and sines for n tokens, each `every`-th from start on: two of (n, 1, d)."""
    frequencies = theta ** (-arange(0, d, 2) / d)  # (d/2,)
    if factors:
        frequencies = frequencies / np.array(factors)  # (d/2,)
    cosines, sines = ops.rotary_tables(start + every * arange(n), frequencies, pairs)  # (n, d), (n, d)
    return cosines[:, None].astype(dtype), sines[:, None].astype(dtype)  # (n, 1, d), (n, 1, d)
