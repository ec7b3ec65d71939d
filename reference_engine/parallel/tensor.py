"""A decoder whose layers are shared out over devices

Each device is a decoder of its own, with some of the heads and a slice of every MLP: rows of the matrices that lead
into them, columns of those that lead out. What comes out of attention, of a state and of an MLP is a summand, and an
all-reduce adds the summands of all devices. Rows of the output matrix are shared out too, and the logits stay where
they are made. Norms, embedding and router are on every device, and so is what all heads need: latent vectors, indexes,
and what makes compressed runs.

Key/value heads are dealt out whole. Where there are more devices than such heads, several devices share the query heads
of one, and each of them keeps a copy of its keys and values. Heads with a state go by the groups that share keys, and
blocks that are a convolution by its channels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..attention.kind import Share
from ..config import Config
from ..formats import F64, Array, Format
from ..layers import Passing, Stop
from ..memory import Machine, OffChip
from ..model import Decoder
from ..slices import length, parts, places
from .ring import Link, Ring

_SUMMED: tuple[Stop, ...] = ("attended", "thought")
_OUT = ("output.bias", "down.bias", "state_out.bias")  # added to a sum, so by one device only


class TensorParallel:
    """A decoder shared out over several devices. `start`, `prefill` and `decode` are those of `Decoder`.

    Args:
        config: the whole decoder; without norms over all heads together.
        devices: how many share it; not more than query heads, or than the MLP is wide.
        numbers: the whole weights by the names of `Config.shapes`, to be cut up; zeros if left out.
        messages: how numbers travel between devices.
        link: from each device to the next.
        memory: bytes of each device's; None for no limit.
        route: sends each of so many tokens to experts, on all devices alike.

    Attributes:
        shares: of each device, the decoder that it runs.
        ring: the links between them.

    Raises:
        ValueError: if it cannot be shared out so.
        OutOfMemory: if a device cannot hold its weights.
    """

    def __init__(
        self,
        config: Config,
        devices: int,
        *,
        numbers: Mapping[str, Array] | None = None,
        messages: Format = F64,
        link: Link | None = None,
        memory: int | None = None,
        route: Callable[[int], Array] | None = None,
    ) -> None:
        widths = config.d_ff, config.d_expert, config.d_shared or config.d_ff, config.sharing_width
        if not (devices >= 1 and all(devices <= one for one in (config.n_heads, config.n_vocab, *widths))):
            widest = f"MLPs of width {', '.join(map(str, dict.fromkeys(widths)))}"
            raise ValueError(f"{devices} devices cannot share {config.n_heads} heads and {widest}")
        if config.joint_norms and devices > 1:
            raise ValueError("a norm over all heads together cannot be shared out")
        if any(config.sparse_gates) and devices > 1:
            raise ValueError("what is cut off of all gates together cannot be shared out")
        self.config = config
        self.devices = devices
        self.memory = memory
        self.route = route
        self.attention, self.pieces = self._dealt_out()
        self.shares = [self._share(device, numbers) for device in range(devices)]
        self.ring = Ring([share.ledger for share in self.shares], messages, link, devices)

    def _dealt_out(self) -> tuple[list[Share], list[slice]]:
        """Each device's part of attention, and of the pieces of what blocks have in its place."""
        config, devices = self.config, self.devices
        attention, pieces = config.attention.dealt(config, devices), [slice(0, 0)] * devices
        if config.states:
            number, words = config.states.pieces
            if devices > number:
                raise ValueError(f"{devices} devices cannot share {number} {words}")
            pieces = parts(number, devices)
        return attention, pieces

    def _share(self, device: int, numbers: Mapping[str, Array] | None) -> Decoder:
        """The decoder of one device: the same model with its heads and its slice of every MLP."""
        whole, states, attention = self.config, self.config.states, self.attention[device]
        config = replace(
            whole,
            tied=False,
            n_heads=length(attention.heads),
            **whole.attention.fields(whole, attention),
            d_ff=length(parts(whole.d_ff, self.devices)[device]),
            sharing_width=length(parts(whole.sharing_width, self.devices)[device]),
            d_expert=length(parts(whole.d_expert, self.devices)[device]),
            n_shared=min(1, whole.n_shared),  # together they are one MLP, and that is cut
            d_shared=length(parts(whole.d_shared, self.devices)[device]),
            states=states and states.share(length(self.pieces[device])),
        )
        machine, weights = Machine(capacity=self.memory), dict[str, OffChip]()
        for name, shape in config.shapes.items():
            with machine.ledger.scope(f"weights.{name}"):
                if numbers is None:
                    rows = length(parts(whole.n_vocab, self.devices)[device])
                    shape = (rows, *shape[1:]) if name in ("output", "output.bias") else shape
                    weights[name] = machine.reserve(shape, config.stored(name))
                else:
                    weights[name] = machine.allocate(self._cut(name, device, numbers), config.stored(name))
        return Decoder(config, machine=machine, weights=weights, route=self.route)

    def _cut(self, name: str, device: int, numbers: Mapping[str, Array]) -> Array:
        """The part of a weight that a device has: some of its rows, or of its columns, or all of it."""
        found = numbers["embedding" if name == "output" and self.config.tied else name]
        matrix = name.removesuffix(".bias").removesuffix(".weight")
        cut = self._places(matrix, device)
        if name.startswith("blocks.") and name.endswith(_OUT):
            return found if device == 0 else np.zeros_like(found)
        if name.endswith(".bias"):  # of what a matrix puts out; of a convolution, of its channels
            cut = cut[1:] if matrix.endswith("taps") else cut[:1]
        for axis, own in enumerate(cut):
            if own is not None:
                found = found.take(own, axis=axis)
        return found

    def _places(self, name: str, device: int) -> tuple[Any, ...]:
        """Indices of the rows and columns of a matrix that a device has; None, or left out, for all of them."""
        config, last = self.config, name.rpartition(".")[2]
        if not name.startswith("blocks."):
            return (places(parts(config.n_vocab, self.devices)[device]),) if name == "output" else ()
        if any(f".{whole}." in name for whole in ("looked", "learned", "streams")):
            return ()
        block = int(name.split(".")[1])
        if last in ("gate", "up", "down"):
            wide = config.mlp_width(block)
            wide = config.d_expert if ".experts." in name else config.d_shared if ".shared." in name else wide
            inner = places(parts(wide, self.devices)[device])
            return (None, inner) if last == "down" else (inner,)
        if last.startswith("state_"):
            assert config.states is not None, "a block has a state"
            return config.states.places(last, self.pieces[device])
        return config.attention.places(config, block, last, self.attention[device])

    def start(self, batch: int, capacity: int) -> None:
        """Make room for the caches of `batch` sequences of up to `capacity` tokens, on every device its own."""
        for share in self.shares:
            share.start(batch, capacity)

    @property
    def context(self) -> int:
        """Number of tokens of each sequence so far."""
        return self.shares[0].context

    @context.setter
    def context(self, tokens: int) -> None:
        for share in self.shares:
            share.context = tokens

    def prefill(self, tokens: Array, capacity: int | None = None, logits: int | None = None) -> list[Array]:
        """(batch, n) token numbers of new sequences -> of each device (batch, logits, its rows of the output matrix).

        The caches have room for `capacity` tokens, by default just the prompt; `logits` of its last positions get
        logits, by default all.
        """
        self.start(tokens.shape[0], capacity or tokens.shape[1])
        return self._forward(tokens, logits)  # (B, logits, rows) each

    def decode(self, tokens: Array) -> list[Array]:
        """(batch,) token numbers -> of each device (batch, its rows of the output matrix) logits."""
        return [logits[:, 0] for logits in self._forward(tokens[:, None])]  # (B, rows) each

    def extend(self, tokens: Array) -> list[Array]:
        """(batch, n) further tokens of the sequences -> of each device (batch, n, its rows) logits of each."""
        return self._forward(tokens)

    def _forward(self, tokens: Array, logits: int | None = None) -> list[Array]:
        """(batch, n) new tokens of each sequence -> of each device (batch, logits, its rows of the output matrix)."""
        return self._meeting([share.passing(tokens, logits) for share in self.shares])  # (B, logits, rows) each

    def _meeting(self, passes: Sequence[Passing]) -> list[Array]:
        """Run the passes of all devices, which meet wherever these stop, and return their logits."""
        stops = [next(one) for one in passes]
        while (at := stops[0][0]) != "logits":
            met = self._met(at, [x for _, x in stops])  # (B, n, d_model) each
            stops = [one.send(x) for one, x in zip(passes, met, strict=True)]
        return [logits for _, logits in stops]

    def _met(self, at: Stop, arrays: list[Array]) -> list[Array]:
        """Arrays with which the devices go on after a stop: the sum of all where they hold summands, else their own."""
        return self.ring.all_reduce(arrays) if at in _SUMMED else arrays  # (B, n, d_model) each
