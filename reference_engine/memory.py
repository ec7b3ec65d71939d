"""Off-chip and on-chip memory

Numbers live off-chip, packed in some format; arithmetic happens on-chip, on ordinary arrays. `load` and `store` are
the only way across, and they count the bytes of what crosses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from .compiled import laid_out
from .formats import Array, Format
from .ledger import Ledger

BESIDE = "host"  # the last name of a path at which a second memory holds or loads something


class OutOfMemory(MemoryError):
    """An allocation does not fit into the machine's off-chip memory; nothing was allocated."""


class Machine:
    """A machine: one off-chip memory, one chip and the ledger of what passes between them.

    Args:
        capacity: bytes of off-chip memory; None for no limit.
        to_chip: what becomes of loaded numbers, floats of `dtype` by default. The witness makes them count themselves.
        dtype: "float32" or "float64", the width of the floats that the chip computes with.
        eight_bits: whether vectors are rounded to codes of eight bits before they meet a matrix in codes, as llama.cpp
            does; only where machine code multiplies them, and by 32-bit floats.
    """

    def __init__(
        self,
        capacity: int | None = None,
        to_chip: Callable[[Array], Array] | None = None,
        dtype: str = "float64",
        *,
        eight_bits: bool = False,
    ) -> None:
        if dtype not in ("float32", "float64"):
            raise ValueError(f"the chip computes with float32 or float64, not {dtype!r}")
        self.ledger = Ledger()
        self._held = 0  # summed up as it comes: what fills a memory would go through the whole ledger for each array
        self.capacity = capacity
        self.dtype = dtype
        self.eight_bits = eight_bits
        floats = np.dtype(dtype)
        self.takes_floats = to_chip is None
        # in 64 bits a product would show that scaled numbers are rounded to 32, and sums of blocks are not
        self.multiplies_packed = self.takes_floats and dtype == "float32"
        self.to_chip = to_chip or (lambda numbers: numbers.astype(floats, copy=False))

    def allocate(self, numbers: Array, format: Format) -> OffChip:
        """Pack numbers and place them off-chip."""
        return self.place(format.pack(numbers), format)

    def place(self, packed: Array, format: Format) -> OffChip:
        """Keep packed numbers off-chip, held from now on under the open path; `OutOfMemory` if they don't fit."""
        self.occupy(packed.nbytes)
        return OffChip(self, format, packed=packed)

    def occupy(self, nbytes: int) -> None:
        """Hold bytes under the open path, whatever for; `OutOfMemory` if they don't fit."""
        if self.capacity is not None and (held := self.held) + nbytes > self.capacity:
            raise OutOfMemory(f"{nbytes} bytes more do not fit: {held} of {self.capacity} are held")
        self._held += _here(nbytes)
        self.ledger.hold(nbytes)

    def vacate(self, path: str, nbytes: int) -> None:
        """Hold bytes no longer that were held under a path."""
        self._held -= _here(nbytes)
        self.ledger.held[path] -= nbytes

    @property
    def held(self) -> int:
        """Bytes that are held in this memory."""
        return self._held

    def reserve(self, shape: tuple[int, ...], format: Format) -> OffChip:
        """Reserve off-chip room for numbers that will be stored later; `OutOfMemory` if it doesn't fit."""
        self.occupy(format.room(shape))
        return OffChip(self, format, shape=shape)


class SecondMemory(Machine):
    """A second memory of a machine, with a limit of its own, and a chip beside it that computes with what lies there.

    Both have one ledger. What is held here has `host` as the last name of its path, and so has what is done here.

    Args:
        machine: the machine whose second memory it is.
        capacity: bytes that it holds; None for no limit.
    """

    def __init__(self, machine: Machine, capacity: int | None = None) -> None:
        to_chip = None if machine.takes_floats else machine.to_chip
        super().__init__(capacity, to_chip, machine.dtype, eight_bits=machine.eight_bits)
        self.ledger = machine.ledger

    def place(self, packed: Array, format: Format) -> OffChip:
        """Keep packed numbers here, as in the first memory."""
        with self.ledger.scope(BESIDE):
            return super().place(packed, format)

    def reserve(self, shape: tuple[int, ...], format: Format) -> OffChip:
        """Reserve room here, as in the first memory."""
        with self.ledger.scope(BESIDE):
            return super().reserve(shape, format)

    @property
    def held(self) -> int:
        """Bytes that are held in this memory, by whatever object stands for it."""
        return sum(nbytes for path, nbytes in self.ledger.held.items() if path.endswith(f".{BESIDE}"))


def _here(nbytes: Any) -> Any:
    """So many bytes as a number of this place, since no one asks for the polynomial of a sum of all that is held."""
    return int(nbytes) if isinstance(nbytes, int) else nbytes


