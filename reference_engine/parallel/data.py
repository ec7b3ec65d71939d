"""A decoder whose attention is data parallel: each device attends for its own sequences, and the MLPs are shared out

Every device has all of attention, and the whole cache of its sequences. Before an MLP each gets the vectors of all
sequences; after it, the sums of its own. So no keys, values or latent vectors are kept twice, but every device reads
the weights of all heads.
"""

from __future__ import annotations

from .. import self_attention
from ..formats import Array
from .ring import parts
from .tensor import TensorParallel, length


class DataParallelAttention(TensorParallel):
    """One decoder on several devices. What it takes is what `TensorParallel` takes, and it gives the same."""

    def _dealt_out(self) -> tuple[list[slice], list[slice]]:
        config = self.config
        return [slice(0, config.n_heads)] * self.devices, [slice(0, config.n_kv_heads)] * self.devices

    def start(self, batch: int, capacity: int) -> None:
        """Make room for the caches of `batch` sequences of up to `capacity` tokens, each on one device.

        Raises:
            ValueError: if there are fewer sequences than devices.
        """
        if batch < self.devices:
            raise ValueError(f"{self.devices} devices cannot share {batch} sequences")
        self._rows = parts(batch, self.devices)
        for share, own in zip(self.shares, self._rows, strict=True):
            share.start(length(own), capacity)

    def _forward(self, tokens: Array) -> list[Array]:
        """(batch, n) -> of each device (batch, n, its rows of the output matrix): n new tokens of each sequence."""
        start, config = self.context, self.config
        attention = self_attention.latent if config.kv_rank else self_attention.grouped
        streams = [
            self._embedded(share, tokens[own], start) for share, own in zip(self.shares, self._rows, strict=True)
        ]
        for i in range(config.n_blocks):
            with self._scope(f"blocks.{i}"):
                normed = [d._layers.norm("norm_1", f"blocks.{i}.norm_1", x) for d, x in self._with(streams)]
                with self._scope("attention"):
                    mixed = [attention(d._layers, i, d.caches[i], x, start) for d, x in self._with(normed)]
                streams = self._added("residual_1", "post_norm_1", i, streams, mixed)
                if not config.parallel:
                    normed = [d._layers.norm("norm_2", f"blocks.{i}.norm_2", x) for d, x in self._with(streams)]
                with self._scope("mlp"):
                    thought = self._thought(i, self.ring.all_gather(normed))
                    thought = self.ring.reduce_scatter(thought, self._rows)
                streams = self._added("residual_2", "post_norm_2", i, streams, thought)
        self.context = start + tokens.shape[1]
        return [self._logits(share, x) for share, x in self._with(self.ring.all_gather(streams))]
