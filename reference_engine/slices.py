"""Slices of what devices share, their lengths, and the rows that they stand for"""

from __future__ import annotations

import numpy as np

from .formats import Array


def length(part: slice) -> int:
    """Number of places in a slice."""
    length: int = part.stop - part.start
    return length


def times(part: slice, width: int) -> slice:
    """The slice of rows, or of smaller pieces, where each place of a slice is `width` of them."""
    return slice(part.start * width, part.stop * width)


def places(part: slice) -> Array:
    """Indices of the places in a slice."""
    return np.arange(part.start, part.stop)


def rows(part: slice, width: int) -> Array:
    """Indices of the rows of some heads, each of which has `width` rows."""
    return places(times(part, width))
