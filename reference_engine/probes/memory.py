"""What a machine's memory holds, and what fits into it"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..config import Config
from ..formats import FORMATS
from ..memory import Machine, OutOfMemory
from ..model import Decoder
from .registry import Answer, Ratio, probe


def _machine(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int | None = None,
) -> Decoder:
    config = Config(n_blocks, n_heads, d_head, n_vocab, FORMATS[Fraction(n_bytes)], FORMATS[Fraction(n_bytes_kv)])
    return Decoder(config, machine=Machine(capacity=memory))


@probe("memory.weight_bytes", "M_weights")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, n_bytes: Fraction) -> Answer:
    """How many bytes do the packed weights hold?"""
    return _machine(n_blocks, n_heads, d_head, n_vocab, n_bytes, Fraction(2)).ledger.footprint("weights.*")


@probe("memory.footprint", "M_footprint")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
) -> Answer:
    """How many bytes are held after a prefill?"""
    decoder = _machine(n_blocks, n_heads, d_head, n_vocab, n_bytes, n_bytes_kv)
    decoder.start(batch, context)
    return decoder.ledger.footprint()


def _room(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, n_bytes: Fraction, n_bytes_kv: Fraction, memory: int
) -> tuple[int, int]:
    """Bytes that the weights leave free, and bytes that one token's cache takes."""
    decoder = _machine(n_blocks, n_heads, d_head, n_vocab, n_bytes, n_bytes_kv)
    free = memory - decoder.ledger.footprint()
    decoder.start(1, 1)
    return free, decoder.ledger.footprint("cache.*")


@probe("memory.bytes_left", "M_left")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, n_bytes: Fraction, memory: int) -> Answer:
    """How many bytes of memory are free once the weights are held; none, if they do not fit?"""
    try:
        held = _machine(n_blocks, n_heads, d_head, n_vocab, n_bytes, Fraction(2), memory).ledger.footprint()
    except OutOfMemory:
        return 0
    return memory - held


@probe("memory.context_that_fits", "N_fit")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int,
) -> Answer:
    """How long a context can be allocated for a batch before the machine runs out of memory?"""

    def fits(context: int) -> bool:
        return _fits(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv, memory)

    return longest(fits)


@probe("memory.largest_context", "N_largest")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int,
    limit: int,
) -> Answer:
    """How long a context, up to a limit, can be allocated for a batch before the machine runs out of memory?"""

    def fits(context: int) -> bool:
        return context <= limit and _fits(
            n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv, memory
        )

    return longest(fits)


@probe("memory.tokens_that_fit", "n_fit")
def _(
    n_blocks: int, n_heads: int, d_head: int, n_vocab: int, n_bytes: Fraction, n_bytes_kv: Fraction, memory: int
) -> Answer:
    """How many bytes do the held weights leave, for how many held by one token?"""
    return Ratio(*_room(n_blocks, n_heads, d_head, n_vocab, n_bytes, n_bytes_kv, memory))


def longest(fits: Callable[[int], bool]) -> int:
    """The longest context that fits, given that a shorter one does wherever a longer one does."""
    room, beyond = 0, 1
    while fits(beyond):
        room, beyond = beyond, 2 * beyond
    while beyond - room > 1:
        middle = (room + beyond) // 2
        room, beyond = (middle, beyond) if fits(middle) else (room, middle)
    return room


def _fits(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int,
) -> bool:
    try:
        _machine(n_blocks, n_heads, d_head, n_vocab, n_bytes, n_bytes_kv, memory).start(batch, context)
    except OutOfMemory:
        return False
    return True


@probe("memory.sequences_that_fit", "B_fit")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int,
) -> Answer:
    """How large a batch can be allocated before the machine runs out of memory?"""
    decoder = _machine(n_blocks, n_heads, d_head, n_vocab, n_bytes, n_bytes_kv, memory)
    batch = 0
    try:
        while True:
            decoder.start(1, context)  # one sequence more; those before stay
            batch += 1
    except OutOfMemory:
        return batch


@probe("memory.fits")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
    memory: int,
) -> Answer:
    """Can the weights and the caches of the batch be allocated?"""
    return _fits(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv, memory)
