"""Tensors of reference models: other software was given the same ones, so the data need not hold them"""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(of: int, shape: list[int]) -> Any:
    """The tensor of that number, in (-½, ½): an integer hash, which every language computes alike."""
    k = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64)
    x = (k + np.uint64(7919 * of)) * np.uint64(2654435761) % np.uint64(2**32)
    x ^= x >> np.uint64(15)
    x = x * np.uint64(2246822519) % np.uint64(2**32)
    x ^= x >> np.uint64(13)
    return (x / 2**32 - 0.5).reshape(shape)
