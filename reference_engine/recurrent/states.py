"""Heads with a state: Mamba-2 and gated delta rules, token by token

Two rules share their shapes. Every head has a matrix of n_key·n_value numbers, its state; heads in a group share keys
and queries, and a short convolution runs over keys, queries and values before they meet it, so the last inputs of that
are kept too. Mamba-2 lets the state decay and adds key times value. A gated delta rule also takes out what the state
had for that key. What a step needs of the past is the state and these inputs, however long the sequence is.

Shapes, weights, products and what is kept are those of Mamba-2 and of the gated delta rule. How far a state decays is
written more simply: one sigmoid of the token's step, where they have an exponential of an exponential; and keys are not
normalised.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from .. import ops
from ..arrays import zeros
from ..formats import F32, Array, Format
from ..slices import places, rows, times
from .kind import Kept, Recurrent

if TYPE_CHECKING:
    from ..layers import Layers

Rule = Literal["delta", "mamba"]


@dataclass(frozen=True)
class States(Recurrent):
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

    matrices: ClassVar[tuple[str, ...]] = ("in", "gate", "step", "take", "out")
    products: ClassVar[tuple[str, ...]] = ("recall", "write", "read")

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
        return found | ({"state_take": (self.n_heads, d_model)} if delta else {"state_pass.weight": (self.n_heads,)})

    def held(self) -> dict[str, tuple[int, ...]]:
        """Shapes of what a block keeps of a sequence: inputs of the convolution, and the states."""
        return {"inputs": (self.kernel - 1, self.channels), "states": (self.n_heads, self.n_key, self.n_value)}

    def format_of(self, name: str, cache: Format) -> Format:
        """Format of states is the kind's own; inputs are stored as the cache is."""
        return self.format if name == "states" else cache

    def in_format(self, format: Format) -> Self:
        """A kind with states in another format."""
        return replace(self, format=format)

    def needs(self) -> Iterator[tuple[bool, str]]:
        """Conditions on its shapes: whether each holds, and the sentence that says it."""
        yield self.n_heads % self.n_groups == 0, "n_groups divides the heads with states"

    def mix(self, layers: Layers, i: int, kept: Mapping[str, Kept], x: Array) -> Array:
        """(batch, n, d_model) -> (batch, n, d_model): token by token, each meets what those before it left."""
        ledger, at = layers.ledger, f"blocks.{i}."
        made = layers.linear("in", at + "state_in", x)  # (B, n, channels)
        # (B, n, n_heads·n_value), (B, n, n_heads)
        gates, steps = layers.linear("gate", at + "state_gate", x), layers.linear("step", at + "state_step", x)
        taken = layers.linear("take", at + "state_take", x) if self.rule == "delta" else None  # (B, n, n_heads)
        weights = layers.weights
        with ledger.scope("vectors"):
            names = (
                "state_taps",
                "state_shift",
                "state_decay",
                "state_norm",
                *(() if self.rule == "delta" else ("state_pass",)),
            )
            bias = weights[f"{at}state_taps.bias"].load()  # (channels,)
            # (kernel, channels), (n_heads,), (n_heads,)
            taps, shift, decay, norm, *past = (weights[f"{at}{name}.weight"].load() for name in names)
        with ledger.scope("step"):
            steps = ops.elementwise(ledger, "add", steps, shift)  # (B, n, n_heads)
        with ledger.scope("kept"):
            # (B, kernel - 1, channels), (B, n_heads, n_key, n_value)
            inputs, held = kept["inputs"].vectors.load(), kept["states"].vectors.load()
        outputs = zeros((*x.shape[:2], self.n_heads, self.n_value), x.dtype)  # (B, n, n_heads, n_value)
        for token in ledger.loop(x.shape[1]):
            inputs = np.concatenate([inputs, made[:, token, None]], axis=1)  # (B, kernel, channels)
            with ledger.scope("convolution"):
                weighed = ops.elementwise(ledger, "multiply", inputs, taps)  # (B, kernel, channels)
                # (B, channels)
                summed = ops.elementwise(ledger, "add", ops.total(ledger, weighed.swapaxes(1, 2))[..., 0], bias)
                mixed = ops.silu(ledger, summed)  # (B, channels)
            inputs = inputs[:, 1:]  # (B, kernel - 1, channels)
            # (B, n_heads, n_key), (B, n_heads, n_key), (B, n_heads, n_value)
            keys, queries, values = self._taken_apart(mixed)
            with ledger.scope("decay"):
                rate = ops.elementwise(ledger, "multiply", steps[:, token], decay)  # (B, n_heads)
                # (B, n_heads, n_key, n_value)
                held = ops.elementwise(ledger, "multiply", held, ops.sigmoid(ledger, rate)[..., None, None])
            if taken is not None:
                with ledger.scope("recall"):  # (1, n_key) @ (n_key, n_value)
                    had = ops.matmul(ledger, keys[..., None, :], held)[..., 0, :]  # (B, n_heads, n_value)
                with ledger.scope("take"):
                    share = ops.sigmoid(ledger, taken[:, token])[..., None]  # (B, n_heads, 1)
                    new = ops.elementwise(ledger, "subtract", values, had)  # (B, n_heads, n_value)
                    values = ops.elementwise(ledger, "multiply", new, share)  # (B, n_heads, n_value)
            with ledger.scope("write"):  # (n_key, 1) @ (1, n_value)
                new = ops.matmul(ledger, keys[..., None], values[..., None, :])  # (B, n_heads, n_key, n_value)
                held = ops.elementwise(ledger, "add", held, new)  # (B, n_heads, n_key, n_value)
            with ledger.scope("read"):  # (1, n_key) @ (n_key, n_value)
                out = ops.matmul(ledger, queries[..., None, :], held)[..., 0, :]  # (B, n_heads, n_value)
            if past:
                with ledger.scope("pass"):
                    passed = ops.elementwise(ledger, "multiply", values, past[0][:, None])  # (B, n_heads, n_value)
                    out = ops.elementwise(ledger, "add", out, passed)  # (B, n_heads, n_value)
            outputs[:, token] = out
        with ledger.scope("kept"):
            kept["inputs"].vectors.store(inputs)
            kept["states"].vectors.store(held)
        y = outputs  # (B, n, n_heads, n_value)
        if self.rule == "mamba":  # a norm over the heads of each group
            # (B, n, n_groups, each), (n_groups, each)
            y, norm = y.reshape(*x.shape[:2], self.n_groups, -1), norm.reshape(self.n_groups, -1)
        with ledger.scope("norm"):
            # (B, n, n_heads·n_value)
            y = ops.rms_norm(ledger, y, norm, layers.config.norm_epsilon).reshape(*x.shape[:2], -1)
        with ledger.scope("gating"):
            y = ops.elementwise(ledger, "multiply", y, ops.silu(ledger, gates))  # (B, n, n_heads·n_value)
        return layers.linear("out", at + "state_out", y)  # (B, n, d_model)

    def _taken_apart(self, mixed: Array) -> tuple[Array, Array, Array]:
        """(batch, channels) -> keys and queries of every head, (batch, n_heads, n_key), and values, (…, n_value)."""
        width, each = self.n_groups * self.n_key, self.n_heads // self.n_groups
        # (B, width), (B, width), (B, n_heads·n_value)
        keys, queries, values = np.split(mixed, (width, 2 * width), axis=-1)
        shared = (
            np.repeat(one.reshape(mixed.shape[0], self.n_groups, self.n_key), each, axis=1) for one in (keys, queries)
        )
        # (B, n_heads, n_key), (B, n_heads, n_key), (B, n_heads, n_value)
        return (*shared, values.reshape(mixed.shape[0], self.n_heads, self.n_value))  # type: ignore[return-value]

    @property
    def pieces(self) -> tuple[int, str]:
        """Number of groups of heads, which share keys and queries, and these words."""
        return self.n_groups, "groups of heads with states"

    def share(self, pieces: int) -> Self:
        """The kind of a device that has so many groups."""
        return replace(self, n_groups=pieces, n_heads=pieces * (self.n_heads // self.n_groups))

    def places(self, name: str, pieces: slice) -> tuple[Any, ...]:
        """Indices of the rows, then of the columns, that a device with these groups has of a weight."""
        heads = times(pieces, self.n_heads // self.n_groups)
        keys, values = rows(pieces, self.n_key), rows(heads, self.n_value)
        width = self.n_groups * self.n_key
        channels = np.concatenate([keys, width + keys, 2 * width + values])
        return {
            "state_in": (channels,),
            "state_taps": (None, channels),
            "state_gate": (values,),
            "state_out": (None, values),
            "state_norm": () if self.rule == "delta" else (values,),
        }.get(name, (places(heads),))
