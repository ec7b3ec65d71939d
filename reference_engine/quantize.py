"""Storage formats, really packed

How numbers lie in off-chip memory: as floats of some width, or as small integer codes in blocks that share a scale.
A format packs the last axis of an array into byte arrays and unpacks them; its size is the size of those arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Float:
    """Floating-point numbers of 16, 32 or 64 bits."""

    bits: int = 32

    @property
    def n_bytes(self) -> Fraction:
        """Bytes of one number."""
        return Fraction(self.bits, 8)

    def pack(self, numbers: Array) -> tuple[Array, ...]:
        """(..., n) numbers -> (..., n) floats of this width."""
        return (numbers.astype(f"<f{self.bits // 8}"),)

    def unpack(self, parts: tuple[Array, ...]) -> Array:
        """The numbers again."""
        return parts[0]

    def shape(self, parts: tuple[Array, ...]) -> tuple[int, ...]:
        """Shape of the numbers."""
        return parts[0].shape


@dataclass(frozen=True)
class Blocks:
    """Codes of `bits` bits in blocks that share one scale of `scale_bits` bits; 4, 32, 16 is llama.cpp's Q4_0.

    A block's scale d is the entry largest in magnitude over −2^(bits−1), so that entry gets the code 0; codes are
    rounded to the nearest, ties upwards, and a weight reads back as d·(code − 2^(bits−1)). Byte j of a block of b
    weights with 4-bit codes holds weight j in its low and weight j + b/2 in its high half.
    """

    bits: int = 4
    block: int = 32
    scale_bits: int = 16

    def __post_init__(self) -> None:
        if self.bits not in (2, 4, 8) or self.scale_bits not in (16, 32, 64) or self.block % (8 // self.bits):
            raise ValueError("codes have 2, 4 or 8 bits and fill whole bytes, scales have 16, 32 or 64")

    @property
    def n_bytes(self) -> Fraction:
        """Bytes of one weight, its share of the scale included."""
        return (self.bits + Fraction(self.scale_bits, self.block)) / 8

    def pack(self, numbers: Array) -> tuple[Array, ...]:
        """(..., n) numbers -> (..., n/block, block·bits/8) bytes of codes and (..., n/block) scales."""
        *rows, n = numbers.shape
        if n % self.block:
            raise ValueError(f"rows of {n} numbers do not divide into blocks of {self.block}")
        half, lanes = 2 ** (self.bits - 1), 8 // self.bits
        blocks = numbers.astype(np.float32).reshape(*rows, n // self.block, self.block)
        peak = np.take_along_axis(blocks, np.abs(blocks).argmax(-1, keepdims=True), -1)
        scale = peak / np.float32(-half)
        inverse = np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale != 0)
        codes = np.minimum(np.trunc(blocks * inverse + np.float32(half + 0.5)), 2 * half - 1).astype(np.uint8)
        codes = codes.reshape(*rows, n // self.block, lanes, self.block // lanes)
        packed = np.zeros(codes.shape[:-2] + codes.shape[-1:], np.uint8)
        for lane in range(lanes):
            packed |= codes[..., lane, :] << np.uint8(lane * self.bits)
        with np.errstate(over="ignore"):
            kept = scale[..., 0].astype(f"<f{self.scale_bits // 8}")
        if not np.isfinite(kept).all():
            raise ValueError(f"the numbers are too large for scales of {self.scale_bits} bits")
        return packed, kept

    def unpack(self, parts: tuple[Array, ...]) -> Array:
        """The numbers that codes and scales stand for."""
        packed, scale = parts
        mask, shifts = 2**self.bits - 1, range(0, 8, self.bits)
        codes = np.concatenate([(packed >> np.uint8(shift)) & np.uint8(mask) for shift in shifts], axis=-1)
        wide = np.float64 if self.scale_bits == 64 else np.float32
        numbers: Array = scale.astype(wide)[..., None] * (codes.astype(wide) - 2 ** (self.bits - 1))
        return numbers.reshape(self.shape(parts))

    def shape(self, parts: tuple[Array, ...]) -> tuple[int, ...]:
        """Shape of the numbers."""
        *rows, blocks = parts[1].shape
        return (*rows, blocks * self.block)


Format = Float | Blocks

F16 = Float(16)
Q4_0 = Blocks(4, 32, 16)
_FORMATS: tuple[Format, ...] = (
    *(Float(bits) for bits in (16, 32, 64)),
    *(Blocks(4, block, 16) for block in (2, 4, 8, 16, 32)),
    Blocks(8, 32, 16),
)
FORMATS: dict[Fraction, Format] = {f.n_bytes: f for f in reversed(_FORMATS)}  # by width; floats win a tie
