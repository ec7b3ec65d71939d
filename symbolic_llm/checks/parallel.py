"""Many formulas at once

The checks of one formula ask nothing of those of another, so they run on all cores where processes can be forked
safely, which is on Linux; elsewhere one after the other. Formulas that others use are checked once.
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
from .report import Report, check_formula, own_findings
from .verdict import Finding

_WORTH_IT = 10  # fewer formulas are checked sooner than processes are started


def check_formulas(formulas: Sequence[Formula]) -> Iterator[Report]:
    """The reports of `check_formula`, in order, each as soon as it is there."""
    needed = list(dict.fromkeys(one for formula in formulas for one in (*formula.closure(), formula)))
    found: dict[Formula, tuple[Finding, ...]] = {}
    with closing(_found(needed)) as ahead:
        for formula in formulas:
            while not found.keys() >= {formula, *formula.closure()}:
                found.update([next(ahead)])
            yield check_formula(formula, own=found.__getitem__)


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
