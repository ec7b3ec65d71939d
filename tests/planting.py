"""Planted faults: a file of `attacks/` as if it stood in its chapter, a question more, a line of the engine changed"""

from __future__ import annotations

import importlib
import inspect
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from reference_engine.probes import QUESTIONS, Question
from reference_engine.probes.measures import Answer, Asked, Value
from symbolic_llm import formulas
from symbolic_llm.checks.report import Report, check_uses, findings, own_findings
from symbolic_llm.checks.verdict import Finding, Verdict
from symbolic_llm.formula import Formula

ATTACKS = Path(__file__).parent / "attacks"
FAULTS = (Verdict.REFUTED, Verdict.UNDECIDED)


def attack_files() -> list[str]:
    """The planted files as `chapter/name`."""
    return sorted(f"{path.parent.name}/{path.stem}" for path in ATTACKS.glob("*/*.py"))


@contextmanager
def planting() -> Iterator[None]:
    """While it lasts, the files of `attacks/` can be imported from their chapters, and from each other."""
    before = set(sys.modules)
    chapters = [importlib.import_module(f"{formulas.__name__}.{folder.name}") for folder in ATTACKS.iterdir()]
    for chapter in chapters:
        chapter.__path__.append(str(ATTACKS / chapter.__name__.rpartition(".")[2]))
    try:
        yield
    finally:
        for chapter in chapters:
            chapter.__path__.pop()
        planted = {f"{formulas.__name__}.{name.replace('/', '.')}" for name in attack_files()}
        for name in planted & set(sys.modules) - before:
            del sys.modules[name]
            package, _, short = name.rpartition(".")
            delattr(sys.modules[package], short)


def planted(name: str) -> Formula:
    """The formula of the file `chapter/name`, while planting."""
    found = importlib.import_module(f"{formulas.__name__}.{name.replace('/', '.')}").FORMULA
    assert isinstance(found, Formula)
    return found


def faults(report: Report) -> dict[str, str]:
    """Summaries of the faults in a report, by check."""
    return {finding.check: finding.summary for finding in report.findings if finding.verdict in FAULTS}


def rejected_by(formula: Formula, checks: Collection[str]) -> Finding | None:
    """The first fault that some checks find; a check that finds none leaves it to the next, the cheapest first.

    A report with such a finding is not called proved, whatever the checks say that are not asked.
    """
    for finding in findings(formula, checks):
        if finding.verdict in FAULTS:
            return finding
    built = check_uses(formula, own_findings) if "uses" in checks and formula.uses else None
    return built if built is not None and built.verdict in FAULTS else None


@contextmanager
def forgetting() -> Iterator[None]:
    """Engine, witness and checks begin without what they remember, and nothing is remembered afterwards."""
    _empty_caches()
    try:
        yield
    finally:
        _empty_caches()


def _empty_caches() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith(("reference_engine.", "symbolic_llm.witness.", "symbolic_llm.checks.")):
            for found in vars(module).values():
                if hasattr(found, "cache_clear"):
                    found.cache_clear()


@dataclass(frozen=True)
class Calculated(Answer):
    """An answer that calculates: none of the engine's can."""

    how: Callable[..., Value]

    def of(self, asked: Asked) -> Value:
        """Whatever it likes."""
        return self.how(**asked.values)


def calculating(name: str, how: Callable[..., Value], subject: str, quantity: str = "", *takes: str) -> Question:
    """A question that runs nothing and is answered by a formula, of the subject's parameters and those it takes."""
    return Question(name, "?", None, Calculated(how), quantity, (subject,), takes)


@contextmanager
def asking(*questions: Question) -> Iterator[None]:
    """While it lasts, the engine can be asked these too, in place of those that have their names."""
    with pytest.MonkeyPatch.context() as patch:
        for question in questions:
            patch.setitem(QUESTIONS, question.name, question)
        with forgetting():
            yield


@contextmanager
def edited(function: Any, old: str, new: str) -> Iterator[None]:
    """While it lasts, a function has another text, for whoever calls it by whatever name."""
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1, f"{function.__qualname__} does not say {old!r} once"
    namespace = dict(function.__globals__)
    exec(compile(source.replace(old, new), inspect.getfile(function), "exec"), namespace)
    changed = namespace[function.__name__]
    assert isinstance(changed, FunctionType)
    with forgetting(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(function, "__code__", changed.__code__)
        yield
