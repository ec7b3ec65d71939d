"""Work on independent pieces, shared among the processor's cores

NumPy lets go of Python's lock while it computes, so threads are enough. They end with the work: a process that has none
but its own may still be forked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import cache
from pathlib import Path
from threading import Thread
from typing import TypeVar

Piece = TypeVar("Piece")
Made = TypeVar("Made")

# where Linux says how many microseconds of processors a container has in each period, and the period
_LIMITS = (
    ("/sys/fs/cgroup/cpu.max",),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)
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
    """Results of `do` for each piece, in order, computed by several threads, of which the caller's is one.

    The first error is raised when no other thread runs any more.
    """
    others = min(threads(), len(pieces)) - 1
    if others < 1:
        return [do(piece) for piece in pieces]
    made: dict[int, Made] = {}
    errors: list[BaseException] = []
    turns = iter(range(len(pieces)))  # which number comes next is one step of Python's: no two threads get the same

    def work() -> None:
        try:
            for turn in turns:
                made[turn] = do(pieces[turn])
        except BaseException as error:
            errors.append(error)

    # a pool of threads, made and ended for each product, takes twice the time of this.
    # Each in a copy of this context: it says what NumPy does where a number overflows
    helpers = [Thread(target=copy_context().run, args=(work,)) for _ in range(others)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
    return [made[turn] for turn in range(len(pieces))]


def threads() -> int:
    """Number of threads among which work is shared."""
    return min(_MOST.get(), cores())


def cores() -> int:
    """Number of cores that this process may use: those that it runs on, or as many as its time amounts to."""
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(mine, *_shares_of_time()))


@cache
def _shares_of_time() -> tuple[int, ...]:
    """Cores that a container's limits of time amount to; affinity shows all cores of its host."""
    shares = []
    for files in _LIMITS:
        with suppress(OSError, ValueError, ZeroDivisionError):  # no such file, or no limit: "max"
            microseconds, of = (int(word) for file in files for word in Path(file).read_text(encoding="ascii").split())
            shares += [microseconds // of] if microseconds > 0 else []  # -1 is no limit
    return (*shares, sys.maxsize)
