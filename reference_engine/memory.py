"""Off-chip and on-chip memory

Numbers live off-chip, packed in some format; arithmetic happens on-chip, on ordinary arrays. `load` and `store` are
the only way across, and they count the bytes of what crosses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .ledger import Ledger
from .quantize import Array, Format


class OutOfMemory(MemoryError):
    """An allocation does not fit into the machine's off-chip memory; nothing was allocated."""


class Machine:
    """One off-chip memory, one chip and the ledger of what passes between them.

    Args:
        capacity: bytes of off-chip memory; None for no limit.
        to_chip: what becomes of loaded numbers, floats of `dtype` by default. The witness makes them count themselves.
        dtype: "float32" or "float64", the width of the floats that the chip computes with.
    """

    def __init__(
        self, capacity: int | None = None, to_chip: Callable[[Array], Array] | None = None, dtype: str = "float64"
    ) -> None:
        if dtype not in ("float32", "float64"):
            raise ValueError(f"the chip computes with float32 or float64, not {dtype!r}")
        self.ledger = Ledger()
        self.capacity = capacity
        self.dtype = dtype
        self.to_chip = to_chip or (lambda numbers: numbers.astype(dtype))

    def allocate(self, numbers: Array, format: Format) -> OffChip:
        """Pack numbers and place them off-chip."""
        return self.place(format.pack(numbers), format)

    def place(self, parts: tuple[Array, ...], format: Format) -> OffChip:
        """Keep packed numbers off-chip, held from now on under the open path; `OutOfMemory` if they don't fit."""
        nbytes = sum(part.nbytes for part in parts)
        if self.capacity is not None and self.ledger.footprint() + nbytes > self.capacity:
            raise OutOfMemory(f"{nbytes} bytes more do not fit: {self.ledger.footprint()} of {self.capacity} are held")
        self.ledger.hold(nbytes)
        return OffChip(self, parts, format)

    def reserve(self, shape: tuple[int, ...], format: Format) -> OffChip:
        """Room for numbers that will be stored later."""
        return self.allocate(np.zeros(shape, np.float32), format)


class OffChip:
    """Packed numbers in off-chip memory. Indices address all axes but the last."""

    def __init__(self, machine: Machine, parts: tuple[Array, ...], format: Format) -> None:
        self._machine = machine
        self._parts = parts
        self._path = machine.ledger.path
        self.format = format

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the numbers it holds."""
        return self.format.shape(self._parts)

    @property
    def nbytes(self) -> int:
        """Bytes it occupies."""
        return sum(part.nbytes for part in self._parts)

    def load(self, index: Any = ()) -> Array:
        """Bring the numbers at `index` onto the chip."""
        taken = tuple(part[index] for part in self._parts)
        self._machine.ledger.record("load", loaded=sum(part.nbytes for part in taken))
        return self._machine.to_chip(self.format.unpack(taken))

    def store(self, numbers: Array, index: Any = ()) -> None:
        """Put numbers from the chip at `index`."""
        packed = self.format.pack(np.asarray(numbers, dtype=np.float64))
        for part, new in zip(self._parts, packed, strict=True):
            part[index] = new
        self._machine.ledger.record("store", stored=sum(part.nbytes for part in packed))

    def take_over(self, smaller: OffChip) -> None:
        """Begin with the numbers of a smaller room, which is given back; nothing crosses to the chip."""
        for part, old in zip(self._parts, smaller._parts, strict=True):
            part[tuple(map(slice, old.shape))] = old
        smaller.release()

    def release(self) -> None:
        """Give the memory back: it is no longer held."""
        self._machine.ledger.held[self._path] -= self.nbytes
        self._parts = tuple(part[:0] for part in self._parts)
