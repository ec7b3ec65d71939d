"""Slices of what devices share, their lengths, and the rows that they stand for"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise

import numpy as np

from .formats import Array
from .sizes import divides, most, shares


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
    each, more = divmod(int(total), int(number))
    return one_after_another(shares(total, number, [each + (place < more) for place in range(number)]))


def one_after_another(lengths: Iterable[int]) -> list[slice]:
    """Slices of these lengths, each of which begins where the one before ends."""
    return [slice(first, last) for first, last in pairwise((0, *accumulate(lengths)))]


def shared_heads(n_heads: int, n_kv: int, devices: int) -> tuple[list[slice], list[slice]]:
    """Slices of the query heads of each device, and of the key/value heads that these attend with."""
    group = n_heads // n_kv
    if most(devices, n_kv) == n_kv:
        kv_heads = parts(n_kv, devices)
        return [times(one, group) for one in kv_heads], kv_heads
    found, kv_heads = [], []
    for head, sharing in enumerate(parts(int(devices), int(n_kv))):  # the devices that share the query heads of one
        found += [length(own) for own in parts(int(group), length(sharing))]
        kv_heads += [slice(head, head + 1)] * length(sharing)
    if not all(found):
        raise ValueError(f"{devices} devices cannot share {n_kv} groups of {group} heads")
    return one_after_another(shares(n_heads, devices, found, evenly=divides(n_kv, devices))), kv_heads
