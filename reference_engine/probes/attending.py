"""One head of attention on matrices that are drawn: a sequence against itself, one query, or a batch with a prefix"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from .. import one_head
from ..formats import FORMATS
from ..memory import Machine, OffChip
from .subjects import Subject

Values = Mapping[str, Any]


def attend(machine: Machine, subject: Subject, values: Values) -> None:
    """One head's attention: a sequence against itself, or one query against it; whole or in tiles."""
    tile = values.get("tile", 0)
    columns = values.get("columns", tile)
    context = values["tiles"] * tile * columns if "tiles" in values else values["context"]
    how = dict(subject.switches)
    rows, whole = how.pop("rows", context), how.pop("whole", not tile)
    format = FORMATS[Fraction(values.get("n_bytes_act", 4))]
    random, width = np.random.default_rng(0), values["width"]
    shapes = ((rows, width), (context, width), (context, width), (rows, width))
    Q, K, V, O = (machine.allocate(random.standard_normal(shape), format) for shape in shapes)
    if not whole:
        one_head.tiled(machine, Q, K, V, O, rows=tile, columns=columns)
    else:
        one_head.textbook(machine, Q, K, V, O, **how)


def attend_shared(machine: Machine, subject: Subject, values: Values) -> None:
    """One query of each sequence against a prefix that all have, shared or a copy for each, and tokens of its own."""
    batch, width, prefix, own = (values[name] for name in ("batch", "width", "prefix", "own"))
    format, random = FORMATS[Fraction(values.get("n_bytes_act", 4))], np.random.default_rng(0)

    def placed(rows: int) -> OffChip:
        return machine.allocate(random.standard_normal((rows, width)), format)

    for sequences in (1,) * batch if subject.switches.get("apart") else (batch,):
        Q, O, shared = placed(sequences), placed(sequences), (placed(prefix), placed(prefix))
        pairs = [(placed(own), placed(own)) for _ in range(sequences)]
        one_head.shared(machine, Q, shared, pairs, O)
