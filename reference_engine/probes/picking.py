"""Questions about an index that picks tokens: what it keeps, reads and computes, and from where on it is worth it"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from .answers import Answer, Asked, Count, Growth, IsLess, Share
from .counts import Parts, Ratio
from .parts import weights
from .registry import question
from .runs import HELD, STEP
from .selecting import (
    ATTENDED,
    ATTENDED_AND_INDEXED,
    CACHE_READ,
    CACHES_READ,
    INDEXED,
    KV,
    count,
)
from .subjects import SUBJECTS
from .times import zero

of_picked = partial(question, subjects=("picked",))
_WITHOUT = "picked without an index"


@dataclass(frozen=True)
class Level(Answer):
    """Where a count equals that of another subject: where the straight line of their gap, beyond a bound, meets zero.

    Attributes:
        count: of what.
        than: the other subject, of the same shape.
        along: what is moved.
        beyond: the parameter that lies before the two places through which the line is drawn.
    """

    count: Count
    than: str
    along: str
    beyond: str

    def of(self, asked: Asked) -> Ratio:
        """Through the first two places beyond the bound."""
        first = asked.values[self.beyond] + 1
        return zero(*((x, self.gap(asked.moved(**{self.along: x}))) for x in (first, first + 1)))

    def gap(self, asked: Asked) -> Parts:
        """By how much the count is larger than the other subject's."""
        return self.count.of(asked) - self.count.of(replace(asked, subject=SUBJECTS[self.than]))


of_picked(
    "index.bytes_of_a_token",
    "How many bytes do the indexes of all blocks hold for one token?",
    HELD,
    count("held", "cache.*.index"),
    "m_index",
    widths=KV,
    batch=1,
    context=1,
)
of_picked(
    "index.latent_bytes_of_a_token",
    "How many bytes do the latent vectors of one token take in all blocks, and the rotated parts of its keys?",
    HELD,
    count("held", "cache.*.latents", "cache.*.rotated"),
    "m_latent",
    widths=KV,
    batch=1,
    context=1,
)
of_picked(
    "index.picked_context",
    "How many bytes of latent vectors does a decoding step load, for how many loaded where a token is all there is?",
    STEP,
    Share(CACHE_READ, CACHE_READ, (("context", 1),)),
    "N_picked",
)
of_picked(
    "index.flops_per_context_token",
    "How many operations more do the products of the indexes take when the context is one token longer?",
    STEP,
    Growth(INDEXED, "context"),
    "a_index",
    batch=1,
    context=2,
)
of_picked(
    "index.flops_per_picked_token",
    "How many operations more do scores and weighted sums take when one token more is picked?",
    STEP,
    Growth(ATTENDED, "context"),
    "a_picked",
    batch=1,
    context=2,
    picked=3,
)
of_picked(
    "index.as_many_bytes",
    "At which context, beyond what is picked, does a decoding step load as many bytes of caches as without an index?",
    STEP,
    Level(CACHES_READ, _WITHOUT, "context", "picked"),
    "N_fewer_bytes",
    widths=KV,
    batch=1,
)
of_picked(
    "index.as_many_flops",
    "At which context, beyond what is picked, does attention take as many operations as without an index?",
    STEP,
    Level(ATTENDED_AND_INDEXED, _WITHOUT, "context", "picked"),
    "N_fewer_flops",
    batch=1,
)
of_picked(
    "index.fewer_bytes",
    "Does a decoding step load fewer bytes of caches than without an index?",
    STEP,
    IsLess(CACHES_READ, _WITHOUT),
    widths=KV,
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
