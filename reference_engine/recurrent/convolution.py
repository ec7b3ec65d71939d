"""Gated short convolutions, as LFM2 has them: no heads and no state, only the last inputs are kept

The convolution stands between two gates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .. import ops
from ..formats import Array
from ..slices import places
from .kind import Kept, Recurrent

if TYPE_CHECKING:
    from ..layers import Layers


@dataclass(frozen=True)
class Convolution(Recurrent):
    """Shapes of the blocks that are a gated short convolution in the place of attention.

    Attributes:
        width: channels.
        kernel: inputs that it looks back on, the newest included.
        biases: whether its matrices and the convolution have biases.
        blocks: which blocks are one, layer by layer and repeated.
    """

    width: int
    kernel: int
    biases: bool = False
    blocks: tuple[bool, ...] = (True,)

    matrices: ClassVar[tuple[str, ...]] = ("in", "out")

    def shapes(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """Shapes of a block's weights: matrices (outputs, inputs), the convolution by its taps, biases (width,)."""
        found: dict[str, tuple[int, ...]] = {
            "state_in": (3 * self.width, d_model),  # a gate before, a gate after, values
            "state_taps.weight": (self.kernel, self.width),
            "state_out": (d_model, self.width),
        }
        biases = {"state_in.bias": (3 * self.width,), "state_taps.bias": (self.width,), "state_out.bias": (d_model,)}
        return found | (biases if self.biases else {})

    def held(self) -> dict[str, tuple[int, ...]]:
        """Shapes of what a block keeps of a sequence: inputs of the convolution."""
        return {"inputs": (self.kernel - 1, self.width)}

    def needs(self) -> Iterator[tuple[bool, str]]:
        """Conditions on its shapes: whether each holds, and the sentence that says it."""
        yield self.width > 0 and self.kernel > 0, "a convolution has a channel, and an input"

    def mix(self, layers: Layers, i: int, kept: Mapping[str, Kept], x: Array) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model): a convolution over kept inputs and new ones, in two gates."""
        ledger, weights, at = layers.ledger, layers.weights, f"blocks.{i}.state_"
        # (B, n, width), (B, n, width), (B, n, width)
        before, after, values = np.split(layers.linear("in", f"{at}in", x), 3, axis=-1)
        with ledger.scope("vectors"):
            taps = weights[f"{at}taps.weight"].load()  # (kernel, width)
            bias = weights[f"{at}taps.bias"].load() if f"{at}taps.bias" in weights else None  # (width,)
        with ledger.scope("kept"):
            past = kept["inputs"].vectors.load()  # (B, kernel - 1, width)
        with ledger.scope("gating"):
            entering = ops.elementwise(ledger, "multiply", before, values)  # (B, n, width)
        inputs = np.concatenate([past, entering], axis=1)  # (B, kernel - 1 + n, width)
        seen = np.lib.stride_tricks.sliding_window_view(inputs, taps.shape[0], axis=1)  # (B, n, width, kernel)
        with ledger.scope("convolution"):
            mixed = ops.total(ledger, ops.elementwise(ledger, "multiply", seen, taps.T))[..., 0]  # (B, n, width)
            if bias is not None:
                mixed = ops.elementwise(ledger, "add", mixed, bias)  # (B, n, width)
        with ledger.scope("kept"):
            kept["inputs"].vectors.store(inputs[:, x.shape[1] :])
        with ledger.scope("gating"):
            mixed = ops.elementwise(ledger, "multiply", after, mixed)  # (B, n, width)
        return layers.linear("out", f"{at}out", mixed)  # (B, n, d_model)

    @property
    def pieces(self) -> tuple[int, str]:
        """Number of channels, and these words."""
        return self.width, "channels of a convolution"

    def share(self, pieces: int) -> Self:
        """The kind of a device that has so many channels."""
        return replace(self, width=pieces)

    def places(self, name: str, pieces: slice) -> tuple[Any, ...]:
        """Indices of the rows, then of the columns, that a device with these channels has of a weight."""
        channels = places(pieces)
        each = np.concatenate([channels + third * self.width for third in range(3)])  # two gates and values
        return {"state_in": (each,), "state_taps": (None, channels), "state_out": (None, channels)}[name]
