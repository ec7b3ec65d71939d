"""Checks of many formulas at once

The checks of one formula ask nothing of those of another, so they run on all cores where processes can be forked
safely, which is on Linux; elsewhere one after the other. Certificates come first, subject by subject, since all that
are about one subject rest on the same runs. Formulas that others use are checked once, and what was found before on
formulas that say the same is not looked for again.
"""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

from ..formula import Formula
from ..witness.ledger_entries import cores as usable
from ..witness.ledger_entries import memory
from . import findings_store
from .badge import subject
from .findings_digest import content
from .report import Report, check_formula, needed, own_findings
from .verdict import Finding

_TELLING = 0.5  # seconds between two lines that say how far it is
_RUN, _CHECKED = "running the engine: {} of {} subjects", "checking: {} of {} formulas"
_WORTH_IT = 10  # fewer formulas are checked sooner than processes are started

Found = tuple[Formula, tuple[Finding, ...]]
Task = TypeVar("Task")
Result = TypeVar("Result")
Tell = Callable[[str], None]


def print_nothing(_: str) -> None:
    """Ignore a message: for callers that need not be told how far the work is."""


def check_formulas(formulas: Sequence[Formula], *, fresh: bool = False, tell: Tell = print_nothing) -> Iterator[Report]:
    """The reports of `check_formula`, in order, each as soon as it is there.

    Args:
        formulas: what is checked.
        fresh: whether to check anew what was found before, and to ask the engine anew.
        tell: is told, once a second at least, how far the work is.
    """
    wanted, keeper = all_of(formulas), findings_store.Keeper()
    found = {} if fresh else known(wanted)
    try:
        with closing(_found([formula for formula in wanted if formula not in found], tell, fresh=fresh)) as ahead:
            for formula in formulas:
                while not found.keys() >= {formula, *formula.closure()}:
                    one, findings = next(ahead)
                    found[one] = findings
                    if file_of(one) is not None and _settled(findings):
                        keeper.add_findings(content(one), one.name, findings)
                if all(_settled(found[one]) for one in (*formula.closure(), formula)):
                    _keep(formula, keeper)
                keeper.keep(now=False)
                yield check_formula(formula, own=found.__getitem__)
            next(ahead, None)  # past the last, where its processes have ended: closed before, they are left behind
    finally:
        keeper.keep()


def _keep(formula: Formula, keeper: findings_store.Keeper) -> None:
    """Keep the report on a formula, where it and all it builds on are what their files say."""
    below, rests = formula.closure(), needed(formula)
    used = [
        findings_store.Used(file, content(one), one in rests) for one in below if (file := file_of(one)) is not None
    ]
    if (file := file_of(formula)) is not None and len(used) == len(below):
        keeper.add_report(file, subject(formula), content(formula), used)


def all_of(formulas: Iterable[Formula]) -> list[Formula]:
    """Formulas with all that they build on, each after those."""
    return list(dict.fromkeys(one for formula in formulas for one in (*formula.closure(), formula)))


def known(formulas: Iterable[Formula]) -> dict[Formula, tuple[Finding, ...]]:
    """Findings kept from before, of each formula that says the same as then."""
    its_own = (formula for formula in formulas if file_of(formula) is not None)
    return {
        formula: found
        for formula in its_own
        if (found := findings_store.findings(content(formula), formula.name)) is not None
    }


def _settled(findings: Iterable[Finding]) -> bool:
    """Whether no check ended before it had decided; a finding of one that did is looked for again."""
    return not any(finding.open for finding in findings)


def file_of(formula: Formula) -> findings_store.File | None:
    """Chapter and name by which the formula's file is found; None for a variant that is not what its file says."""
    is_its_own = getattr(sys.modules.get(formula.module), "FORMULA", None) is formula
    return (formula.chapter, formula.name) if is_its_own else None


