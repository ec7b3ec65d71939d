"""Attention of one head on random matrices: a sequence against itself, one query, or a batch with a prefix"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import one_head
from ..arrays import sized
from ..formats import Array, of_width
from ..memory import Machine, OffChip
from .subjects import Subject

Values = Mapping[str, Any]


def attend(machine: Machine, subject: Subject, values: Values) -> None:
    """Run attention of one head: a sequence against itself, or one query against it; whole or in tiles.

    Or one query of each sequence of a batch, against a prefix that all share and tokens of its own.
    """
    if "own" in values:
        _attend_shared(machine, values)
        return
    tile = values.get("tile", 0)
    columns = values.get("columns", tile)
    context = values["tiles"] * tile * columns if "tiles" in values else values["context"]
    how = dict(subject.switches)
    rows, whole = how.pop("rows", context), how.pop("whole", not tile)
    format = of_width(values.get("n_bytes_act", 4))
    random, width = np.random.default_rng(0), values["width"]
    shapes = ((rows, width), (context, width), (context, width), (rows, width))
    Q, K, V, O = (machine.allocate(_drawn(random, shape), format) for shape in shapes)
    if not whole:
        one_head.tiled(machine, Q, K, V, O, rows=tile, columns=columns)
    else:
        one_head.textbook(machine, Q, K, V, O, **how)


def _attend_shared(machine: Machine, values: Values) -> None:
    """Run attention of one query of each sequence to a prefix that all share, and to tokens of its own."""
    batch, width, prefix, own = (values[name] for name in ("batch", "width", "prefix", "own"))
    format, random = of_width(values.get("n_bytes_act", 4)), np.random.default_rng(0)

    def placed(rows: int) -> OffChip:
        return machine.allocate(_drawn(random, (rows, width)), format)

    Q, O, shared = placed(batch), placed(batch), (placed(prefix), placed(prefix))
    pairs = [(placed(own), placed(own)) for _ in machine.ledger.loop(batch)]
    one_head.shared(machine, Q, shared, pairs, O)


def _drawn(random: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return sized(random.standard_normal(tuple(map(int, shape))), shape)
