"""The header of a GGUF file: its metadata and its table of tensors, and none of its weights

The numbers of types and the sizes of blocks come from the gguf package. Its reader is not used: a damaged file keeps it
busy until memory is full. This one asks for bytes in their order, so that a file may lie on another machine; it passes
over texts in arrays, which no shape depends on, and bounds whatever a file can claim.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

from ..errors import InvalidModel, MissingDependency, shown

_LARGEST = 2**28  # bytes of a header; one with a vocabulary of a million words has some 40 million
_MOST_TEXTS = 2**22  # in all arrays together
_MOST_KEPT = 2**12  # numbers of an array that are kept: those of blocks; a vocabulary has more
_MOST_TENSORS, _MOST_VALUES = 2**17, 2**14
_LONGEST_NAME, _LONGEST_TEXT = 2**10, 2**20
_LAYOUTS = {
    "UINT8": "B", "INT8": "b", "UINT16": "H", "INT16": "h", "UINT32": "I", "INT32": "i", "UINT64": "Q", "INT64": "q",
    "FLOAT32": "f", "FLOAT64": "d", "BOOL": "?",
}  # fmt: skip


@dataclass(frozen=True)
class Header:
    """The header of a file: its metadata and the shapes of its tensors.

    Attributes:
        where: how sentences call the file.
        values: its metadata by name; an array of texts, or a long one, is empty.
        tensors: shape, format and bytes of each tensor by name; rows first.
        size: bytes that the file has to have, up to the end of its last tensor.
    """

    where: str
    values: dict[str, Any]
    tensors: dict[str, tuple[tuple[int, ...], str, int]]
    size: int

    def wrong(self, sentence: str) -> InvalidModel:
        """The error that says what is wrong with this file."""
        return InvalidModel(f"{self.where}: {sentence}.")

    def whole(self, name: str, default: int | None = None) -> int | None:
        """Whole number of the metadata, or of its entries where all are one; the default where there is none."""
        value = self.values.get(name, default)
        if isinstance(value, list) and value and len({*value}) == 1:
            value = value[0]
        if value is not None and (type(value) is not int or not 0 <= value < 2**48):
            raise self.wrong(f"{shown(name)} must be a whole number, not {shown(value)}")
        return value

    def entries(self, name: str, n: int) -> list[Any]:
        """Values of the metadata for each of n blocks: as listed, or one for all; empty where there is none."""
        value = self.values.get(name, [])
        found = value if isinstance(value, list) else [value] * n
        if found and len(found) < n:
            raise self.wrong(f"{shown(name)} must have an entry for each of {n} blocks, not {len(found)}")
        return found[:n]


def read_header(read: Callable[[int], bytes], where: str) -> Header:
    """The header of a file, whose bytes `read` gives in their order; fewer than asked for where the file ends."""
    try:
        import gguf
    except ModuleNotFoundError:
        raise MissingDependency("to read GGUF files, install them with pip install 'symbolic-llm[models]'.") from None
    return _Walk(read, where, gguf).header()


class _Walk:
    """A walk over a header from the first byte of the file."""

    def __init__(self, read: Callable[[int], bytes], where: str, gguf: Any) -> None:
        self._read = read
        self._where = where
        self._place = self._texts = self._end = 0
        self._types = {kind.value: kind.name for kind in gguf.GGUFValueType}
        self._formats = {kind.value: (kind.name, *gguf.GGML_QUANT_SIZES[kind]) for kind in gguf.GGMLQuantizationType}

    def _wrong(self, sentence: str) -> InvalidModel:
        return InvalidModel(f"{self._where} is not a valid GGUF file: {sentence}.")

    def header(self) -> Header:
        """All of it."""
        if self._bytes(4) != b"GGUF":
            raise self._wrong("it does not begin like one")
        version, n_tensors, n_values = self._take("I"), self._take("Q"), self._take("Q")
        if version not in (2, 3):
            raise self._wrong(f"its version is {version}, and only 2 and 3 are supported")
        if n_tensors > _MOST_TENSORS or n_values > _MOST_VALUES:
            raise self._wrong(f"it claims {n_tensors} tensors and {n_values} values")
        values: dict[str, Any] = {}
        for _ in range(n_values):
            name = self._text(_LONGEST_NAME)
            if name in values:
                raise self._wrong(f"it has two values '{shown(name)}'")
            values[name] = self._value(self._take("I"))
        tensors: dict[str, tuple[tuple[int, ...], str, int]] = {}
        for _ in range(n_tensors):
            name = self._text(_LONGEST_NAME)
            if name in tensors:
                raise self._wrong(f"it has two tensors '{shown(name)}'")
            tensors[name] = self._tensor(name)
        alignment = values.get("general.alignment", 32)
        if type(alignment) is not int or not 0 < alignment <= 2**20:
            raise self._wrong(f"its alignment is {shown(alignment)}")
        start = -(-self._place // alignment) * alignment
        return Header(self._where, values, tensors, start + self._end if tensors else self._place)

    def _bytes(self, count: int) -> bytes:
        self._place += count
        if self._place > _LARGEST:
            raise self._wrong(f"its header is larger than {_LARGEST} bytes")
        found = self._read(count)
        if len(found) < count:
            raise self._wrong("it ends in the middle of its header")
        return found

    def _take(self, layout: str) -> Any:
        return struct.unpack(f"<{layout}", self._bytes(struct.calcsize(f"<{layout}")))[0]

    def _text(self, most: int) -> str:
        size = self._take("Q")
        if size > most:
            raise self._wrong(f"it has a text of {size} bytes")
        return self._bytes(size).decode(errors="replace")

    def _layout(self, kind: int) -> str:
        layout = _LAYOUTS.get(self._types.get(kind, ""))
        if layout is None:
            raise self._wrong(f"it has a value of the unknown type {kind}")
        return layout

    def _value(self, kind: int) -> Any:
        name = self._types.get(kind)
        if name == "STRING":
            return self._text(_LONGEST_TEXT)
        if name != "ARRAY":
            return self._take(self._layout(kind))
        entry, count = self._take("I"), self._take("Q")
        if self._types.get(entry) == "STRING":
            self._texts += count
            if self._texts > _MOST_TEXTS:
                raise self._wrong(f"it has an array of {count} texts")
            for _ in range(count):
                self._bytes(self._take("Q"))
            return []
        layout = self._layout(entry)
        if count > _LARGEST:  # before it is multiplied, and asked for
            raise self._wrong(f"it has an array of {count} numbers")
        data = self._bytes(count * struct.calcsize(f"<{layout}"))
        return list(struct.unpack(f"<{count}{layout}", data)) if count <= _MOST_KEPT else []

    def _tensor(self, name: str) -> tuple[tuple[int, ...], str, int]:
        """Shape, format and bytes of a tensor; the file gives the last axis first."""
        n_axes = self._take("I")
        if not 1 <= n_axes <= 4:
            raise self._wrong(f"the tensor '{shown(name)}' has {n_axes} axes")
        shape = tuple(self._take("Q") for _ in range(n_axes))[::-1]
        kind, offset = self._take("I"), self._take("Q")
        if kind not in self._formats:
            raise self._wrong(f"the tensor '{shown(name)}' is in the unknown format {kind}")
        called, block, n_bytes = self._formats[kind]
        if not all(0 < number < 2**32 for number in shape) or shape[-1] % block:
            raise self._wrong(f"the tensor '{shown(name)}' has rows that are not whole blocks of {block}")
        size = prod(shape) // block * n_bytes
        self._end = max(self._end, offset + size)
        return shape, called, size
