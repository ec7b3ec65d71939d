"""Storage formats, really packed

How numbers lie in off-chip memory: as floats of some width, or as small integer codes in blocks that share a scale.
A format packs the last axis of an array, block by block, into records of bytes, and unpacks them; its size is the size
of those records. The layouts are llama.cpp's, byte for byte, wherever llama.cpp has one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import sized, zeros
from .packing import BIAS, dots, join, lanes, moved, split, widened
from .sizes import Size

Array = NDArray[Any]


class Format(ABC):
    """Storage format of numbers: `block` of them to a block, each block a record of this `dtype`."""

    block: int
    few = 1  # as many vectors at least are multiplied faster by `product` than by numbers that are unpacked first

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """NumPy type of the record of one block."""

    @abstractmethod
    def pack(self, numbers: Array) -> Array:
        """(..., n) numbers -> (..., n/block) records; `ValueError` if they cannot be stored so."""

    @abstractmethod
    def unpack(self, packed: Array) -> Array:
        """(..., blocks) records -> (..., blocks·block), the numbers they stand for."""

    def product(self, x: Array, packed: Array) -> Array:
        """(n, columns) @ (columns, rows) -> (n, rows), the second packed, (rows, blocks); meant for `few` vectors n."""
        numbers = self.unpack(packed).astype(x.dtype, copy=False)
        return dots(x, numbers) if len(x) == 1 else x @ numbers.T

    @property
    def n_bytes(self) -> Fraction:
        """Bytes of one number, its share of what its block shares included."""
        return Fraction(self.dtype.itemsize, self.block)

    def room(self, shape: tuple[int, ...]) -> int:
        """Bytes that numbers of this shape take."""
        return prod(self.packed_shape(shape)) * self.dtype.itemsize

    def blank(self, shape: tuple[int, ...]) -> Array:
        """Records of zeros for numbers of this shape."""
        return zeros(self.packed_shape(shape), self.dtype)

    def shape(self, packed: Array) -> tuple[int, ...]:
        """Shape of the numbers that are packed."""
        return (*packed.shape[:-1], packed.shape[-1] * self.block) if packed.ndim else ()

    def packed_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Shape of the records that numbers of this shape take."""
        if shape[-1] % self.block:
            raise ValueError(f"rows of {shape[-1]} numbers do not divide into blocks of {self.block}")
        return (*shape[:-1], shape[-1] // self.block)


def record(fields: Mapping[str, int], floats: Collection[str]) -> np.dtype[Any]:
    """NumPy type of fields of so many bytes, some of which are floats; the others are bytes."""
    return np.dtype([(at, f"<f{each}") if at in floats else (at, "u1", (each,)) for at, each in fields.items()])


@dataclass(frozen=True)
class Float(Format):
    """Floating-point numbers of 16, 32 or 64 bits."""

    bits: int = 32
    block = 1

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """NumPy type of the float."""
        return np.dtype(f"<f{self.bits // 8}")

    def pack(self, numbers: Array) -> Array:
        """(..., n) numbers -> (..., n) floats of this width."""
        return numbers.astype(self.dtype)

    def unpack(self, packed: Array) -> Array:
        """The unpacked numbers, halves widened to 32 bits."""
        return widened(packed) if self.bits == 16 else packed

    def product(self, x: Array, packed: Array) -> Array:
        """Multiply vectors by packed floats: (n, columns) @ (columns, rows) -> (n, rows).

        For one vector and halves, exponents are corrected once in the vector, and not in every number of the matrix.
        """
        # below 2¹⁵, so that 2¹¹² times as much is no more than a float can be
        if self.bits == 16 and len(x) == 1 and x.dtype == np.float32 and np.abs(x).max() < 2.0**15:
            numbers = moved(packed)
            if numbers is not None:
                return dots(x * BIAS, numbers)
        return super().product(x, packed)


@dataclass(frozen=True)
class OfSize(Float):
    """Floats whose bytes are a size that remembers."""

    each: int = 4

    @property
    def n_bytes(self) -> Any:
        """Bytes of one number, as a size."""
        return self.each

    def room(self, shape: tuple[int, ...]) -> int:
        """Bytes that numbers of this shape take."""
        return prod(shape) * self.each

    def blank(self, shape: tuple[int, ...]) -> Array:
        """Floats that are zero."""
        return sized(np.zeros(tuple(map(int, shape)), self.dtype), shape, self.each)

    def pack(self, numbers: Array) -> Array:
        """(..., n) numbers -> (..., n) floats of this width."""
        return sized(super().pack(numbers).view(np.ndarray), numbers.shape, self.each)


@dataclass(frozen=True)
class BFloat16(Format):
    """The upper half of a 32-bit float, rounded to the nearest, ties to even."""

    block = 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy type of 16 bits: there is none for this float."""
        return np.dtype("<u2")

    def pack(self, numbers: Array) -> Array:
        """(..., n) numbers -> (..., n) upper halves."""
        bits = numbers.astype("<f4").view("<u4")
        # a little less than a half, and the last kept bit, so that ties go to even; the sum may pass 32 bits
        rounded = (bits.astype(np.uint64) + 0x7FFF + ((bits >> 16) & 1)) >> 16
        # a bit that stays set, or cutting the lower half could turn not-a-number into infinity
        return np.where(np.isnan(numbers), (bits >> 16) | 64, rounded).astype(self.dtype)

    def unpack(self, packed: Array) -> Array:
        """The floats of 32 bits whose lower half is zero."""
        bits = packed.astype("<u4")
        bits <<= 16
        return bits.view("<f4")


@dataclass(frozen=True)
class Blocks(Format):
    """Codes of `bits` bits in blocks that share a scale of `scale_bits` bits, and maybe a minimum as wide.

    With codes of 2, 4 or 5 bits the scale d is the entry largest in magnitude over −2^(bits−1), so that entry gets the
    code 0, and a number reads back as d·(code − 2^(bits−1)). With 8 bits d is that magnitude over 127 and the codes are
    signed. With a minimum m, d is the range over 2^bits − 1 and a number reads back as d·code + m. Codes are rounded to
    the nearest, ties upwards, signed ones away from zero.

    Byte j of a block of b numbers with 4-bit codes holds number j in its low and number j + b/2 in its high half; the
    fifth bits of 5-bit codes lie before, one byte for eight numbers.
    """

    bits: int = 4
    block: int = 32
    scale_bits: int = 16
    minimum: bool = False

    few = 8

    def __post_init__(self) -> None:
        fills = self.block % (8 if self.bits == 5 else 8 // self.bits) == 0 if self.bits in (2, 4, 5, 8) else False
        if not fills or self.scale_bits not in (16, 32, 64) or (self.minimum and self.bits == 8):
            raise ValueError("codes have 2, 4, 5 or 8 bits and fill whole bytes, scales have 16, 32 or 64")

    @staticmethod
    def fields(bits: int, block: int, scale_bits: int, *, minimum: bool = False) -> dict[str, int]:
        """Bytes of each field of a record: scale, minimum, fifth bits, codes; the second and third if there are any."""
        low = 4 if bits == 5 else bits
        scales = dict.fromkeys(("scale", *(("minimum",) * minimum)), scale_bits // 8)
        return {**scales, **({"high": block // 8} if bits == 5 else {}), "codes": block * low // 8}

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Record of a block."""
        return record(self.fields(self.bits, self.block, self.scale_bits, minimum=self.minimum), ("scale", "minimum"))

    def pack(self, numbers: Array) -> Array:
        """(..., n) numbers -> (..., n/block) records."""
        records = np.zeros(self.packed_shape(numbers.shape), self.dtype)
        # llama.cpp packs from 32-bit floats; from 64 bits some codes would round the other way
        blocks = numbers.astype(np.float32).reshape(*records.shape, self.block)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused, or has a scale that rounds to 0
            scale, low = self._scale(blocks)
            records["scale"] = scale[..., 0]
            if self.minimum:
                records["minimum"] = low[..., 0]
            if not all(np.isfinite(records[name]).all() for name in ("scale", "minimum")[: 1 + self.minimum]):
                raise ValueError(f"the numbers are too large for scales of {self.scale_bits} bits, or no numbers")
            # multiplied by the inverse, as llama.cpp does: dividing differs in the last bit, and so in a code now and
            # then
            inverse = np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale != 0)
            codes = self._codes((blocks - low) * inverse)
        if self.bits == 5:
            records["high"] = np.packbits(codes >> 4, axis=-1, bitorder="little")
        records["codes"] = join(codes, 4 if self.bits == 5 else self.bits)
        return records

    def _scale(self, blocks: Array) -> tuple[Array, Array]:
        """(..., block) -> two of (..., 1): the scale, the size of a code step, and the minimum, or 0 without one."""
        if self.minimum:
            low = blocks.min(-1, keepdims=True)
            return (blocks.max(-1, keepdims=True) - low) / np.float32(2**self.bits - 1), low
        # with its sign, so that just this entry has the code 0
        peak = np.take_along_axis(blocks, np.abs(blocks).argmax(-1, keepdims=True), -1)
        scale = np.abs(peak) / np.float32(127) if self.bits == 8 else peak / np.float32(-(2 ** (self.bits - 1)))
        return scale, np.zeros_like(scale)

    def _codes(self, steps: Array) -> Array:
        """Codes of numbers in units of the scale, rounded to the nearest."""
        if self.bits == 8:
            whole = np.trunc(steps)
            # C's roundf, away from zero at a half; NumPy's round goes to even
            codes: Array = (whole + np.trunc(2 * (steps - whole))).astype(np.int8).view(np.uint8)
        else:
            middle = 0 if self.minimum else 2 ** (self.bits - 1)
            codes = np.minimum(np.trunc(steps + np.float32(middle + 0.5)), 2**self.bits - 1).astype(np.uint8)
        return codes

    def unpack(self, packed: Array) -> Array:
        """The numbers that codes, scales and minima stand for."""
        codes = split(packed["codes"], 4 if self.bits == 5 else self.bits)
        if self.bits == 5:
            codes |= np.unpackbits(packed["high"], axis=-1, bitorder="little") << 4
        wide: Any = np.float64 if self.scale_bits == 64 else np.float32
        numbers: Array = (codes.view(np.int8) if self.bits == 8 else codes).astype(wide)
        numbers -= self.middle
        numbers *= packed["scale"].astype(wide)[..., None]
        if self.minimum:
            numbers += packed["minimum"].astype(wide)[..., None]
        return numbers.reshape(self.shape(packed))

    def product(self, x: Array, packed: Array) -> Array:
        """Multiply vectors by packed blocks: (n, columns) @ (columns, rows) -> (n, rows).

        Scales and minima are applied to the sums of blocks, and not to each number.
        """
        low, start = 4 if self.bits == 5 else self.bits, self.dtype.fields["codes"][1]  # type: ignore[index]
        columns = x.reshape(len(x), -1, 8 // low, self.block * low // 8).transpose(2, 1, 3, 0)
        # Σ (code − middle)·x is Σ code·x − middle·Σ x: the middle is taken off once a block, and not from every number
        whole = columns.sum(axis=(0, 2))  # (blocks, n)
        # whole records become floats, though their scales are none: one pass over all bytes beats one for each block
        each = packed.view(np.uint8).reshape(*packed.shape, -1)
        numbers = np.empty(each.shape, x.dtype)
        sums = np.zeros((len(whole), len(packed), len(x)), x.dtype)
        for codes, part in zip(lanes(each, low), columns, strict=True):
            np.copyto(numbers, codes.view(np.int8) if self.bits == 8 else codes)
            # (blocks, rows, b) @ (blocks, b, n) -> (blocks, rows, n)
            sums += numbers[..., start:].transpose(1, 0, 2) @ part
        if self.bits == 5:
            fifth = np.unpackbits(packed["high"], axis=-1, bitorder="little").astype(x.dtype)
            # the fifth bit is worth 16, and lies apart from the codes, so it has a product of its own
            sums += 16 * (fifth.transpose(1, 0, 2) @ x.reshape(len(x), -1, self.block).transpose(1, 2, 0))
        if self.middle:
            sums -= self.middle * whole[:, None]
        sums *= self._wide(packed["scale"].T)[..., None]
        if self.minimum:
            sums += self._wide(packed["minimum"].T)[..., None] * whole[:, None]
        product: Array = sums.sum(axis=0).T
        return product

    def _wide(self, scales: Array) -> Array:
        return widened(np.ascontiguousarray(scales)) if self.scale_bits == 16 else scales

    @property
    def middle(self) -> int:
        """The code that stands for zero, or for the minimum."""
        return 0 if self.minimum or self.bits == 8 else 2 ** (self.bits - 1)


@dataclass(frozen=True)
class SuperBlocks(Format):
    """llama.cpp's K formats, read only: 256 codes of 4 or 6 bits in parts whose scales are themselves packed.

    Q4_K has eight parts of 32, each with a 6-bit scale s and minimum m: a number is d·s·code − e·m. Q6_K has sixteen
    parts of 16, each with a signed 8-bit scale: a number is d·s·(code − 32).
    """

    bits: int = 4
    block = 256

    def __post_init__(self) -> None:
        if self.bits not in (4, 6):
            raise ValueError("super-blocks have codes of 4 or 6 bits")

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Record of a block: 144 bytes for codes of 4 bits, 210 for 6."""
        if self.bits == 4:
            return np.dtype([("d", "<f2"), ("e", "<f2"), ("scales", "u1", (3, 4)), ("codes", "u1", (4, 32))])
        return np.dtype([("low", "u1", (2, 64)), ("high", "u1", (2, 32)), ("scales", "i1", (16,)), ("d", "<f2")])

    def pack(self, numbers: Array) -> Array:
        """Refused: the scales that llama.cpp writes come from a search, and this engine only reads them."""
        raise ValueError(f"super-blocks of {self.bits}-bit codes are read, not written")

    def unpack(self, packed: Array) -> Array:
        """The numbers that codes, scales and minima stand for."""
        d = packed["d"].astype(np.float32)[..., None]
        if self.bits == 4:
            # the bytes of scales (rows 0 and 2) and minima (rows 1 and 2): six bits each, those of the last four split
            first, second, third = (packed["scales"][..., row, :] for row in range(3))
            scales = np.concatenate([first & 0x3F, (third & 0x0F) | ((first >> 2) & 0x30)], axis=-1)
            minima = np.concatenate([second & 0x3F, (third >> 4) | ((second >> 2) & 0x30)], axis=-1)
            codes = split(packed["codes"], 4).reshape(*packed.shape, 8, 32).astype(np.float32)
            offsets = packed["e"].astype(np.float32)[..., None] * minima.astype(np.float32)
            numbers = (d * scales.astype(np.float32))[..., None] * codes - offsets[..., None]
        else:
            low = split(packed["low"], 4).reshape(*packed.shape, 256)
            high = split(packed["high"], 2).reshape(*packed.shape, 256)
            codes = (low | (high << 4)).astype(np.int8) - np.int8(32)
            codes = codes.reshape(*packed.shape, 16, 16).astype(np.float32)
            numbers = (d * packed["scales"].astype(np.float32))[..., None] * codes
        found: Array = numbers.reshape(self.shape(packed))
        return found


F16, F32, F64, BF16 = Float(16), Float(32), Float(64), BFloat16()
Q4_0, Q4_1 = Blocks(4, 32, 16), Blocks(4, 32, 16, minimum=True)
Q5_0, Q5_1 = Blocks(5, 32, 16), Blocks(5, 32, 16, minimum=True)
Q8_0, Q4_K, Q6_K = Blocks(8, 32, 16), SuperBlocks(4), SuperBlocks(6)
NAMED: dict[str, Format] = {
    "F16": F16, "F32": F32, "F64": F64, "BF16": BF16,
    "Q4_0": Q4_0, "Q4_1": Q4_1, "Q5_0": Q5_0, "Q5_1": Q5_1, "Q8_0": Q8_0, "Q4_K": Q4_K, "Q6_K": Q6_K,
}  # fmt: skip
_FORMATS: tuple[Format, ...] = (F16, F32, F64, *(Blocks(4, block, 16) for block in (2, 4, 8, 16, 32)), Q8_0)
FORMATS: dict[Fraction, Format] = {f.n_bytes: f for f in reversed(_FORMATS)}  # by width; floats win a tie


def of_width(n_bytes: Any) -> Format:
    """The format whose numbers take so many bytes, the scales of their blocks included."""
    return OfSize(8 * int(n_bytes), n_bytes) if isinstance(n_bytes, Size) else FORMATS[Fraction(n_bytes)]
