"""Many formulas at once

The checks of one formula ask nothing of those of another, so they run on all cores where processes can be forked
safely, which is on Linux; elsewhere one after the other. Formulas that others use are checked once, and what was found
before on the same sources is not looked for again.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context

from ..formula import Formula
from . import kept
from .report import Report, check_formula, own_findings
from .verdict import Finding

_WORTH_IT = 10  # fewer formulas are checked sooner than processes are started


def check_formulas(formulas: Sequence[Formula], *, fresh: bool = False) -> Iterator[Report]:
    """The reports of `check_formula`, in order, each as soon as it is there.

    Args:
        formulas: what is checked.
        fresh: whether to check anew what was found before.
    """
    needed = list(dict.fromkeys(one for formula in formulas for one in (*formula.closure(), formula)))
    found = {} if fresh else known(needed)
    with closing(_found([formula for formula in needed if formula not in found])) as ahead:
        for formula in formulas:
            while not found.keys() >= {formula, *formula.closure()}:
                one, findings = next(ahead)
                found[one] = findings
                kept.write(one, findings)
            yield check_formula(formula, own=found.__getitem__)
    kept.prune()


def known(formulas: Sequence[Formula]) -> dict[Formula, tuple[Finding, ...]]:
    """What was found before on the same sources."""
    return {formula: findings for formula in formulas if (findings := kept.read(formula)) is not None}


def _found(formulas: list[Formula]) -> Generator[tuple[Formula, tuple[Finding, ...]], None, None]:
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    if cores == 1 or len(formulas) < _WORTH_IT or threading.active_count() > 1:  # threads do not survive a fork
        yield from zip(formulas, map(own_findings, formulas), strict=True)
        return
    pool = ProcessPoolExecutor(cores, get_context("fork"), signal.signal, (signal.SIGINT, signal.SIG_IGN))
    try:
        yield from zip(formulas, pool.map(own_findings, formulas), strict=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # an interrupted check does not wait for the rest
