"""Blocks in blocks: scales that are themselves small codes, and floats of four bits

Formats beyond simple blocks. `Nested` packs codes, scales that are codes, and one float for all of them;
`FourBitFloats` are the formats of microscaling, MXFP4 and NVFP4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .formats import Array, Format, record
from .packing import join, split


def packed_bits(codes: Array, bits: int) -> Array:
    """(..., n) codes, their lowest `bits` bits -> (..., n·bits/8) bytes, lowest bits first."""
    each = (codes[..., None].astype(np.uint32) >> np.arange(bits, dtype=np.uint32)) & 1
    rows = each.astype(np.uint8).reshape(*codes.shape[:-1], codes.shape[-1] * bits)
    return np.packbits(rows, axis=-1, bitorder="little")


def unpacked_bits(packed: Array, bits: int) -> Array:
    """(..., bytes) -> (..., bytes·8/bits), the unpacked codes."""
    numbers = packed.shape[-1] * 8 // bits
    each = np.unpackbits(packed, axis=-1, bitorder="little").reshape(*packed.shape[:-1], numbers, bits)
    codes: Array = (each.astype(np.uint32) << np.arange(bits, dtype=np.uint32)).sum(axis=-1)
    return codes


@dataclass(frozen=True)
class Nested(Format):
    """Codes of `bits` bits in parts of `part` numbers, each with a scale of `scale_bits` bits, and one float for all.

    A number reads back as d·s·(code − 2^(bits−1)), with the float d of the block and the whole number s of its part.
    """

    bits: int = 4
    part: int = 32
    parts: int = 8
    scale_bits: int = 6
    shared_bits: int = 16

    def __post_init__(self) -> None:
        whole = self.part * self.parts * self.bits % 8 == 0 and self.parts * self.scale_bits % 8 == 0
        if not whole or self.shared_bits not in (16, 32, 64):
            raise ValueError("codes and scales fill whole bytes, and the float has 16, 32 or 64 bits")

    @property
    def block(self) -> int:  # type: ignore[override]
        """Numbers that share the float."""
        return self.part * self.parts

    @staticmethod
    def fields(bits: int, part: int, parts: int, scale_bits: int, shared_bits: int) -> dict[str, int]:
        """Bytes of each field of a record: float, scales, codes."""
        return {"shared": shared_bits // 8, "scales": parts * scale_bits // 8, "codes": part * parts * bits // 8}

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Record of a block."""
        return record(self.fields(self.bits, self.part, self.parts, self.scale_bits, self.shared_bits), ("shared",))

    def pack(self, numbers: Array) -> Array:
        """(..., n) numbers -> (..., n/block) records."""
        records = np.zeros(self.packed_shape(numbers.shape), self.dtype)
        parts = numbers.astype(np.float64).reshape(*records.shape, self.parts, self.part)
        steps = np.abs(parts).max(-1) / 2 ** (self.bits - 1)
        records["shared"] = steps.max(-1) / (2**self.scale_bits - 1)
        shared = records["shared"].astype(np.float64)[..., None]
        if not np.isfinite(shared).all():
            raise ValueError(f"the numbers are too large for a float of {self.shared_bits} bits, or no numbers")
        over = np.divide(steps, shared, out=np.zeros_like(steps), where=shared != 0)
        scales = np.clip(np.ceil(over), 0, 2**self.scale_bits - 1)
        step = (scales * shared)[..., None]
        codes = np.divide(parts, step, out=np.zeros_like(parts), where=step != 0).round() + 2 ** (self.bits - 1)
        codes = np.clip(codes, 0, 2**self.bits - 1).astype(np.uint32)
        records["scales"] = packed_bits(scales.astype(np.uint32), self.scale_bits)
        records["codes"] = packed_bits(codes.reshape(*records.shape, self.block), self.bits)
        return records

    def unpack(self, packed: Array) -> Array:
        """The numbers that codes, scales and floats stand for."""
        codes = unpacked_bits(packed["codes"], self.bits).reshape(*packed.shape, self.parts, self.part)
        scales = unpacked_bits(packed["scales"], self.scale_bits) * packed["shared"].astype(np.float64)[..., None]
        numbers: Array = (codes - 2.0 ** (self.bits - 1)) * scales[..., None]
        return numbers.astype(np.float32).reshape(self.shape(packed))


_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
_E4M3 = np.array(
    [(8 + f) / 8 * 2.0 ** (e - 7) if e else f / 8 * 2.0**-6 for e in range(16) for f in range(8)][:-1]
)  # without signs; the last pattern is no number


@dataclass(frozen=True)
class FourBitFloats(Format):
    """Floats of four bits (1 sign, 2 exponent, 1 fraction) in blocks with a scale of eight bits.

    MXFP4 (Open Compute Project, 2023): 32 to a block, the scale a power of two. NVFP4: 16 to a block, the scale a float
    of 4 exponent and 3 fraction bits; the float of 32 bits that a whole tensor shares beside is not in the blocks.
    """

    block: int = 32
    is_power: bool = True

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Record of a block: scale, codes. Byte j holds number j in its low half, j + block/2 in its high half."""
        return np.dtype([("scale", "u1"), ("codes", "u1", (self.block // 2,))])

    def pack(self, numbers: Array) -> Array:
        """(..., n) numbers -> (..., n/block) records, each number the nearest float."""
        records = np.zeros(self.packed_shape(numbers.shape), self.dtype)
        blocks = numbers.astype(np.float64).reshape(*records.shape, self.block)
        peak = np.abs(blocks).max(-1)
        if not np.isfinite(peak).all():
            raise ValueError("some are no finite numbers")
        if self.is_power:
            exponent = np.floor(np.log2(peak, out=np.full_like(peak, -125.0), where=peak > 0)) - 2
            records["scale"] = np.clip(exponent + 127, 0, 254)
        else:
            records["scale"] = np.abs(peak[..., None] / 6 - _E4M3).argmin(-1)
        scale = self._scales(records["scale"])[..., None]
        share = np.divide(blocks, scale, out=np.zeros_like(blocks), where=scale != 0)
        codes = np.abs(share[..., None] - _E2M1).argmin(-1).astype(np.uint8)
        records["codes"] = join(codes, 4)
        return records

    def unpack(self, packed: Array) -> Array:
        """The numbers that codes and scales stand for."""
        numbers: Array = _E2M1[split(packed["codes"], 4)] * self._scales(packed["scale"])[..., None]
        return numbers.astype(np.float32).reshape(self.shape(packed))

    def _scales(self, codes: Array) -> Array:
        return np.ldexp(1.0, codes.astype(int) - 127) if self.is_power else _E4M3[np.minimum(codes, 126)]


MXFP4, NVFP4 = FourBitFloats(32), FourBitFloats(16, is_power=False)
