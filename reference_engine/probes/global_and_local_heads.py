"""Questions about decoders with windows in some blocks and heads of another kind in the others"""

from __future__ import annotations

from .ledger_selections import count
from .parts import weights
from .registry import about
from .runs import HELD

_WINDOWED = ("twofold with windows", "mixed with windows")
about(HELD, *_WINDOWED, batch=1, context=1)(
    "windows.bytes_of_a_token",
    "How many bytes do the caches of blocks with a window hold for one token?",
    count("held", "cache.*"),
    "m_local",
)

# Weights; block 0 is one without a window

weights("blocks.0.", "twofold")(
    "of_attention_with_shared_keys",
    "P_attention",
    "query key output",
    "a block's attention matrices, whose keys' matrix makes the values too",
)
weights("blocks.0.", "narrow")(
    "of_attention_of_two_widths",
    "P_attention",
    "query key value output",
    "a block's attention matrices, whose values are of another width than keys",
)
weights("blocks.2.", "borrowing")(
    "of_queries_and_output",
    "P_attention",
    "query output",
    "the attention of a block that attends to what another keeps",
)
