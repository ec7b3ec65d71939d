"""Blocks with a state, token by token: convolution, decay, a product into the state and one out of it

Shapes, weights, products and what is kept are those of Mamba-2 and of the gated delta rule. How far a state decays is
written more simply: one sigmoid of the token's step, where they have an exponential of an exponential; and keys are not
normalised. A gated short convolution is that of LFM2: no state beside the inputs, and a gate on either side.
"""

from __future__ import annotations

import numpy as np

from . import ops
from .arrays import zeros
from .formats import Array
from .layers import Layers
from .states import Convolution, Kept, States


def mix(layers: Layers, i: int, kept: dict[str, Kept], x: Array) -> Array:
    """(batch, n, d_model) -> (batch, n, d_model), in block i: token by token, each meets what those before it left."""
    states, ledger, at = layers.config.states, layers.ledger, f"blocks.{i}."
    if isinstance(states, Convolution):
        return _convolve(layers, f"{at}state_", kept["inputs"], x)  # (B, n, d_model)
    assert states is not None, "the block has a state"
    made = layers.linear("in", at + "state_in", x)  # (B, n, channels)
    # (B, n, n_heads·n_value), (B, n, n_heads)
    gates, steps = layers.linear("gate", at + "state_gate", x), layers.linear("step", at + "state_step", x)
    taken = layers.linear("take", at + "state_take", x) if states.rule == "delta" else None  # (B, n, n_heads)
    weights = layers.weights
    with ledger.scope("vectors"):
        names = (
            "state_taps",
            "state_shift",
            "state_decay",
            "state_norm",
            *(() if states.rule == "delta" else ("state_pass",)),
        )
        bias = weights[f"{at}state_taps.bias"].load()  # (channels,)
        # (kernel, channels), (n_heads,), (n_heads,)
        taps, shift, decay, norm, *past = (weights[f"{at}{name}.weight"].load() for name in names)
    with ledger.scope("step"):
        steps = ops.elementwise(ledger, "add", steps, shift)  # (B, n, n_heads)
    with ledger.scope("kept"):
        # (B, kernel - 1, channels), (B, n_heads, n_key, n_value)
        inputs, held = kept["inputs"].vectors.load(), kept["states"].vectors.load()
    outputs = zeros((*x.shape[:2], states.n_heads, states.n_value), x.dtype)  # (B, n, n_heads, n_value)
    for token in ledger.loop(x.shape[1]):
        inputs = np.concatenate([inputs, made[:, token, None]], axis=1)  # (B, kernel, channels)
        with ledger.scope("convolution"):
            weighed = ops.elementwise(ledger, "multiply", inputs, taps)  # (B, kernel, channels)
            # (B, channels)
            summed = ops.elementwise(ledger, "add", ops.total(ledger, weighed.swapaxes(1, 2))[..., 0], bias)
            mixed = ops.silu(ledger, summed)  # (B, channels)
        inputs = inputs[:, 1:]  # (B, kernel - 1, channels)
        # (B, n_heads, n_key), (B, n_heads, n_key), (B, n_heads, n_value)
        keys, queries, values = _taken_apart(states, mixed)
        with ledger.scope("decay"):
            rate = ops.elementwise(ledger, "multiply", steps[:, token], decay)  # (B, n_heads)
            # (B, n_heads, n_key, n_value)
            held = ops.elementwise(ledger, "multiply", held, ops.sigmoid(ledger, rate)[..., None, None])
        if taken is not None:
            with ledger.scope("recall"):  # (1, n_key) @ (n_key, n_value)
                had = ops.matmul(ledger, keys[..., None, :], held)[..., 0, :]  # (B, n_heads, n_value)
            with ledger.scope("take"):
                share = ops.sigmoid(ledger, taken[:, token])[..., None]  # (B, n_heads, 1)
                # (B, n_heads, n_value)
                values = ops.elementwise(ledger, "multiply", ops.elementwise(ledger, "subtract", values, had), share)
        with ledger.scope("write"):  # (n_key, 1) @ (1, n_value)
            new = ops.matmul(ledger, keys[..., None], values[..., None, :])  # (B, n_heads, n_key, n_value)
            held = ops.elementwise(ledger, "add", held, new)  # (B, n_heads, n_key, n_value)
        with ledger.scope("read"):  # (1, n_key) @ (n_key, n_value)
            out = ops.matmul(ledger, queries[..., None, :], held)[..., 0, :]  # (B, n_heads, n_value)
        if past:
            with ledger.scope("pass"):
                # (B, n_heads, n_value)
                out = ops.elementwise(ledger, "add", out, ops.elementwise(ledger, "multiply", values, past[0][:, None]))
        outputs[:, token] = out
    with ledger.scope("kept"):
        kept["inputs"].vectors.store(inputs)
        kept["states"].vectors.store(held)
    y = outputs  # (B, n, n_heads, n_value)
    if states.rule == "mamba":  # a norm over the heads of each group
        # (B, n, n_groups, each), (n_groups, each)
        y, norm = y.reshape(*x.shape[:2], states.n_groups, -1), norm.reshape(states.n_groups, -1)
    with ledger.scope("norm"):
        # (B, n, n_heads·n_value)
        y = ops.rms_norm(ledger, y, norm, layers.config.norm_epsilon).reshape(*x.shape[:2], -1)
    with ledger.scope("gating"):
        y = ops.elementwise(ledger, "multiply", y, ops.silu(ledger, gates))  # (B, n, n_heads·n_value)
    return layers.linear("out", at + "state_out", y)  # (B, n, d_model)


