"""A decoder whose attention is data parallel: each device attends for its own sequences, and the MLPs are shared out

Every device has all of attention, and the whole cache of its sequences. Before an MLP each gets the vectors of all
sequences; after it, the sums of its own. So no keys, values or latent vectors are kept twice, but every device reads
the weights of all heads.
"""

from __future__ import annotations

from ..attention.kind import Share
from ..formats import Array
from ..layers import Stop
from ..slices import length, parts
from .tensor import TensorParallel


class DataParallelAttention(TensorParallel):
    """A decoder with data-parallel attention on several devices. Arguments and results are `TensorParallel`'s."""

    def _dealt_out(self) -> tuple[list[Share], list[slice]]:
        config = self.config
        if config.beside or any(config.routing.is_hashed(i) for i in range(config.n_blocks)):
            raise ValueError("experts that see more than what an MLP gets cannot be shared by sequences")
        if config.states:
            raise ValueError("states are not dealt out by sequences here")
        return config.attention.dealt(config, 1) * self.devices, [slice(0, 0)] * self.devices

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

    def _forward(self, tokens: Array, logits: int | None = None) -> list[Array]:
        """(batch, n) new tokens of each sequence -> of each device (batch, logits, its rows of the output matrix)."""
        shares = zip(self.shares, self._rows, strict=True)
        return self._meeting([share.passing(tokens[own], logits) for share, own in shares])  # (own, logits, rows) each

    def _met(self, at: Stop, arrays: list[Array]) -> list[Array]:
        if at == "thought":
            return self.ring.reduce_scatter(arrays, self._rows)
        return arrays if at == "attended" else self.ring.all_gather(arrays)
