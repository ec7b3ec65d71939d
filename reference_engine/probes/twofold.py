"""Questions about decoders with windows in some blocks and heads of another kind in the others"""

from __future__ import annotations

from .answers import Growth, Share
from .parts import weights
from .registry import question
from .runs import HELD, STEP
from .selecting import ATTENDED, KV, count

for _which, _where in (("with", "local"), ("without", "global")):
    question(
        f"twofold.bytes_of_a_token_{_which}_windows",
        f"How many bytes do the caches of blocks {_which} a window hold for one token?",
        HELD,
        count("held", "cache.*"),
        f"m_{_where}",
        subjects=(f"twofold {_which} windows",),
        widths=KV,
        batch=1,
        context=1,
    )
    question(
        f"twofold.flops_per_context_token_{_which}_windows",
        f"How many operations more does attention take in blocks {_which} a window, the context one token longer?",
        STEP,
        Growth(ATTENDED, "context"),
        f"a_{_where}",
        subjects=(f"twofold {_which} windows",),
        batch=1,
        context=2,
        window=3,
    )
question(
    "twofold.met_context",
    "How many operations do scores and weighted sums of a step take, for how many at a context of one token?",
    STEP,
    Share(ATTENDED, ATTENDED, (("context", 1),)),
    "N_met",
    subjects=("twofold",),
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
