"""A decoder whose layers are shared out over devices

Each device has some of the heads and a slice of every MLP: rows of the matrices that lead into them, columns of those
that lead out. What comes out of attention and of the MLP is a summand, and an all-reduce adds the summands of all
devices. Rows of the output matrix are shared out too, and the logits stay where they are made. Norms, embedding and
router are on every device.

Key/value heads are dealt out whole. Where there are more devices than such heads, several devices share the query
heads of one, and each of them keeps a copy of its keys and values. A latent vector is needed by all heads, so every
device keeps it whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import numpy as np

from .. import ops, self_attention
from ..config import Config
from ..formats import F64, Array, Format
from ..memory import Machine, OffChip
from ..model import Decoder
from .ring import Link, Ring, parts


class TensorParallel:
    """One decoder on several devices. `start`, `prefill` and `decode` are those of `Decoder`.

    Args:
        config: the whole decoder; without biases.
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
        width = min(config.d_ff, config.d_expert, config.d_shared or config.d_ff)
        if not 1 <= devices <= min(config.n_heads, width, config.n_vocab):
            raise ValueError(f"{devices} devices cannot share {config.n_heads} heads and an MLP of width {width}")
        if config.biases or config.output_bias:
            raise ValueError("biases cannot be shared out: an all-reduce would add one for each device")
        if not config.alike or config.keys_as_values or config.beside:
            raise ValueError("heads of two kinds, and MLPs beside experts, are not shared out here")
        if config.index is not None:
            raise ValueError("an index that picks tokens is not shared out")
        if config.compression is not None or config.streams is not None:
            raise ValueError("compressed runs of tokens and several residual streams are not shared out")
        self.config = config
        self.devices = devices
        self.memory = memory
        self.route = route
        self.heads, self.kv_heads = self._dealt_out()
        self.shares = [self._share(device, numbers) for device in range(devices)]
        self.ring = Ring([share.ledger for share in self.shares], messages, link)

    def _dealt_out(self) -> tuple[list[slice], list[slice]]:
        """Of each device the query heads, and the key/value heads, that it has."""
        return shared_heads(self.config, self.devices)

    def _share(self, device: int, numbers: Mapping[str, Array] | None) -> Decoder:
        """The decoder of one device: the same model with its heads and its slice of every MLP."""
        whole = self.config
        config = replace(
            whole,
            tied=False,
            n_heads=length(self.heads[device]),
            n_kv_heads=length(self.heads[device] if whole.kv_rank else self.kv_heads[device]),
            d_ff=length(parts(whole.d_ff, self.devices)[device]),
            d_expert=length(parts(whole.d_expert, self.devices)[device]),
            d_shared=length(parts(whole.d_shared, self.devices)[device]),
        )
        machine, weights = Machine(capacity=self.memory), dict[str, OffChip]()
        for name, shape in config.shapes.items():
            cut = self._cut(name, device)
            rows = (length(cut[0]), *shape[1:]) if name == "output" else shape
            with machine.ledger.scope(f"weights.{name}"):
                if numbers is None:
                    weights[name] = machine.reserve(rows, config.stored(name))
                else:
                    source = "embedding" if name == "output" and whole.tied else name
                    weights[name] = machine.allocate(numbers[source][cut], config.stored(name))
        return Decoder(config, machine=machine, weights=weights, route=self.route)

    def _cut(self, name: str, device: int) -> tuple[slice, ...]:
        """Which rows, or which columns, of a weight a device has; () for all of it."""
        config, last = self.config, name.rpartition(".")[2]
        if not name.startswith("blocks."):
            return (parts(config.n_vocab, self.devices)[device],) if name == "output" else ()
        every = slice(None)
        if last in ("gate", "up", "down"):
            wide = config.d_expert if ".experts." in name else config.d_shared if ".shared." in name else config.d_ff
            inner = parts(wide, self.devices)[device]
            return (every, inner) if last == "down" else (inner,)
        heads = self.heads[device]
        return {
            "query": (_times(heads, config.d_head + config.d_rope),),
            "key": (_times(self.kv_heads[device], config.d_head),),
            "value": (_times(self.kv_heads[device], config.d_head),),
            "key_up": (heads,),
            "value_up": (heads,),
            "output": (every, _times(heads, config.d_value)),
        }.get(last, ())

    def start(self, batch: int, capacity: int) -> None:
        """Make room for the caches of `batch` sequences of up to `capacity` tokens, on every device its own."""
        for share in self.shares:
            share.start(batch, capacity)

    @property
    def context(self) -> int:
        """Tokens there have been of each sequence."""
        return self.shares[0].context

    @context.setter
    def context(self, tokens: int) -> None:
        for share in self.shares:
            share.context = tokens

    def prefill(self, tokens: Array, capacity: int | None = None) -> list[Array]:
        """(batch, n) token numbers of new sequences -> of each device (batch, n, its rows of the output matrix).

        The caches have room for `capacity` tokens, by default just the prompt.
        """
        self.start(len(tokens), capacity or tokens.shape[1])
        return self._forward(tokens)

    def decode(self, tokens: Array) -> list[Array]:
        """(batch,) token numbers -> of each device (batch, its rows of the output matrix) logits."""
        return [logits[:, 0] for logits in self._forward(tokens[:, None])]

    def _forward(self, tokens: Array) -> list[Array]:
        """(batch, n) -> of each device (batch, n, its rows of the output matrix): n new tokens of each sequence."""
        start, parallel = self.context, self.config.parallel
        attention = self_attention.latent if self.config.kv_rank else self_attention.grouped
        streams = [self._embedded(share, tokens, start) for share in self.shares]
        for i in range(self.config.n_blocks):
            with self._scope(f"blocks.{i}"):
                normed = [d._layers.norm("norm_1", f"blocks.{i}.norm_1", x) for d, x in self._with(streams)]
                with self._scope("attention"):
                    mixed = [attention(d._layers, i, d.caches[i], x, start) for d, x in self._with(normed)]
                    mixed = self.ring.all_reduce(mixed)
                streams = self._added("residual_1", "post_norm_1", i, streams, mixed)
                if not parallel:
                    normed = [d._layers.norm("norm_2", f"blocks.{i}.norm_2", x) for d, x in self._with(streams)]
                with self._scope("mlp"):
                    thought = self._thought(i, normed)
                    thought = self.ring.all_reduce(thought)
                streams = self._added("residual_2", "post_norm_2", i, streams, thought)
        self.context = start + tokens.shape[1]
        return [self._logits(share, x) for share, x in self._with(streams)]

    def _thought(self, i: int, normed: list[Array]) -> list[Array]:
        """Of each device (batch, n, d_model), its summand of what the MLP of block i makes."""
        routed = self.config.has_experts(i)
        layers = ((share._layers, x) for share, x in self._with(normed))
        return [(one.experts if routed else one.mlp)(f"blocks.{i}", x) for one, x in layers]

    def _with(self, arrays: list[Array]) -> list[tuple[Decoder, Array]]:
        return list(zip(self.shares, arrays, strict=True))

    @contextmanager
    def _scope(self, name: str) -> Iterator[None]:
        """A path that is open on every device."""
        with ExitStack() as open_paths:
            for share in self.shares:
                open_paths.enter_context(share.ledger.scope(name))
            yield

    def _embedded(self, share: Decoder, tokens: Array, start: int) -> Array:
        """(batch, n) -> (batch, n, d_model), the same on every device."""
        with share.ledger.scope("embedding"):
            x = share.weights["embedding"].load(tokens)
        if self.config.projects:
            x = share._layers.linear("project_in", "project_in", x)
        if self.config.positions == "learned":
            with share.ledger.scope("positions"):
                places = share.weights["positions"].load(slice(start, start + tokens.shape[1]))
                x = ops.elementwise(share.ledger, "add", x, places)
        return x

    def _added(self, scope: str, norm: str, i: int, streams: list[Array], sums: list[Array]) -> list[Array]:
        found = []
        for (share, x), y in zip(self._with(streams), sums, strict=True):
            if self.config.post_norm:
                y = share._layers.norm(norm, f"blocks.{i}.{norm}", y)
            with share.ledger.scope(scope):
                found.append(ops.elementwise(share.ledger, "add", x, y))
        return found

    def _logits(self, share: Decoder, x: Array) -> Array:
        x = share._layers.norm("norm", "norm", x)
        if self.config.projects:
            x = share._layers.linear("project_out", "project_out", x)
        return share._layers.linear("output", "output", x)


