"""The bytes of a GGUF file

The numbers of types and formats come from the gguf package. Its reader is not used: it makes an object of every entry
of a vocabulary (eight seconds for a million), and a damaged file keeps it busy until memory is full. This one passes
over arrays, which no decoder needs, and never looks beyond the end of the file.
"""

from __future__ import annotations

import struct
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ..formats import NAMED, Array
from .tensors import ModelFileError, Tensor, regular

MOST_STRINGS = 2**23  # in all arrays together; the largest vocabularies have a million
_LAYOUTS = {
    "UINT8": "B", "INT8": "b", "UINT16": "H", "INT16": "h", "UINT32": "I", "INT32": "i", "UINT64": "Q", "INT64": "q",
    "FLOAT32": "f", "FLOAT64": "d", "BOOL": "?",
}  # fmt: skip


def read_gguf(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Values of the header by name, and the tensors by name, mapped into memory.

    An array in the header is [None] if it has entries, else [].
    """
    try:
        import gguf
    except ModuleNotFoundError:
        raise ImportError("to read GGUF files, install the package gguf") from None
    regular(path)
    try:
        return _Reader(np.asarray(np.memmap(path, np.uint8, mode="r")), gguf).read()
    except ValueError as error:
        raise ModelFileError(f"{path.name} is not a valid GGUF file: {error}") from None


class _Reader:
    """A walk over the file from its first byte. Every step is checked against the size of the file."""

    def __init__(self, data: Array, gguf: Any) -> None:
        self._data = data
        self._place = self._strings = 0
        self._value_types = {kind.value: kind.name for kind in gguf.GGUFValueType}
        self._formats = {kind.value: kind.name for kind in gguf.GGMLQuantizationType}

    def read(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """Values of the header by name, and the tensors by name."""
        if self._data[:4].tobytes() != b"GGUF":
            raise ModelFileError("it does not begin like one")
        self._skip(4)
        version, n_tensors, n_values = self._take("I"), self._take("Q"), self._take("Q")
        if version not in (2, 3):
            raise ModelFileError(f"its version is {version}, and only 2 and 3 are supported")
        values: dict[str, Any] = {}
        for _ in range(n_values):
            name = self._string()
            if name in values:
                raise ModelFileError(f"it has two values {name!r:.80}")
            values[name] = self._value(self._take("I"))
        entries: dict[str, tuple[tuple[int, ...], str, int]] = {}
        for _ in range(n_tensors):
            name = self._string()
            # there is no telling which of the two is meant
            if name in entries:
                raise ModelFileError(f"it has two tensors {name!r:.80}")
            entries[name] = self._entry(name)
        alignment = values.get("general.alignment", 32)
        # not isinstance: True is an int, and a header can hold one
        if type(alignment) is not int or not 0 < alignment <= 2**20:
            raise ModelFileError(f"its alignment is {alignment!r:.40}")
        # rounded up: // rounds the negative one down
        start = -(-self._place // alignment) * alignment
        tensors = {name: self._tensor(name, start, *entry) for name, entry in entries.items()}
        _refuse_shared({name: (entry[-1], tensors[name].packed.nbytes) for name, entry in entries.items()})
        return values, tensors

    def _skip(self, n_bytes: int) -> None:
        # before anything is allocated: a damaged length can claim any size
        if n_bytes > len(self._data) - self._place:
            raise ModelFileError(f"it ends after {len(self._data)} bytes, in the middle of its header")
        self._place += n_bytes

    def _take(self, layout: str) -> Any:
        place = self._place
        self._skip(struct.calcsize(layout))
        return struct.unpack_from(f"<{layout}", self._data.data, place)[0]

    def _string(self) -> str:
        size = self._take("Q")
        self._skip(size)
        return self._data[self._place - size : self._place].tobytes().decode(errors="replace")

    def _value(self, kind: int) -> Any:
        name = self._value_types.get(kind)
        if name == "STRING":
            return self._string()
        if name != "ARRAY":
            return self._take(self._layout(kind))
        entry, count = self._take("I"), self._take("Q")
        if self._value_types.get(entry) != "STRING":
            self._skip(count * struct.calcsize(self._layout(entry)))
        else:
            self._strings += count
            if self._strings > MOST_STRINGS:
                raise ModelFileError(f"it has an array of {count} texts")
            for _ in range(count):
                self._skip(self._take("Q"))
        return [None] * min(count, 1)  # passed over, but seen by whoever asks whether it is empty

    def _layout(self, kind: int) -> str:
        layout = _LAYOUTS.get(self._value_types.get(kind, ""))
        if layout is None:
            raise ModelFileError(f"it has a value of the unknown type {kind}")
        return layout

    def _entry(self, name: str) -> tuple[tuple[int, ...], str, int]:
        """Shape, format and place of a tensor; the file gives the last axis first."""
        n_axes = self._take("I")
        if n_axes > 4:
            raise ModelFileError(f"the tensor {name!r:.80} has {n_axes} axes")
        shape = tuple(self._take("Q") for _ in range(n_axes))[::-1]
        return shape, self._formats.get(self._take("I"), "an unknown format"), self._take("Q")

    def _tensor(self, name: str, start: int, shape: tuple[int, ...], kind: str, offset: int) -> Tensor:
        format = NAMED.get(kind)
        if format is None:
            raise ModelFileError(f"the tensor {name!r:.80} holds {kind}, which the engine does not read")
        if not shape or shape[-1] % format.block:
            raise ModelFileError(f"the tensor {name!r:.80} has rows that are not whole blocks of {format.block}")
        n_bytes, first = prod(shape) // format.block * format.dtype.itemsize, start + offset
        if first + n_bytes > len(self._data):
            raise ModelFileError(f"the tensor {name!r:.80} reaches beyond the end of the file")
        packed = self._data[first : first + n_bytes].view(format.dtype)
        return Tensor(packed.reshape(*shape[:-1], shape[-1] // format.block), format)


def _refuse_shared(places: dict[str, tuple[int, int]]) -> None:
    """Refuse bytes that two tensors claim: at most one of the two has its own numbers there."""
    taken = sorted((first, first + n_bytes, name) for name, (first, n_bytes) in places.items() if n_bytes)
    for (_, last, name), (first, _, other) in pairwise(taken):
        if first < last:
            raise ModelFileError(f"the tensors {name!r:.80} and {other!r:.80} share bytes")
