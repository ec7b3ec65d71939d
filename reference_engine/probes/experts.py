"""Mixtures of experts: what a batch of tokens uses and reads, over all routings

Every token of a pass picks n_active experts. All ways in which the tokens can do so are enumerated: how many of them
use exactly how many different experts is counted routing by routing. What such a pass costs is then read off a decoder
that is sent that way; experts are alike, so one routing stands for all that use as many.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations
from typing import Any

import numpy as np

from ..formats import FORMATS
from ..ledger import Ledger
from ..model import Decoder
from .clock import zero
from .decoders import LLAMA, shaped
from .passes import CACHE, PRODUCTS, by_part, sum_over
from .registry import Answer, Exact, Parts, Ratio, enter
from .registry import probe as registered

MATRICES = (
    *(f"blocks.*.attention.{name}" for name in ("query", "key", "value", "output")),
    "blocks.*.mlp.router",
    *(f"blocks.*.mlp.experts.*.{name}" for name in ("gate", "up", "down")),
    "output",
)


probe = partial(registered, architecture=("experts",))


@lru_cache(maxsize=256)
def routings(n_active: int, idle: int, tokens: int) -> tuple[tuple[int, tuple[tuple[int, ...], ...]], ...]:
    """By number of different experts: how many routings use as many, and one of them, the experts of each token."""
    choices = list(combinations(range(n_active + idle), n_active))
    found: Counter[frozenset[int]] = Counter({frozenset(): 1})
    example: dict[frozenset[int], tuple[tuple[int, ...], ...]] = {frozenset(): ()}
    for _ in range(tokens):
        longer: Counter[frozenset[int]] = Counter()
        extended: dict[frozenset[int], tuple[tuple[int, ...], ...]] = {}
        for used, times in found.items():
            for choice in choices:
                union = used | set(choice)
                longer[union] += times
                extended.setdefault(union, (*example[used], choice))
        found, example = longer, extended
    by_number: dict[int, tuple[int, tuple[tuple[int, ...], ...]]] = {}
    for used, times in found.items():
        before, routing = by_number.get(len(used), (0, example[used]))
        by_number[len(used)] = before + times, routing
    return tuple(by_number.values())


@lru_cache(maxsize=2**12)
def _passed(
    routing: tuple[tuple[int, ...], ...],
    batch: int,
    context: int,
    idle: int,
    n_bytes: Fraction = Fraction(2),
    n_bytes_kv: Fraction = Fraction(2),
    **shape: int,
) -> Ledger:
    """The ledger of a pass whose tokens are routed so: of a prefill, or of a decoding step where there is one each."""
    shape = {**shape, "d_head": 2 * shape["pairs"], "d_ff": shape["d_expert"]}
    del shape["pairs"], shape["d_expert"]
    config = shaped(**(LLAMA | shape | {"n_experts": shape["n_active"] + idle}))
    config = replace(config, weights=FORMATS[n_bytes], cache=FORMATS[n_bytes_kv])
    decoder = Decoder(config, route=lambda tokens: np.array(routing[:tokens]))
    if len(routing) == batch:  # one token each: a decoding step, which a prefill of one token is too
        decoder.start(batch, context)
        decoder.context = context - 1
        decoder.ledger.clear()
        decoder.decode(np.zeros(batch, int))
    else:
        decoder.prefill(np.zeros((batch, context), int))
    return decoder.ledger.folded()


_SHAPE = ("n_blocks", "n_kv_heads", "group", "pairs", "n_vocab", "d_model", "d_expert", "n_active", "idle")


def _expected(tokens: int, batch: int, context: int, *, n_active: int, idle: int, **shape: int) -> Ratio:
    """The weights that a pass reads, summed over all routings, and how many routings there are."""
    read = total = 0
    for times, routing in routings(n_active, idle, tokens):
        ledger = _passed(routing, batch, context, idle, n_active=n_active, **shape)
        read += times * (sum_over(ledger, "loaded", MATRICES) // 2)
        total += times
    return Ratio(read, total)


def _distinct(n_active: int, idle: int, tokens: int) -> Ratio:
    """The experts that a block of a decoder is seen to use, summed over all routings, and how many there are."""
    small = {"n_blocks": 1, "n_kv_heads": 1, "group": 1, "pairs": 1, "n_vocab": 1, "d_model": 1, "d_expert": 1}
    seen = total = 0
    for times, routing in routings(n_active, idle, tokens):
        ledger = _passed(routing, tokens, 1, idle, n_active=n_active, **small)
        seen += times * (ledger.total("loaded", "blocks.*.gate") // 2)  # a gate has one weight, of two bytes
        total += times
    return Ratio(seen, total)


@probe("experts.distinct", "n_distinct")
def _(n_active: int, idle: int, batch: int) -> Answer:
    """How many different experts does a block use in all decoding steps of a batch, for how many routings?"""
    return _distinct(n_active, idle, batch)


@probe("experts.distinct_in_a_prefill", "n_distinct_prompt")
def _(n_active: int, idle: int, batch: int, context: int) -> Answer:
    """How many different experts does a block use in all prefills, for how many routings?"""
    return _distinct(n_active, idle, batch * context)


def _every(n_active: int, idle: int, tokens: int) -> tuple[tuple[int, ...], ...]:
    """A routing of so many tokens that uses every expert, if they are enough."""
    n_experts = n_active + idle
    return tuple(tuple(sorted((token * n_active + i) % n_experts for i in range(n_active))) for token in range(tokens))


def _step_reads(batch: int, **shape: int) -> Answer:
    """How many weights do all decoding steps of a batch read to multiply them, for how many routings?"""
    return _expected(batch, batch, 1, **shape)


def _prefill_reads(batch: int, context: int, **shape: int) -> Answer:
    """How many weights do all prefills read to multiply them, for how many routings?"""
    return _expected(batch * context, batch, context, **shape)


def _all_read(n_active: int, idle: int, **shape: int) -> Answer:
    """How many weights does a decoding step read that uses every expert?"""
    routing = _every(n_active, idle, n_active + idle)
    return sum_over(_passed(routing, len(routing), 1, idle, n_active=n_active, **shape), "loaded", MATRICES) // 2


for _name, _reads, _quantity, _more in (
    ("weights_read", _step_reads, "P_read", ("batch",)),
    ("weights_read_by_a_prefill", _prefill_reads, "P_prompt", ("batch", "context")),
    ("all_weights_read", _all_read, "P_all", ()),
):
    enter(f"experts.{_name}", _reads.__doc__ or "", _reads, (*_SHAPE, *_more), _quantity, ("experts",))


@probe("experts.batch_crossover", "B_star_cache")
def _(
    n_blocks: int,
    n_kv_heads: int,
    group: int,
    pairs: int,
    n_vocab: int,
    d_model: int,
    d_expert: int,
    n_active: int,
    idle: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    flops: int,
    bandwidth: int,
) -> Answer:
    """At which batch, beyond those that leave an expert out, do arithmetic and reading take equally long?"""
    enough = n_active + idle
    shape = {"n_blocks": n_blocks, "n_kv_heads": n_kv_heads, "group": group, "pairs": pairs, "n_vocab": n_vocab}
    shape |= {"d_model": d_model, "d_expert": d_expert, "n_active": n_active}
    gaps = []
    for batch in (enough, enough + 1):
        routing = _every(n_active, idle, batch)
        ledger = _passed(routing, batch, context, idle, Fraction(n_bytes), Fraction(n_bytes_kv), **shape)
        operations = by_part(ledger, "flops", MATRICES + PRODUCTS)
        read = by_part(ledger, "loaded", MATRICES + CACHE)
        gaps.append(read * flops - operations * bandwidth)
    slope: Parts = gaps[1] - gaps[0]
    return zero(gaps[0] - slope * (enough - 1), gaps[0] - slope * (enough - 2))


# Times of passes, by what they read on average over all routings


def _time(
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    flops: Exact,
    bandwidth: Exact,
    *,
    prefill: bool,
    cache: bool,
    n_active: int,
    idle: int,
    **shape: int,
) -> Fraction:
    """The longer of the times for arithmetic and for reading: of matrices alone, or with attention and the cache."""
    read = total = operations = 0
    for times, routing in routings(n_active, idle, batch * context if prefill else batch):
        ledger = _passed(
            routing,
            batch,
            context,
            idle,
            Fraction(n_bytes),
            Fraction(n_bytes_kv),
            n_active=n_active,
            **shape,
        )
        read += times * sum_over(ledger, "loaded", MATRICES + (CACHE if cache else ()))
        operations = sum_over(ledger, "flops", MATRICES + (PRODUCTS if cache else ()))
        total += times
    return max(Fraction(operations) / flops, Fraction(read, total) / bandwidth)


_MACHINE = ("n_bytes", "n_bytes_kv", "flops", "bandwidth")


def _step_time(cache: bool, **asked: Any) -> Answer:
    """How long does a decoding step take on the model machine, in the mean over routings{}?"""
    return Ratio(_time(**({"context": 1} | asked), prefill=False, cache=cache), 1)


def _throughput(cache: bool, **asked: Any) -> Answer:
    """How many tokens does a decoding step give, in which time, in the mean over routings{}?"""
    return Ratio(asked["batch"], _time(**({"context": 1} | asked), prefill=False, cache=cache))


def _prefill_time(cache: bool, **asked: Any) -> Answer:
    """How long does a prefill take on the model machine, in the mean over routings{}?"""
    return Ratio(_time(**asked, prefill=True, cache=cache), 1)


def _generation_time(cache: bool, new_tokens: int, **asked: Any) -> Answer:
    """How long do a prefill and the decoding steps after it take, in the mean over routings{}?"""
    step = _time(**(asked | {"context": 1}), prefill=False, cache=cache)
    return Ratio(_time(**asked, prefill=True, cache=cache) + new_tokens * step, 1)


for _name, _ask, _quantity, _more in (
    ("step_time", _step_time, "T_step", ()),
    ("throughput", _throughput, "R", ()),
    ("prefill_time", _prefill_time, "T_prefill", ("context",)),
    ("generation_time", _generation_time, "T_generation", ("context", "new_tokens")),
):
    for _cache, _suffix, _words in ((False, "", ""), (True, "_with_cache", ", cache and attention included")):
        if _cache and _ask is _generation_time:
            continue  # with attention the steps are not all alike
        _taken = dict.fromkeys((*_SHAPE, "batch", *(("context",) if _cache else ()), *_more, *_MACHINE))
        _asked = (_ask.__doc__ or "").format(_words)
        enter(f"experts.{_name}{_suffix}", _asked, partial(_ask, _cache), tuple(_taken), _quantity, ("experts",))
