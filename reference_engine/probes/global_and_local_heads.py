"""Questions about decoders with windows in some blocks and heads of another kind in the others"""

from __future__ import annotations

from .ledger_selections import count
from .parts import weights
from .registry import question
from .runs import HELD

_WINDOWED = ("twofold with windows", "mixed with windows")
question(
    "windows.bytes_of_a_token",
    "How many bytes do the caches of blocks with a window hold for one token?",
    HELD,
    count("held", "cache.*"),
    "m_local",
    subjects=_WINDOWED,
    batch=1,
    context=1,
)

# Weights; block 0 is one without a window

weights(
    "of_attention_with_shared_keys",
    "weights do the attention matrices of a block hold whose keys' matrix makes the values too",
    "P_attention",
    "twofold",
    *(f"blocks.0.{name}" for name in ("query", "key", "output")),
)
weights(
    "of_attention_of_two_widths",
    "weights do the attention matrices of a block hold whose values are of another width than keys",
    "P_attention",
    "narrow",
    *(f"blocks.0.{name}" for name in ("query", "key", "value", "output")),
)
weights(
    "of_queries_and_output",
    "weights do the attention matrices of a block hold that attends to what another keeps",
    "P_attention",
    "borrowing",
    "blocks.2.query",
    "blocks.2.output",
)
