"""Findings that were made before, on the very same sources

What a check finds on a formula depends on the formula, on those it is built on, on the checker and on the engine. All
sources that are no formula, but for the rooms above the checks, with the versions of the libraries that decide, give
the store. In it, findings stand under what the formulas say (`content`), and reports under the texts of the formula and
of all that it imports: nothing here needs a formula to be imported, so that where nothing has changed nothing is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..cache import Store, digest, opened, texts
from .verdict import Finding, Verdict

_PACKAGE = Path(__file__).resolve().parent.parent
_FORMULAS = _PACKAGE / "formulas"
_ENGINE = _PACKAGE.parent / "reference_engine"
_DECIDING = ("sympy", "numpy", "z3-solver", "cvc5", "python-flint")
# rooms that no check looks into, and the one that it looks into by what formulas say
_ABOVE = frozenset({"cli", "stored", "pages", "render", "audit", "reports", "answers"})
_LEFT_OUT = _ABOVE | {_FORMULAS.name}
_IMPORTED = re.compile(r"formulas\.(\w+)\.(\w+) import")
_RELATIVE = re.compile(r"from\s+\.{1,2}(?:(\w+)\.)?(\w+)\s+import")  # `from ..chapter.name` and `from .name`
# other ways to come by a formula, which might be any; each begins with letters, by which it is found quickly
_OTHERWISE = tuple(
    map(
        re.compile,
        (
            r"from\s+\.+\s+import",
            r"from\s+\.\.\w+\s+import",
            r"formulas(?:\.(?!shared\b)\w+)?\s+import",
            r"import\s+symbolic_llm",
            r"__import__",
            r"importlib",
            r"sys\.modules",
        ),
    )
)

File = tuple[str, str]  # chapter and name of a formula


def findings(content: str) -> tuple[Finding, ...] | None:
    """What was found on a formula that says the same; None if nothing was."""
    try:
        return tuple(map(_finding, _store().rows[f"findings {content}"]))
    except (LookupError, ValueError, TypeError):
        return None


def report(formula: File) -> dict[str, Any] | None:
    """The report on it as data, with what was found on the formulas that it uses; None if there is none."""
    found = _store().rows.get(f"report {fingerprint(formula)}")
    return found if isinstance(found, dict) and _is_report(found) else None


def _is_report(row: Mapping[str, Any]) -> bool:
    """Whether it has all that is said of a report."""
    try:
        verdicts = [row["verdict"], *(finding["verdict"] for finding in row["findings"])]
        texts = [row["formula"], row["witness"], *(f[what] for f in row["findings"] for what in ("check", "summary"))]
        return all(map(Verdict, verdicts)) and all(isinstance(text, str) for text in texts) and "standing" in row
    except (LookupError, ValueError, TypeError):
        return False


def add_findings(content: str, findings: Iterable[Finding]) -> None:
    """Keep what was found on a formula that says this."""
    _store().add({f"findings {content}": [_row(one) for one in findings]})


def add_report(formula: File, report: Mapping[str, Any]) -> None:
    """Keep the report on a formula as its file says it, if it is another than before."""
    name = f"report {fingerprint(formula)}"
    if _store().rows.get(name) != report:
        _store().add({name: {**report}})


def _row(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check,
        "verdict": finding.verdict.value,
        "summary": finding.summary,
        "step": finding.step,
        "steps": [verdict.value for verdict in finding.steps],
    }


def _finding(row: Mapping[str, Any]) -> Finding:
    return Finding(**{**row, "verdict": Verdict(row["verdict"]), "steps": tuple(map(Verdict, row["steps"]))})


def _store() -> Store:
    return opened("findings", checker())


def listed() -> list[File] | None:
    """All formulas in the order in which they were last checked; None if there are others now."""
    found = _store().rows.get(f"listing {_listing()}")
    return [(chapter, name) for chapter, name in found] if found else None


def decided_by() -> str:
    """What decided equality, where that was not SymPy and FLINT."""
    return str(_store().rows.get("decided by", ""))


def add_listing(formulas: Iterable[File], decided_by: str) -> None:
    """Keep the order of all formulas, and what decided equality."""
    rows = {f"listing {_listing()}": list(formulas), "decided by": decided_by}
    _store().add({name: row for name, row in rows.items() if _store().rows.get(name) != row})


# Fingerprints


@cache
def _listing() -> str:
    """What stands for which formulas there are, and for their order: as chapters say, and each after those it uses."""
    found = []
    for path in sorted(_FORMULAS.rglob("*.py")):
        file = path.parent.name, path.stem
        says = path.read_text(encoding="utf-8") if path.stem == "__init__" else repr(_imported(file))
        found.append(f"{'/'.join(file)}\n{says}")
    return digest(*found)


@cache
def fingerprint(formula: File) -> str:
    """What stands for the texts of everything that a report depends on, beside the checker."""
    of_all, of_them = _read_for_all()
    return digest("/".join(formula), of_them, *map(_of_file, sorted(_reached({formula}, of_all))))


@cache
def _read_for_all() -> tuple[frozenset[File], str]:
    """The files of formulas that all reports depend on, and what stands for them and for what formulas share."""
    files = frozenset(_reached(_used_by_all()))
    tables = (path for path in (_PACKAGE / "presets").iterdir() if path.suffix in (".toml", ".json"))
    return files, digest(*map(_of_file, sorted(files)), *texts((*_FORMULAS.glob("*.py"), *tables), _PACKAGE))


@cache
def _of_file(file: File) -> str:
    return digest("/".join(file), _source(file))


def _reached(files: Iterable[File], known: frozenset[File] = frozenset()) -> set[File]:
    """Formula files with those that they import, directly or not, but for those that are known."""
    found = set(files) - known
    waiting = list(found)
    while waiting:
        more = set(_imported(waiting.pop())) - found - known
        found |= more
        waiting += more
    return found


@cache
def _imported(formula: File) -> tuple[File, ...]:
    """The formula files that one imports; all there are where it may come by one in a way that names none."""
    text = _source(formula)
    if any(way.search(text) for way in _OTHERWISE):
        return tuple((path.parent.name, path.stem) for path in sorted(_FORMULAS.glob("*/*.py")))
    relative = ((chapter or formula[0], name) for chapter, name in _RELATIVE.findall(text))
    return (*_IMPORTED.findall(text), *relative)


@cache
def _source(formula: File) -> str:
    chapter, name = formula
    with suppress(OSError):
        return (_FORMULAS / chapter / f"{name}.py").read_text(encoding="utf-8")
    return ""


@cache
def _sources() -> tuple[str, ...]:
    """The texts of the checker and of the engine: of all files that are no formula's and stand below the checks."""
    paths = (path for path in _PACKAGE.rglob("*.py") if path.relative_to(_PACKAGE).parts[0] not in _LEFT_OUT)
    return texts((*paths, *_ENGINE.rglob("*.py")), _PACKAGE.parent)


@cache
def _used_by_all() -> frozenset[File]:
    """The formulas that the checker itself works with, such as those that compute letters for the engine."""
    return frozenset(_IMPORTED.findall("\n".join(_sources())))


@cache
def checker() -> str:
    """What stands for everything that decides: all sources but the formulas, and the libraries."""
    decided = [sys.version]
    for name in _DECIDING:
        with suppress(PackageNotFoundError):
            decided.append(f"{name} {version(name)}")
    return digest(*_sources(), *decided)
