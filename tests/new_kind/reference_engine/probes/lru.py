"""Questions about blocks that are a gated linear recurrence"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..recurrent.lru import LinearRecurrence
from .ledger_selections import count
from .parametrised_configs import beside_attention
from .parts import weights
from .registry import about
from .runs import HELD
from .subjects import LLAMA, SUBJECTS, Subject


def _recurrence(given: dict[str, Any], blocks: tuple[bool, ...]) -> LinearRecurrence:
    return LinearRecurrence(given.pop("d_lru"), blocks)


_SHAPE = ("n_global", "n_lru", "n_vocab", "d_model", "n_kv_heads", "group", "pairs", "d_ff", "d_lru")
SUBJECTS["lru"] = Subject("lru", _SHAPE, frozenset({"hybrid"}), LLAMA, partial(beside_attention, "n_lru", _recurrence))
weights("blocks.*.state_", "lru", n_lru=1)("of_lru", "P_state", "in out", "the matrices of a gated linear recurrence")
about(HELD, "lru", widths=("n_bytes_state",), batch=1)(
    "state.bytes_of_lru",
    "How many bytes do all gated linear recurrences hold of one sequence, however long it is?",
    count("held", "states.*"),
    "m_lru",
)