def shared_heads(config: Config, devices: int) -> tuple[list[slice], list[slice]]:
    """Of each device the query heads that it has, and the key/value heads that these attend with."""
    n_kv, group = config.n_kv_heads, config.n_heads // config.n_kv_heads
    if config.kv_rank:
        heads = parts(config.n_heads, devices)
        return heads, heads
    if devices <= n_kv:
        kv_heads = parts(n_kv, devices)
        return [_times(one, group) for one in kv_heads], kv_heads
    heads, kv_heads = [], []
    for head, sharing in enumerate(parts(devices, n_kv)):  # the devices that share the query heads of one
        for own in parts(group, length(sharing)):
            if not length(own):
                raise ValueError(f"{devices} devices cannot share {n_kv} groups of {group} heads")
            heads.append(slice(head * group + own.start, head * group + own.stop))
            kv_heads.append(slice(head, head + 1))
    return heads, kv_heads


def length(part: slice) -> int:
    """How many are in it."""
    length: int = part.stop - part.start
    return length


def _times(part: slice, width: int) -> slice:
    return slice(part.start * width, part.stop * width)


def whole_numbers(config: Config, seed: int = 0) -> dict[str, Array]:
    """Weights drawn as a `Decoder` draws them, as numbers, to be cut up."""
    random, found = np.random.default_rng(seed), dict[str, Array]()
    for name, shape in config.shapes.items():
        numbers = random.standard_normal(shape, np.float32) / np.float32(shape[-1]) ** 0.5
        found[name] = numbers + 1 if "norm" in name and name.endswith("weight") else numbers
    return found
