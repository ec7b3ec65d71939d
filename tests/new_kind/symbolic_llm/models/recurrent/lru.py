"""Gated linear recurrences, which keep a number of each channel"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...formulas.states.lru_bytes import FORMULA as lru_bytes
from ...formulas.states.lru_parameters import FORMULA as lru_parameters
from ..builder import Builder
from ..products import D_MODEL, Matrix, one_width
from .kind import RecurrentKind


def recur(made: Builder, n_global: int, n_lru: int, *, width: int, n_bytes: int) -> None:
    """Add n_lru blocks that are a gated linear recurrence, beside n_global that attend."""
    made.letters |= {"n_global": n_global, "n_lru": n_lru, "d_lru": width, "n_bytes_state": n_bytes}
    made.add("states", lru_parameters, n_lru)
    made.vectors("states", "d_lru", n_lru)


def _add(made: Builder, n_global: int, n_lru: int, fields: Mapping[str, Any]) -> None:
    recur(made, n_global, n_lru, width=fields["width"], n_bytes=int(fields["format"].n_bytes))


KIND = RecurrentKind(
    blocks="n_lru",
    kept="numbers of recurrences",
    nbytes=lru_bytes,
    work=None,
    row="numbers of recurrences per sequence",
    matrices={
        lru_parameters: (
            Matrix("state.in", lambda at: 2 * at["d_lru"], D_MODEL),
            Matrix("state.out", D_MODEL, one_width("d_lru")),
        )
    },
    names={("states", "d_lru"): ("state_decay.*",)},
    evenly={"d_lru": "channels of recurrences"},
    runs="LinearRecurrence",
    add=_add,
)
