"""Numbers in few bits: codes in bytes, floats in halves

NumPy is fast where it passes over long rows, and slow where it starts anew for every few numbers or converts them one
by one; so what is done here are straight passes over whole arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_LARGEST = 0x7BFF  # bits of the largest finite half
BIAS = np.float32(2.0**112)  # exponents count from −15 in 16 bits and from −127 in 32
_SHORT = 2**13  # numbers, a dot product of more than 10,000 is shared among OpenBLAS's threads
_FEW = 2**12  # numbers for which a few passes more cost as much as they save


def widened(halves: Array) -> Array:
    """Floats of 16 bits -> the same numbers in 32 bits, bit by bit; four times as fast as NumPy's conversion."""
    numbers = moved(halves) if halves.size >= _FEW else None
    if numbers is None:
        return halves.astype("<f4")
    numbers *= BIAS
    return numbers


def moved(halves: Array) -> Array | None:
    """Floats of 16 bits -> the same numbers over `BIAS` in 32 bits; None if some are infinite or no numbers."""
    signed = halves.view("<i2")
    if signed.max() > _LARGEST or signed.view("<u2").max() > 0x8000 + _LARGEST:
        return None  # they have an exponent of their own
    bits = signed.astype("<i4")
    # fraction and exponent come to where 32 bits have them; of the sign, copied on the way, one bit stays
    bits <<= 13
    bits &= 0x8FFFFFFF - 2**32
    return bits.view("<f4")


def dots(x: Array, rows: Array) -> Array:
    """(1, n) @ (n, k) -> (1, k), the second as k rows: a dot product for each.

    BLAS computes short ones on the thread that asks. For whole tiles it wakes its own threads and waits for them, which
    takes many times the product where something else runs.
    """
    pieces = 1
    while x.size // pieces > _SHORT and x.size % (2 * pieces) == 0:
        pieces *= 2
    sums: Array = rows.reshape(len(rows), pieces, 1, -1) @ x.reshape(pieces, -1, 1)
    found: Array = sums.sum(axis=1)[..., 0].T
    return found


def join(codes: Array, bits: int) -> Array:
    """(..., b) codes, their lowest `bits` bits -> (..., b·bits/8) bytes, whose lowest bits hold the first codes."""
    each = (codes & np.uint8(2**bits - 1)).reshape(*codes.shape[:-1], 8 // bits, codes.shape[-1] * bits // 8)
    packed = np.zeros_like(each[..., 0, :])
    for lane in range(8 // bits):
        packed |= each[..., lane, :] << np.uint8(lane * bits)
    return packed


def lanes(packed: Array, bits: int) -> Iterator[Array]:
    """(..., bytes) -> the codes in the lowest bits of every byte, then those in the next, each as (..., bytes)."""
    for shift in range(0, 8, bits):
        codes = packed >> np.uint8(shift) if shift else packed
        yield codes & np.uint8(2**bits - 1) if shift + bits < 8 else codes


def split(packed: Array, bits: int) -> Array:
    """(..., bytes) -> (..., bytes·8/bits), the unpacked codes."""
    return np.concatenate(list(lanes(packed, bits)), axis=-1)
