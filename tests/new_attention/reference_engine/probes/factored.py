"""Questions about attention whose heads share one vector of a token"""

from __future__ import annotations

from typing import Any

from ..attention.factored import Factored
from .ledger_selections import count
from .parts import weights
from .registry import about
from .runs import HELD
from .subjects import LLAMA, SUBJECTS, Subject


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    return {"attention": Factored(given.pop("d_narrow")), "n_kv_heads": 1, "positions": None, **given}


_SHAPE = ("n_blocks", "n_heads", "d_head", "n_vocab", "d_model", "d_ff", "d_narrow")
_SWITCHES = {name: value for name, value in LLAMA.items() if name != "positions"}
SUBJECTS["factored"] = Subject("factored", _SHAPE, frozenset({"shared"}), _SWITCHES, _fields)
weights("blocks.0.", "factored")(
    "of_factored_attention", "P_attention", "narrow query key output", "the matrices of a block's factored attention"
)
about(HELD, "factored", batch=1, context=1)(
    "cache.bytes_of_one_vector",
    "How many bytes does one token take in the caches, with one vector for all heads?",
    count("held", "cache.*"),
    "m_factored",
)
