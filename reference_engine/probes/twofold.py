"""Questions about decoders with windows in some blocks and heads of another kind in the others"""

from __future__ import annotations

from .answers import Growth
from .parts import weights
from .registry import question
from .runs import HELD, STEP
from .selecting import ATTENDED, KV, count

for _name, _which, _where, _whom in (
    ("windows.{}", "with", "local", ("twofold with windows", "mixed with windows")),
    ("twofold.{}_without_windows", "without", "global", ("twofold without windows",)),
):
    question(
        _name.format("bytes_of_a_token"),
        f"How many bytes do the caches of blocks {_which} a window hold for one token?",
        HELD,
        count("held", "cache.*"),
        f"m_{_where}",
        subjects=_whom,
        widths=KV,
        batch=1,
        context=1,
    )
    question(
        _name.format("flops_per_context_token"),
        f"How many operations more does attention take in blocks {_which} a window, the context one token longer?",
        STEP,
        Growth(ATTENDED, "context"),
        f"a_{_where}",
        subjects=_whom,
        batch=1,
        context=2,
        window=3,
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
    "of_router_scales",
    "weights scale what the router of a block sees and what its experts give",
    "P_scales",
    "sparse twofold",
    "blocks.0.router_norm.*",
    "blocks.0.expert_scales.*",
)