def _convolve(layers: Layers, at: str, kept: Kept, x: Array) -> Array:
    """(batch, n, d_model) -> (batch, n, d_model): a convolution over the kept inputs and the new ones, in two gates."""
    ledger, weights = layers.ledger, layers.weights
    # (B, n, width), (B, n, width), (B, n, width)
    before, after, values = np.split(layers.linear("in", f"{at}in", x), 3, axis=-1)
    with ledger.scope("vectors"):
        taps = weights[f"{at}taps.weight"].load()  # (kernel, width)
        bias = weights[f"{at}taps.bias"].load() if f"{at}taps.bias" in weights else None  # (width,)
    with ledger.scope("kept"):
        past = kept.vectors.load()  # (B, kernel - 1, width)
    with ledger.scope("gating"):
        entering = ops.elementwise(ledger, "multiply", before, values)  # (B, n, width)
    inputs = np.concatenate([past, entering], axis=1)  # (B, kernel - 1 + n, width)
    seen = np.lib.stride_tricks.sliding_window_view(inputs, taps.shape[0], axis=1)  # (B, n, width, kernel)
    with ledger.scope("convolution"):
        mixed = ops.total(ledger, ops.elementwise(ledger, "multiply", seen, taps.T))[..., 0]  # (B, n, width)
        if bias is not None:
            mixed = ops.elementwise(ledger, "add", mixed, bias)  # (B, n, width)
    with ledger.scope("kept"):
        kept.vectors.store(inputs[:, x.shape[1] :])
    with ledger.scope("gating"):
        mixed = ops.elementwise(ledger, "multiply", after, mixed)  # (B, n, width)
    return layers.linear("out", f"{at}out", mixed)  # (B, n, d_model)


def _taken_apart(states: States, mixed: Array) -> tuple[Array, Array, Array]:
    """(batch, channels) -> keys and queries of every head, (batch, n_heads, n_key), and values, (…, n_value)."""
    width, each = states.n_groups * states.n_key, states.n_heads // states.n_groups
    keys, queries, values = np.split(mixed, (width, 2 * width), axis=-1)  # (B, width), (B, width), (B, n_heads·n_value)
    shared = (
        np.repeat(one.reshape(mixed.shape[0], states.n_groups, states.n_key), each, axis=1) for one in (keys, queries)
    )
    # (B, n_heads, n_key), (B, n_heads, n_key), (B, n_heads, n_value)
    return (*shared, values.reshape(mixed.shape[0], states.n_heads, states.n_value))  # type: ignore[return-value]
