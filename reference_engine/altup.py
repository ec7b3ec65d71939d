"""Several residual streams of which a block computes one: it is predicted with the others, and these are corrected

With alternating updates (AltUp) there are several streams of the model's width, made of the embedding by a matrix each.
A block predicts all of them, as mixtures whose weights are made of the first; runs its layers on the first; and adds to
each, in another measure, what these changed. At the end all but the first go through a matrix each, and their mean is
the model's stream. Beside attention, a learned residual (LAuReL) adds a product with two narrow matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from . import ops
from .formats import Array
from .ledger import Ledger

if TYPE_CHECKING:
    from .layers import Layers

_LEAST = 1e-5  # of the mean square that a stream is divided by


@dataclass(frozen=True)
class Alternating:
    """Shapes of alternating updates, and of the learned residual beside them.

    Attributes:
        n: streams.
        rank: width between the two matrices of the learned residual.
    """

    n: int
    rank: int

    def shapes(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """Shapes of a block's weights: matrices (outputs, inputs), norms, a scale for the gate of what is looked up."""
        vectors = ("learned_norm", "router_norm", "scale")
        return {
            "learned.up": (self.rank, d_model),
            "learned.down": (d_model, self.rank),
            "streams.router": (self.n, d_model),
            "streams.predicted": (self.n**2, self.n),
            "streams.corrected": (self.n, self.n),
            **{f"streams_{name}.weight": (d_model,) for name in vectors},
        }

    def ends(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """Shapes of the matrices that make the streams, and of those that they go through at the end."""
        names = (f"streams.{end}.{i}" for end in ("opened", "closed") for i in range(1, self.n))
        return dict.fromkeys(names, (d_model, d_model))

    def open(self, layers: Layers, x: Array) -> Array:
        """(batch, n, d_model) -> (batch, n, streams, d_model), each as large as the first."""
        return self._brought(layers, "opened", x, [x] * (self.n - 1))  # (B, n, streams, d_model)

    def ended(self, layers: Layers, x: Array) -> Array:
        """(batch, n, streams, d_model) -> (batch, n, d_model), their mean."""
        # (B, n, streams, d_model)
        streams = self._brought(layers, "closed", x[:, :, 0], [x[:, :, i] for i in range(1, self.n)])
        with layers.ledger.scope("streams"):
            return ops.mean(layers.ledger, streams.swapaxes(2, 3))[..., 0]  # (B, n, d_model)

    def predicted(self, layers: Layers, name: str, x: Array) -> Array:
        """(batch, n, streams, d_model), the streams and mixtures of them."""
        ledger = layers.ledger
        # (B, n, streams·streams)
        weights = layers.linear("coefficients", f"{name}.streams.predicted", self._routed(layers, name, x[:, :, 0]))
        weights = weights.reshape(*weights.shape[:-1], self.n, self.n)  # (B, n, streams, streams); made, then mixed
        with ledger.scope("mix"):
            # not as one product: what is no weight is counted with norms and activations
            # (B, n, streams, streams, d_model)
            mixed = ops.elementwise(ledger, "multiply", weights[..., None], x[:, :, None])
            mixed = ops.total(ledger, mixed.swapaxes(-1, -2))[..., 0]  # (B, n, streams, d_model)
            return ops.elementwise(ledger, "add", x, mixed)  # (B, n, streams, d_model)

    def corrected(self, layers: Layers, name: str, predicted: Array, made: Array) -> Array:
        """(batch, n, streams, d_model), (batch, n, d_model) -> (batch, n, streams, d_model), by what a block made."""
        ledger = layers.ledger
        # (B, n, streams)
        weights = layers.linear("coefficients", f"{name}.streams.corrected", self._routed(layers, name, made))
        with ledger.scope("mix"):
            changed = ops.elementwise(ledger, "subtract", made, predicted[:, :, 0])  # (B, n, d_model)
            weights = ops.elementwise(ledger, "add", weights, 1.0)  # (B, n, streams)
            # (B, n, streams, d_model)
            changed = ops.elementwise(ledger, "multiply", weights[..., None], changed[:, :, None])
            return ops.elementwise(ledger, "add", predicted, changed)  # (B, n, streams, d_model)

    def scaled(self, layers: Layers, name: str, x: Array) -> Array:
        """(batch, n, streams, d_model) -> (batch, n, d_model), the first, scaled, for the gate of what is looked up."""
        with layers.ledger.scope("scale"):
            scale = layers.weights[f"{name}.streams_scale.weight"].load()  # (d_model,)
            return ops.elementwise(layers.ledger, "multiply", x[:, :, 0], scale)  # (B, n, d_model)

    def added(self, ledger: Ledger, x: Array, found: Array) -> Array:
        """(batch, n, streams, d_model), (batch, n, d_model) -> (batch, n, streams, d_model), to all but the first."""
        others = ops.elementwise(ledger, "add", x[:, :, 1:], found[:, :, None])  # (B, n, streams - 1, d_model)
        return np.concatenate([x[:, :, :1], others], axis=2)  # (B, n, streams, d_model)

    def learned(self, layers: Layers, name: str, normed: Array, x: Array) -> Array:
        """Twice (batch, n, d_model) -> (batch, n, d_model), the stream after attention with the learned residual."""
        ledger = layers.ledger
        # (B, n, d_model)
        made = layers.linear("down", f"{name}.learned.down", layers.linear("up", f"{name}.learned.up", normed))
        made = layers.rms_norm("norm", f"{name}.streams_learned_norm", made)  # (B, n, d_model)
        both = ops.elementwise(ledger, "add", x, ops.elementwise(ledger, "add", normed, made))  # (B, n, d_model)
        return ops.elementwise(ledger, "multiply", both, sqrt(1 / 2))  # (B, n, d_model)

    def _routed(self, layers: Layers, name: str, x: Array) -> Array:
        """(batch, n, d_model) -> (batch, n, streams), the numbers from which the weights of streams are made."""
        normed = layers.rms_norm("router_norm", f"{name}.streams_router_norm", x)  # (B, n, d_model)
        routed = layers.linear("router", f"{name}.streams.router", normed)  # (B, n, streams)
        with layers.ledger.scope("router"):
            return ops.elementwise(layers.ledger, "tanh", routed)  # (B, n, streams)

    def _brought(self, layers: Layers, end: str, first: Array, others: list[Array]) -> Array:
        """(batch, n, d_model), and others -> (batch, n, streams, d_model), brought to the size of the first."""
        ledger, found = layers.ledger, [first]
        with ledger.scope("streams"):
            wanted = ops.elementwise(ledger, "sqrt", self._square(layers, first))  # (B, n, 1)
            for i, other in enumerate(others, 1):
                made = layers.linear("projection", f"streams.{end}.{i}", other)  # (B, n, d_model)
                size = ops.elementwise(ledger, "maximum", self._square(layers, made), _LEAST)  # (B, n, 1)
                made = ops.elementwise(ledger, "multiply", made, wanted)  # (B, n, d_model)
                found.append(ops.elementwise(ledger, "divide", made, ops.elementwise(ledger, "sqrt", size)))
        return np.stack(found, axis=2)  # (B, n, streams, d_model)

    def _square(self, layers: Layers, x: Array) -> Array:
        """(..., d) -> (..., 1), the mean of the squares."""
        return ops.mean(layers.ledger, ops.elementwise(layers.ledger, "multiply", x, x))  # (B, n, 1)
