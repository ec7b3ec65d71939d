"""Work on independent pieces, shared among the processor's cores

NumPy lets go of Python's lock while it computes, so threads are enough. They end with the work: a process that has none
but its own may still be forked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

Piece = TypeVar("Piece")
Made = TypeVar("Made")

_MOST = ContextVar("threads", default=4)  # a few keep memory busy, and each holds what it unpacks


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Share work among so many threads, or fewer where the processor has fewer cores."""
    before = _MOST.set(threads)
    try:
        yield
    finally:
        _MOST.reset(before)


def on_cores(do: Callable[[Piece], Made], pieces: Sequence[Piece]) -> list[Made]:
    """Results of `do` for each piece, in order, computed by several threads.

    The first error is raised when no thread runs any more.
    """
    threads = min(_MOST.get(), len(pieces), cores())
    if threads == 1:
        return [do(piece) for piece in pieces]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        # each in a copy of this context: it says what NumPy does where a number overflows
        return [one.result() for one in [pool.submit(copy_context().run, do, piece) for piece in pieces]]


def cores() -> int:
    """Number of the processor's cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
