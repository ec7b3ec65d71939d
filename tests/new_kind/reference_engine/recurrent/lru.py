"""Gated linear recurrences: of each channel one number is kept, which decays and takes in the new value"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .. import ops
from ..arrays import zeros
from ..formats import F32, Array, Format
from ..slices import places
from .kind import Kept, Recurrent

if TYPE_CHECKING:
    from ..layers import Layers


@dataclass(frozen=True)
class LinearRecurrence(Recurrent):
    """Shapes of the blocks that are a gated linear recurrence in the place of attention.

    Attributes:
        width: channels.
        blocks: which blocks are one, layer by layer and repeated.
        format: how what is kept is stored.
    """

    width: int
    blocks: tuple[bool, ...] = (True,)
    format: Format = F32

    matrices: ClassVar[tuple[str, ...]] = ("in", "out")

    def shapes(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """Shapes of a block's weights."""
        return {
            "state_in": (2 * self.width, d_model),  # values, and a gate
            "state_decay.weight": (self.width,),
            "state_out": (d_model, self.width),
        }

    def held(self) -> dict[str, tuple[int, ...]]:
        """Shape of what a block keeps of a sequence."""
        return {"states": (self.width,)}

    def format_of(self, name: str, cache: Format) -> Format:
        """Format of what is kept: its own."""
        return self.format

    def in_format(self, format: Format) -> Self:
        """A kind with another format."""
        return replace(self, format=format)

    def mix(self, layers: Layers, i: int, kept: Mapping[str, Kept], x: Array) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model): token by token, each meets what those before it left."""
        ledger, weights, at = layers.ledger, layers.weights, f"blocks.{i}.state_"
        values, gates = np.split(layers.linear("in", f"{at}in", x), 2, axis=-1)  # (B, n, width), (B, n, width)
        with ledger.scope("vectors"):
            decay = weights[f"{at}decay.weight"].load()  # (width,)
        with ledger.scope("kept"):
            held = kept["states"].vectors.load()  # (B, width)
        outputs = zeros(values.shape, x.dtype)  # (B, n, width)
        for token in ledger.loop(x.shape[1]):
            with ledger.scope("decay"):
                held = ops.elementwise(ledger, "multiply", held, ops.sigmoid(ledger, decay))  # (B, width)
            with ledger.scope("write"):
                held = ops.elementwise(ledger, "add", held, values[:, token])  # (B, width)
            outputs[:, token] = held
        with ledger.scope("kept"):
            kept["states"].vectors.store(held)
        with ledger.scope("gating"):
            outputs = ops.elementwise(ledger, "multiply", outputs, ops.silu(ledger, gates))  # (B, n, width)
        return layers.linear("out", f"{at}out", outputs)  # (B, n, d_model)

    @property
    def pieces(self) -> tuple[int, str]:
        """Number of channels, and these words."""
        return self.width, "channels of a recurrence"

    def share(self, pieces: int) -> Self:
        """The kind of a device that has so many channels."""
        return replace(self, width=pieces)

    def places(self, name: str, pieces: slice) -> tuple[Any, ...]:
        """Indices of the rows, then of the columns, that a device with these channels has of a weight."""
        channels = places(pieces)
        both = np.concatenate([channels, channels + self.width])
        return {"state_in": (both,), "state_decay": (channels,), "state_out": (None, channels)}[name]
