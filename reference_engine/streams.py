"""Residual streams: several that are mixed before and after each layer, in place of one

In most decoders a layer starts from the one stream and its result is added. With hyper-connections there are several
streams of the model's width. Before each layer they are collapsed to one vector, and what the layer gives is added to
each, in another measure, to a mixture of them all. All of these weights are made of the streams by one product, and the
mixture's matrix is brought near one whose rows and columns sum to 1, by dividing by both sums in turn (Sinkhorn and
Knopp), so that no mixture grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import ops
from .formats import Array
from .ledger import Ledger

if TYPE_CHECKING:
    from .layers import Layers

Mixing = tuple[Array, Array]  # (B, n, streams, 1) and (B, n, streams, streams): what is added where


@dataclass(frozen=True)
class Streams:
    """Shapes of hyper-connections.

    Attributes:
        n: streams.
        rounds: how often columns are divided by their sums; rows are one time fewer.
        epsilon: what is added to weights and sums.
    """

    n: int
    rounds: int
    epsilon: float = 1e-6

    def shapes(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """Shapes of the weights before each of a block's layers: a matrix (outputs, inputs), biases, three scales."""
        outputs, found = (2 + self.n) * self.n, dict[str, tuple[int, ...]]()
        for name in ("mixing_1", "mixing_2"):
            found |= {name: (outputs, self.n * d_model), f"{name}_base.weight": (outputs,)}
            found |= {f"{name}_scale.weight": (3,)}
        return found

    def last(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """Shapes of the weights of the last mixing, which leaves one stream."""
        return {"mixing": (self.n, self.n * d_model), "mixing_base.weight": (self.n,), "mixing_scale.weight": (1,)}

    def open(self, x: Array) -> Array:
        """(batch, n, d_model) -> (batch, n, streams, d_model), all alike."""
        return x[:, :, None].repeat(self.n, axis=2)  # (B, n, streams, d_model)

    def collapsed(self, layers: Layers, name: str, x: Array) -> tuple[Array, Mixing]:
        """(batch, n, streams, d_model) -> (batch, n, d_model) that a layer starts from, and how its result is added."""
        ledger, n = layers.ledger, self.n
        with ledger.scope(name.rpartition(".")[2]):
            weights, scale, base = self._weights(layers, name, x)  # (B, tokens, 2·n + n·n), (3,), (2·n + n·n,)
            before, after, between = (
                ops.elementwise(ledger, "add", ops.elementwise(ledger, "multiply", one, scale[i]), base[places])
                for i, one, places in (
                    (i, weights[..., places], places)
                    for i, places in enumerate((slice(0, n), slice(n, 2 * n), slice(2 * n, None)))
                )
            )  # (B, tokens, n), (B, tokens, n), (B, tokens, n·n)
            one = self._summed(ledger, before, x)  # (B, tokens, d_model)
            after = ops.elementwise(ledger, "multiply", ops.sigmoid(ledger, after), 2.0)  # (B, tokens, n)
            matrix = ops.stable_softmax(ledger, between.reshape(*between.shape[:-1], n, n))  # (B, tokens, n, n)
            matrix = ops.elementwise(ledger, "add", matrix, self.epsilon)  # (B, tokens, n, n)
            for turn in range(2 * self.rounds - 1):  # columns first, and last
                matrix = self._divided(ledger, matrix if turn % 2 else matrix.swapaxes(-1, -2))  # (B, tokens, n, n)
                matrix = matrix if turn % 2 else matrix.swapaxes(-1, -2)  # (B, tokens, n, n)
        return one, (after[..., None], matrix)  # (B, tokens, d_model), (B, tokens, n, 1), (B, tokens, n, n)

    def added(self, ledger: Ledger, x: Array, made: Array, mixing: Mixing) -> Array:
        """(batch, n, streams, d_model), (batch, n, d_model) -> (batch, n, streams, d_model), the result added."""
        after, matrix = mixing  # (B, n, streams, 1), (B, n, streams, streams)
        # (streams, streams) @ (streams, d_model) -> (streams, d_model), for each token
        mixed = ops.matmul(ledger, matrix.swapaxes(-1, -2), x)  # (B, n, streams, d_model)
        # (B, n, streams, d_model)
        return ops.elementwise(ledger, "add", ops.elementwise(ledger, "multiply", after, made[:, :, None]), mixed)

    def ended(self, layers: Layers, x: Array) -> Array:
        """(batch, n, streams, d_model) -> (batch, n, d_model), the weighed sum of all streams."""
        ledger = layers.ledger
        with ledger.scope("mixing"):
            weights, scale, base = self._weights(layers, "mixing", x)  # (B, n, streams), (1,), (streams,)
            # (B, n, streams)
            weights = ops.elementwise(ledger, "add", ops.elementwise(ledger, "multiply", weights, scale), base)
            return self._summed(ledger, weights, x)  # (B, n, d_model)

    def _weights(self, layers: Layers, name: str, x: Array) -> tuple[Array, Array, Array]:
        """Product of the mixing matrix with all streams, normed; its scales; and the numbers added after these."""
        # (B, n, streams·d_model)
        flat = ops.rms(layers.ledger, x.reshape(*x.shape[:2], -1), layers.config.norm_epsilon)
        # (scales,), (outputs,)
        scale, base = (layers.weights[f"{name}_{one}.weight"].load() for one in ("scale", "base"))
        return layers.linear("product", name, flat), scale, base  # (B, n, outputs), (scales,), (outputs,)

    def _summed(self, ledger: Ledger, weights: Array, x: Array) -> Array:
        """(batch, n, streams), (batch, n, streams, d_model) -> (batch, n, d_model), the sum weighed by sigmoids."""
        weights = ops.elementwise(ledger, "add", ops.sigmoid(ledger, weights), self.epsilon)  # (B, n, streams)
        weighed = ops.elementwise(ledger, "multiply", weights[..., None], x)  # (B, n, streams, d_model)
        return ops.total(ledger, weighed.swapaxes(2, 3))[..., 0]  # (B, n, d_model)

    def _divided(self, ledger: Ledger, matrix: Array) -> Array:
        """(…, rows, columns), each row divided by its sum."""
        sums = ops.elementwise(ledger, "add", ops.total(ledger, matrix), self.epsilon)  # (B, n, rows, 1)
        return ops.elementwise(ledger, "divide", matrix, sums)  # (B, n, rows, columns)
