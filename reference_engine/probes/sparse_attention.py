"""Questions about an index that picks tokens: what it keeps, reads and computes, and from where on it is worth it"""

from __future__ import annotations

from .ledger_selections import ATTENDED, ATTENDED_AND_INDEXED, CACHE_READ, CACHES_READ, INDEXED, count
from .measures import Count, Zero, elsewhere, growth
from .parts import weights
from .registry import about
from .runs import HELD, STEP

_WITHOUT = "picked without an index"


def _level(count: Count) -> Zero:
    """Context, beyond what is picked, at which a count is as large as without an index."""
    return Zero(count - elsewhere(count, subject=_WITHOUT), "context", ("picked",))


about(HELD, "picked", batch=1, context=1)(
    "index.bytes_of_a_token",
    "How many bytes do the indexes of all blocks hold for one token?",
    count("held", "cache.*.index"),
    "m_index",
)
about(HELD, "picked", batch=1, context=1)(
    "index.latent_bytes_of_a_token",
    "How many bytes do the latent vectors of one token take in all blocks, and the rotated parts of its keys?",
    count("held", "cache.*.latents", "cache.*.rotated"),
    "m_latent",
)
about(STEP, "picked", widths=())(
    "index.picked_context",
    "How many bytes of latent vectors does a decoding step load, for how many loaded where a token is all there is?",
    CACHE_READ / elsewhere(CACHE_READ, context=1),
    "N_picked",
)
about(STEP, "picked", batch=1, context=2)(
    "index.flops_per_context_token",
    "How many operations more do the products of the indexes take when the context is one token longer?",
    growth(INDEXED, "context"),
    "a_index",
)
about(STEP, "picked", batch=1, context=2, picked=3)(
    "index.flops_per_picked_token",
    "How many operations more do scores and weighted sums take when one token more is picked?",
    growth(ATTENDED, "context"),
    "a_picked",
)
about(STEP, "picked", batch=1)(
    "index.as_many_bytes",
    "At which context, beyond what is picked, does a decoding step load as many bytes of caches as without an index?",
    _level(CACHES_READ),
    "N_fewer_bytes",
)
about(STEP, "picked", batch=1)(
    "index.as_many_flops",
    "At which context, beyond what is picked, does attention take as many operations as without an index?",
    _level(ATTENDED_AND_INDEXED),
    "N_fewer_flops",
)
about(STEP, "picked", batch=1)(
    "index.fewer_bytes",
    "Does a decoding step load fewer bytes of caches than without an index?",
    elsewhere(CACHES_READ, subject=_WITHOUT) > CACHES_READ,
)

# Weights of one index

weights("blocks.0.index_", "picked")("of_index", "P_index", "query key weight", "the matrices of an index")
