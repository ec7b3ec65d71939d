"""Findings that were made before, on the very same sources

What a check finds on a formula depends on the formula, on those it is built on, on the checker and on the engine. All
their sources together, with the versions of the libraries that decide, give a fingerprint; findings are kept under it
in the user's cache, and read again as long as it is the same. Whatever cannot be read is checked anew.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..cache import folder
from ..formula import Formula
from .verdict import Finding, Verdict

_LARGEST = 2**20  # bytes of a file that is read
_MOST = 5_000  # files that are kept
_PACKAGE = Path(__file__).resolve().parent.parent
_ENGINE = _PACKAGE.parent / "reference_engine"
_DECIDING = ("sympy", "numpy", "z3-solver", "cvc5", "python-flint")
_IMPORTED = re.compile(r"formulas\.(\w+)\.(\w+) import")


def read(formula: Formula) -> tuple[Finding, ...] | None:
    """What was found on the formula as it is; None if nothing was, or it cannot be read."""
    place = folder()
    if place is None or not _is_its_file(formula):
        return None
    try:
        with (place / f"{fingerprint(formula)}.json").open("rb") as file:
            rows = json.loads(file.read(_LARGEST))
        found = tuple(
            Finding(**row | {"verdict": Verdict(row["verdict"]), "steps": tuple(map(Verdict, row["steps"]))})
            for row in rows
        )
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return found or None  # nothing found is no finding


def write(formula: Formula, findings: tuple[Finding, ...]) -> None:
    """Keep what was found, all of it or nothing; where that is not possible, it is only slower next time."""
    place = folder()
    if place is None or not _is_its_file(formula):
        return
    rows = [
        {
            "check": finding.check,
            "verdict": finding.verdict.value,
            "summary": finding.summary,
            "step": finding.step,
            "steps": [verdict.value for verdict in finding.steps],
        }
        for finding in findings
    ]
    with suppress(OSError):
        place.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(rows, file)
        os.replace(name, place / f"{fingerprint(formula)}.json")


def prune() -> None:
    """Forget the oldest, if there are very many."""
    place = folder()
    with suppress(OSError):
        files = sorted(place.iterdir(), key=lambda path: path.stat().st_mtime) if place and place.is_dir() else []
        for path in files[: max(0, len(files) - _MOST)]:
            path.unlink()


def _is_its_file(formula: Formula) -> bool:
    """Whether the formula is what its file says, and not a variant of it."""
    return getattr(sys.modules.get(formula.module), "FORMULA", None) is formula


@cache
def fingerprint(formula: Formula) -> str:
    """What stands for everything that the findings on a formula depend on."""
    mine = (formula.chapter, formula.name)
    files = {path: _source(path) for path in _reached({mine, *_used_by_all()})}
    every = [formula.name, _checker(), *(text for _, text in sorted(files.items()))]
    return sha256("\0".join(every).encode()).hexdigest()


def _reached(found: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The formula files, with those that they import, directly or not."""
    waiting = list(found)
    while waiting:
        more = set(_IMPORTED.findall(_source(waiting.pop()))) - found
        found |= more
        waiting += more
    return found


@cache
def _source(formula: tuple[str, str]) -> str:
    chapter, name = formula
    with suppress(OSError):
        return (_PACKAGE / "formulas" / chapter / f"{name}.py").read_text(encoding="utf-8")
    return ""


@cache
def _sources() -> tuple[str, ...]:
    """The texts of the checker and of the engine: of all files that are no formula."""
    formulas = _PACKAGE / "formulas"
    paths = [*_PACKAGE.rglob("*.py"), *_ENGINE.rglob("*.py")]
    found = (path for path in paths if path.parent.parent != formulas)
    return tuple(f"{path.relative_to(_PACKAGE.parent)}\n{path.read_text(encoding='utf-8')}" for path in sorted(found))


@cache
def _used_by_all() -> frozenset[tuple[str, str]]:
    """The formulas that the checker itself works with, such as those that compute letters for the engine."""
    return frozenset(_IMPORTED.findall("\n".join(_sources())))


@cache
def _checker() -> str:
    decided = [sys.version]
    for name in _DECIDING:
        with suppress(PackageNotFoundError):
            decided.append(f"{name} {version(name)}")
    return "\0".join((*_sources(), *decided))
