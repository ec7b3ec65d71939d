"""Slices of what devices share, their lengths, and the rows that they stand for"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .formats import Array
from .sizes import most


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


def parts(total: int, number: int) -> list[slice]:
    """Slices that deal out `total` things as evenly as they can be; the first get one more where it does not divide."""
    each, more = divmod(total, number)
    ends = [each * i + min(i, more) for i in range(number + 1)]
    return [slice(first, last) for first, last in pairwise(ends)]


def shared_heads(n_heads: int, n_kv: int, devices: int) -> tuple[list[slice], list[slice]]:
    """Slices of the query heads of each device, and of the key/value heads that these attend with."""
    group = n_heads // n_kv
    if most(devices, n_kv) == n_kv:
        kv_heads = parts(n_kv, devices)
        return [times(one, group) for one in kv_heads], kv_heads
    heads, kv_heads = [], []
    for head, sharing in enumerate(parts(devices, n_kv)):  # the devices that share the query heads of one
        for own in parts(group, length(sharing)):
            if not length(own):
                raise ValueError(f"{devices} devices cannot share {n_kv} groups of {group} heads")
            heads.append(slice(head * group + own.start, head * group + own.stop))
            kv_heads.append(slice(head, head + 1))
    return heads, kv_heads
