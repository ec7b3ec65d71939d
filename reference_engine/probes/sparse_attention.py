"""Questions about an index that picks tokens: what it keeps, reads and computes, and from where on it is worth it"""

from __future__ import annotations

from functools import partial

from .ledger_selections import ATTENDED, ATTENDED_AND_INDEXED, CACHE_READ, CACHES_READ, INDEXED, count
from .measures import Count, Less, Quotient, Whether, Zero, elsewhere, growth
from .parts import weights
from .registry import question
from .runs import HELD, STEP

of_picked = partial(question, subjects=("picked",))
_WITHOUT = "picked without an index"


def _level(count: Count) -> Zero:
    """Context, beyond what is picked, at which a count is as large as without an index."""
    return Zero(Less(count, elsewhere(count, subject=_WITHOUT)), "context", ("picked",))


of_picked(
    "index.bytes_of_a_token",
    "How many bytes do the indexes of all blocks hold for one token?",
    HELD,
    count("held", "cache.*.index"),
    "m_index",
    batch=1,
    context=1,
)
of_picked(
    "index.latent_bytes_of_a_token",
    "How many bytes do the latent vectors of one token take in all blocks, and the rotated parts of its keys?",
    HELD,
    count("held", "cache.*.latents", "cache.*.rotated"),
    "m_latent",
    batch=1,
    context=1,
)
of_picked(
    "index.picked_context",
    "How many bytes of latent vectors does a decoding step load, for how many loaded where a token is all there is?",
    STEP,
    Quotient(CACHE_READ, elsewhere(CACHE_READ, context=1)),
    "N_picked",
    widths=(),
)
of_picked(
    "index.flops_per_context_token",
    "How many operations more do the products of the indexes take when the context is one token longer?",
    STEP,
    growth(INDEXED, "context"),
    "a_index",
    batch=1,
    context=2,
)
of_picked(
    "index.flops_per_picked_token",
    "How many operations more do scores and weighted sums take when one token more is picked?",
    STEP,
    growth(ATTENDED, "context"),
    "a_picked",
    batch=1,
    context=2,
    picked=3,
)
of_picked(
    "index.as_many_bytes",
    "At which context, beyond what is picked, does a decoding step load as many bytes of caches as without an index?",
    STEP,
    _level(CACHES_READ),
    "N_fewer_bytes",
    batch=1,
)
of_picked(
    "index.as_many_flops",
    "At which context, beyond what is picked, does attention take as many operations as without an index?",
    STEP,
    _level(ATTENDED_AND_INDEXED),
    "N_fewer_flops",
    batch=1,
)
of_picked(
    "index.fewer_bytes",
    "Does a decoding step load fewer bytes of caches than without an index?",
    STEP,
    Whether(CACHES_READ, elsewhere(CACHES_READ, subject=_WITHOUT)),
    batch=1,
)

# Weights of one index

_AT = "blocks.0.index_"
weights(
    "of_index",
    "weights do the matrices of an index hold",
    "P_index",
    "picked",
    *(f"{_AT}{name}" for name in ("query", "key", "weight")),
)
