"""Blocks with a state: what they keep of a sequence does not grow with it

Two kinds share their shapes. Every head has a matrix of n_key·n_value numbers, its state; heads in a group share keys
and queries, and a short convolution runs over keys, queries and values before they meet it, so the last inputs of that
are kept too. Mamba-2 lets the state decay and adds key times value. A gated delta rule also takes out what the state
had for that key. What a step needs of the past is the state and these inputs, however long the sequence is.

A gated short convolution is such a block without heads: its convolution stands between two gates, and its last inputs
are all that it keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .formats import F32, Format
from .memory import OffChip

Rule = Literal["delta", "mamba"]


@dataclass(frozen=True)
class States:
    """Shapes of the blocks that have a state in the place of attention.

    Attributes:
        rule: "delta" for a gated delta rule, "mamba" for Mamba-2.
        n_heads: heads, each with a state; n_groups of them share keys and queries.
        n_key: numbers of a key; n_value: of a head's value.
        kernel: inputs that the convolution looks back on, the newest included.
        blocks: which blocks have one, layer by layer and repeated.
        format: how states are stored.
    """

    rule: Rule
    n_heads: int
    n_groups: int
    n_key: int
    n_value: int
    kernel: int
    blocks: tuple[bool, ...] = (True,)
    format: Format = F32

    @property
    def channels(self) -> int:
        """Inputs of the convolution: keys and queries of the groups, values of the heads."""
        return 2 * self.n_groups * self.n_key + self.n_heads * self.n_value

    def shapes(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """Shapes of a block's weights: matrices (outputs, inputs), vectors (width,), the convolution by its taps."""
        values, delta = self.n_heads * self.n_value, self.rule == "delta"
        found: dict[str, tuple[int, ...]] = {
            "state_in": (self.channels, d_model),
            "state_gate": (values, d_model),
            "state_step": (self.n_heads, d_model),  # how far the state decays
            "state_taps.weight": (self.kernel, self.channels),
            "state_taps.bias": (self.channels,),
            "state_shift.weight": (self.n_heads,),
            "state_decay.weight": (self.n_heads,),
            "state_norm.weight": (self.n_value if delta else values,),
            "state_out": (d_model, values),
        }
        # a delta rule says how much is taken out, Mamba-2 how much of a value goes past its state
        more: tuple[str, tuple[int, ...]] = (
            ("state_take", (self.n_heads, d_model)) if delta else ("state_pass.weight", (self.n_heads,))
        )
        return found | dict([more])

    def held(self) -> dict[str, tuple[int, ...]]:
        """Shapes of what a block keeps of a sequence: inputs of the convolution, and the states."""
        return {"inputs": (self.kernel - 1, self.channels), "states": (self.n_heads, self.n_key, self.n_value)}


@dataclass(frozen=True)
class Convolution:
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


class Kept:
    """Off-chip state that a block keeps of the sequences of a batch; its size does not depend on their length."""

    def __init__(self, reserve: Callable[[int], OffChip]) -> None:
        self.vectors = reserve(0)

    @property
    def nbytes(self) -> int:
        """Bytes it occupies off-chip."""
        return self.vectors.nbytes

    def grow(self, capacity: int) -> None:
        """Do nothing: a longer sequence keeps no more."""

    def release(self) -> None:
        """Give the room back."""
        self.vectors.release()