def _found(formulas: list[Formula], tell: Tell, *, fresh: bool) -> Generator[Found, None, None]:
    """Formulas, each with the findings on it; what the engine answers meanwhile is remembered."""
    if not formulas:
        return
    from ..witness import certificate_for_all_shapes
    from ..witness.comparison_at_places import breadth

    if fresh:
        memory().disregard()
    cores = _cores(formulas)
    if cores == 1:
        yield from zip(
            formulas, _alone(own_findings, formulas, partial(_told, tell, _CHECKED, len(formulas))), strict=True
        )
        return
    subjects = certificate_for_all_shapes.subjects_of(formulas)
    certified, running = partial(_certified, formulas), partial(_told, tell, _RUN, len(subjects))
    for certificates in _forked(cores, certified, subjects, tell=running):
        certificate_for_all_shapes.know(certificates)
    # those about which most is asked would be waited for at the end
    first = sorted(formulas, key=breadth, reverse=True)[: 2 * cores]
    ordered = list(dict.fromkeys((*first, *formulas)))
    checking = partial(_told, tell, _CHECKED, len(ordered))
    yield from zip(ordered, _forked(cores, own_findings, ordered, tell=checking), strict=True)


def in_processes(
    work: Callable[[Task], Result], tasks: Sequence[Task], tell: Callable[[int], None] = lambda _: None
) -> Iterator[Result]:
    """Results of the work on each task, in order; `tell` is told, once a second at least, how many are done."""
    cores = _cores(tasks)
    yield from _alone(work, tasks, tell) if cores == 1 else _forked(cores, work, tasks, tell=tell)


def _cores(tasks: Sequence[Any]) -> int:
    """Number of processes worth using; 1 where they cannot be forked safely."""
    alone = sys.platform != "linux" or len(tasks) < _WORTH_IT
    return 1 if alone or threading.active_count() > 1 else usable()  # threads do not survive a fork


def _certified(formulas: Sequence[Formula], subject: str) -> Any:
    from ..witness.certificate_for_all_shapes import certify_on

    return certify_on(subject, formulas)


def _told(tell: Tell, said: str, of: int, done: int) -> None:
    tell(said.format(done, of))


def _alone(work: Callable[[Any], Result], tasks: Sequence[Any], tell: Callable[[int], None]) -> Iterator[Result]:
    """Results of the work on each task, in order, by this process; what it learns is remembered."""
    with _in_one_thread():
        for done, task in enumerate(tasks):
            tell(done)
            result = work(task)
            memory().keep(memory().news())
            yield result


def _forked(
    cores: int, work: Callable[[Any], Result], tasks: Sequence[Any], *, tell: Callable[[int], None]
) -> Iterator[Result]:
    """Results of the work on each task, in order, by forked processes, which know what this one knows.

    What they learn is remembered. While this process waits for a result it tells every second how many are done.
    """
    pool = ProcessPoolExecutor(cores, get_context("fork"), _begin, (work, tasks))
    try:
        waiting = [pool.submit(_with_news, number) for number in range(len(tasks))]
        for one in waiting:
            while not wait((one,), _TELLING).done:
                tell(sum(map(Future.done, waiting)))
            result, news = one.result()
            memory().keep(news)
            yield result
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)  # an interrupted check does not wait for the rest
        raise
    pool.shutdown()


def _in_one_thread() -> AbstractContextManager[Any]:
    """NumPy's products in one thread, from now to the end of the context: they are small, and threads would wait."""
    with suppress(ImportError):  # it comes with what checks
        from threadpoolctl import threadpool_limits

        limited: AbstractContextManager[Any] = threadpool_limits(1)
        return limited
    return nullcontext()


_given: tuple[Callable[[Any], Any], Sequence[Any]]  # in a process of the pool, from where it was forked


def _begin(*given: Any) -> None:
    """Prepare a process of the pool: its work, no reaction to Ctrl-C, one thread, and no garbage collection."""
    global _given
    _given = given
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _in_one_thread()  # to its end
    gc.disable()  # it lives for seconds, and a search for cycles goes through all that SymPy and the ledgers keep


def _with_news(number: int) -> tuple[Any, dict[str, Any]]:
    work, tasks = _given
    return work(tasks[number]), memory().news()