class OffChip:
    """Packed numbers in off-chip memory. Indices address all axes but the last.

    They are given, or there is room of a shape for numbers that will be stored: zeros, made only when they are needed.
    """

    def __init__(
        self, machine: Machine, format: Format, *, packed: Array | None = None, shape: tuple[int, ...] = ()
    ) -> None:
        self._machine = machine
        self._made, self._shape = packed, shape
        # released under the path it was held by, whatever is open then
        self._path = machine.ledger.path
        self.format = format

    @property
    def _packed(self) -> Array:
        if self._made is None:
            self._made = self.format.blank(self._shape)
        return self._made

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the numbers it holds."""
        return self._shape if self._made is None else self.format.shape(self._made)

    @property
    def nbytes(self) -> int:
        """Bytes it occupies."""
        return self.format.room(self._shape) if self._made is None else self._made.nbytes

    @property
    def is_beside(self) -> bool:
        """Whether it lies in a second memory."""
        return isinstance(self._machine, SecondMemory)

    @property
    def is_read_in_place(self) -> bool:
        """Whether a load copies nothing: these are floats of the chip's own width."""
        return self._machine.takes_floats and self.format.dtype == self._machine.dtype

    @cached_property
    def in_codes(self) -> Array:
        """Numbers as products in eight bits read them: weights, which nobody stores anew; uncounted."""
        return laid_out(self._packed, self.format)

    def holds(self, packed: Array) -> bool:
        """Whether these are the numbers it holds, bit by bit; nothing is counted."""
        # bytes and not values: a format may have two zeros, and not a number is unequal to itself
        same_kind = packed.dtype == self._packed.dtype and packed.shape == self._packed.shape
        pairs = zip(packed, self._packed, strict=True) if same_kind else ()
        return same_kind and all(a.tobytes() == b.tobytes() for a, b in pairs)

    def load(self, index: Any = ()) -> Array:
        """Bring the numbers at `index` onto the chip, where they are read-only.

        Floats of the chip's own width are not copied: copy them to keep them beyond the next `store`.
        """
        return self._machine.to_chip(self.format.unpack(self.load_packed(index)))

    def load_packed(self, index: Any = ()) -> Array:
        """Bring the records at `index` onto the chip as they are stored, for a product that unpacks them."""
        taken: Array = self._packed[index]  # (..., blocks)
        taken.setflags(write=False)  # of this view only: what lies off-chip is changed by a store
        self._machine.ledger.record("load", loaded=taken.nbytes)
        return taken

    def store(self, numbers: Array, index: Any = ()) -> None:
        """Put numbers from the chip at `index`."""
        packed = self.format.pack(numbers.astype(np.float64) if numbers.dtype.hasobject else numbers)  # (..., blocks)
        self._packed[index] = packed
        self._machine.ledger.record("store", stored=packed.nbytes)

    def take_over(self, smaller: OffChip) -> None:
        """Begin with the numbers of a smaller room, which is given back; nothing crosses to the chip."""
        if smaller._made is not None:  # else none were stored there
            self._packed[tuple(map(slice, smaller._made.shape))] = smaller._made
        smaller.release()

    def send_to(self, other: OffChip, index: Any = ()) -> None:
        """Send what is at `index`, bit by bit, to the same place in another machine's memory; no chip sees it."""
        packed = self._packed[index]  # (..., blocks)
        other._packed[index] = packed
        self._machine.ledger.record("send", sent=packed.nbytes)

    def release(self) -> None:
        """Give the memory back: it is no longer held."""
        self._machine.vacate(self._path, self.nbytes)
        # so that a later load finds nothing, rather than memory that nobody holds
        self._made = self._packed[:0] if self._made is not None else None
        self._shape = (0, *self._shape[1:])


def load(weights: Mapping[str, OffChip], machine: Machine) -> dict[str, OffChip]:
    """Load weights from where they are stored into a machine's memory, by their names: all of them, bit by bit.

    The storage enters what it sends; `OutOfMemory` if the weights do not fit, and those before stay held.
    """
    return {name: _sent(name, stored, machine) for name, stored in weights.items()}


def move(weights: dict[str, OffChip], name: str, memory: Machine) -> None:
    """Move one of some weights into another memory, bit by bit; `OutOfMemory` if it has no room, and nothing moves."""
    moved, weights[name] = weights[name], _sent(name, weights[name], memory)
    moved.release()


def _sent(name: str, stored: OffChip, memory: Machine) -> OffChip:
    """A copy of a weight in another memory."""
    with memory.ledger.scope(f"weights.{name}"):
        room = memory.reserve(stored.shape, stored.format)
        stored.send_to(room)
    return room
