"""Findings that were made before, on the very same sources

What a check finds on a formula depends on the formula, on those it is built on, on the checker and on the engine. The
store is named by all sources that are no formula and no part of the folders above the checks, with the versions of the
libraries that decide. In it, findings stand under what the formulas say (`content`). A report stands under the texts of
the formula and of all that it imports, and says no more than whose findings make it up. So nothing here needs a formula
to be imported, and where nothing has changed none is.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from time import monotonic
from typing import Any, NamedTuple

from ..cache import Store, digest, opened
from ..reached import reached
from ..sources import PACKAGE, text, texts
from ..sources import below as files_below
from .badge import BASES, Subject, building_on, told, worst
from .verdict import MADE_OF_ALL, MADE_OF_SOME, Finding, Verdict

_FORMULAS = PACKAGE / "formulas"
_ENGINE = PACKAGE.parent / "reference_engine"
_DECIDING = ("sympy", "numpy", "z3-solver", "cvc5", "python-flint")
# rooms that no check looks into, and the one that it looks into by what formulas say
_ABOVE = frozenset({"cli", "pages", "audit", "measurements", "this_machine", "reports", "answers"})
_LEFT_OUT = _ABOVE | {_FORMULAS.name}
_IMPORTED = re.compile(r"formulas\.(\w+)\.(\w+) import")
_NAMED = re.compile(r"catalogue\.named import (\([^)]*\)|.*)")  # by name, as those outside the chapters do
_NAME = re.compile(r"(\w+)(?: as \w+)?")
_LISTED = re.compile(r"formulas_named\(([^)]*)\)")  # in a table
_RELATIVE = re.compile(r"from\s+\.{1,2}(?:(\w+)\.)?(\w+)\s+import")  # `from ..chapter.name` and `from .name`
# other ways to come by a formula, which might be any; each begins with letters, by which it is found quickly
_OTHERWISE = tuple(
    map(
        re.compile,
        (
            r"from\s+\.+\s+import",
            r"from\s+\.\.\w+\s+import",
            r"formulas(?:\.(?!shared\b)\w+)?\s+import",
            r"catalogue(?:\.\w+)?\s+import",
            r"import\s+symbolic_llm",
            r"__import__",
            r"importlib",
            r"sys\.modules",
        ),
    )
)

_WAITING = 0.25  # seconds for which what is found waits, so that files are looked at once for all of it

File = tuple[str, str]  # chapter and name of a formula
_CHAPTER = "__init__"  # the name of a chapter's own file


class Used(NamedTuple):
    """A formula that one builds on: its file, what it says, and whether it is needed or only helps."""

    file: File
    content: str
    needed: bool


class _Found(NamedTuple):
    """The findings of a row with their verdict, made once."""

    row: Any
    findings: tuple[Finding, ...] | None
    verdict: Verdict


_found: dict[str, _Found] = {}  # by the name of the formula


def findings(content: str, name: str) -> tuple[Finding, ...] | None:
    """Findings kept on the formula of this name with this content; None if there are none."""
    return _read(_store().rows, content, name).findings


def _read(rows: Mapping[str, Any], content: str, name: str) -> _Found:
    row, known = rows.get(f"findings {content}"), _found.get(name)
    if known is None or known.row is not row:
        findings = _findings(row, name)
        known = _found[name] = _Found(row, findings, worst(findings or ()))
    return known


def report(formula: File) -> dict[str, Any] | None:
    """Kept report on a formula as data, made of the findings on it and on all it builds on; None if one is missing."""
    rows = _store().rows
    row = rows.get(f"report {fingerprint(formula)}")
    try:
        if not row or tuple(row["formula"]) != formula or not isinstance(row["witness"], str):
            return None
        (basis,) = (basis for basis in BASES if basis.word == row["basis"])
        own = _read(rows, row["content"], formula[1]).findings
        below = [(name, _read(rows, content, name), bool(needed)) for _, name, content, needed in row["below"]]
        if own is None or any(found.findings is None for _, found, _ in below):
            return None
        uses = [building_on([(name, found.verdict, needed) for name, found, needed in below])] if below else []
        return told(Subject(formula[1], row["witness"], basis), [*own, *uses])
    except (LookupError, ValueError, TypeError):
        return None


class Keeper:
    """Writer of new findings and reports, a little later; right before, it looks at the files that they rest on."""

    def __init__(self) -> None:
        self._rows: dict[str, Any] = {}
        self._files: dict[str, frozenset[str]] = {}
        self._due = monotonic() + _WAITING

    def add_findings(self, content: str, name: str, findings: Sequence[Finding]) -> None:
        """Keep what was found on the formula of this name, which says this."""
        row = {"formula": name, "findings": [_row(one) for one in findings]}
        if content and _findings(row, name) is not None:
            self._rows[f"findings {content}"] = row

    def add_report(self, formula: File, about: Subject, content: str, below: Sequence[Used]) -> None:
        """Keep the report on a formula as its file says it, if its file says from where all that it builds on comes."""
        of_all, _ = _read_for_all()
        files = _reached({formula}, of_all) | of_all
        if content and all(used.content and used.file in files for used in below):
            name = f"report {fingerprint(formula)}"
            self._rows[name] = {
                "formula": [*formula],
                "witness": about.witness,
                "basis": about.basis.word,
                "content": content,
                "below": [[*used.file, used.content, used.needed] for used in below],
            }
            self._files[name] = _paths(files)

    def keep(self, *, now: bool = True) -> None:
        """Keep all that is new, now or once it has waited long enough."""
        if not now and monotonic() < self._due:
            return
        known = _store().rows
        _store().add({name: row for name, row in self._rows.items() if known.get(name) != row}, self._files)
        self._rows, self._files = {}, {}
        self._due = monotonic() + _WAITING


def _row(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check,
        "verdict": finding.verdict.value,
        "summary": finding.summary,
        "step": finding.step,
        "steps": [verdict.value for verdict in finding.steps],
    }


def _findings(row: Any, name: str) -> tuple[Finding, ...] | None:
    """Findings of a row; None if it is about another formula, lacks a check or contradicts itself."""
    try:
        found = tuple(map(_finding, row["findings"])) if row["formula"] == name else ()
    except (LookupError, ValueError, TypeError):
        return None
    made = [finding.check for finding in found]
    return found if len({*made}) == len(made) and MADE_OF_ALL <= {*made} <= MADE_OF_ALL | MADE_OF_SOME else None


def _finding(row: Mapping[str, Any]) -> Finding:
    check, verdict, summary, step, steps = row["check"], row["verdict"], row["summary"], row["step"], row["steps"]
    if len(row) != _FIELDS or not isinstance(summary, str) or not isinstance(step, int):
        raise TypeError(row)
    return Finding(check, _VERDICTS[verdict], summary, step, tuple([_VERDICTS[one] for one in steps]))


_VERDICTS = {verdict.value: verdict for verdict in Verdict}  # looked up sooner than asked of the class
_FIELDS = 5


def _store() -> Store:
    return opened("findings", checker(), _deciding())


def listed() -> list[File] | None:
    """All formulas in the order in which they were last checked; None if there are others now."""
    found = _store().rows.get(f"listing {_listing()}")
    with suppress(ValueError, TypeError):
        files = [(chapter, name) for chapter, name in found or ()]
        if files and sorted(files) == [file for file in _files() if file[1] != _CHAPTER]:
            return files
    return None


def decided_by() -> str:
    """Words for what decided equality, where that was not SymPy and FLINT; else ""."""
    return str(_store().rows.get("decided by", ""))


def add_listing(formulas: Iterable[File], decided_by: str) -> None:
    """Keep the order of all formulas, and what decided equality."""
    name = f"listing {_listing()}"
    rows = {name: [[*file] for file in formulas], "decided by": decided_by}
    changed = {name: row for name, row in rows.items() if _store().rows.get(name) != row}
    _store().add(changed, {name: _paths(_files())})


# Fingerprints


@cache
def _of_formulas() -> tuple[str, ...]:
    return tuple(files_below(_FORMULAS))


@cache
def _files() -> tuple[File, ...]:
    """The files of all chapters and of their formulas."""
    places = (path.removesuffix(".py").split(os.sep)[-2:] for path in _of_formulas())
    return tuple(sorted((chapter, name) for chapter, name in places if chapter != _FORMULAS.name))


@cache
def _listing() -> str:
    """Digest of which formulas there are and of their order: as chapters say, and each after those it uses."""
    found = [text(str(_FORMULAS / f"{_CHAPTER}.py"))]
    for file in _files():
        says = _source(file) if file[1] == _CHAPTER else repr(_imported(file))
        found.append(f"{'/'.join(file)}\n{says}")
    return digest(*found)


@cache
def fingerprint(formula: File) -> str:
    """Digest of the texts of everything that a report depends on, beside the checker."""
    of_all, of_them = _read_for_all()
    return digest("/".join(formula), of_them, *map(_of_file, sorted(_reached({formula}, of_all))))


@cache
def _read_for_all() -> tuple[frozenset[File], str]:
    """Files of formulas that all reports depend on, and a digest of them and of what formulas share."""
    files = frozenset(_reached(_used_by_all()))
    return files, digest(*map(_of_file, sorted(files)), *texts(_shared()))


@cache
def _shared() -> tuple[str, ...]:
    """Files that stand beside the chapters, and the presets, by whose names and values examples are checked."""
    beside = (path for path in _of_formulas() if os.path.dirname(path) == str(_FORMULAS))
    return (*beside, *files_below(PACKAGE / "presets", ".toml", ".json"))


def _paths(files: Iterable[File]) -> frozenset[str]:
    """Paths of the files of formulas, of their chapters and of what formulas share."""
    chapters = {(chapter, _CHAPTER) for chapter, _ in files}
    return frozenset(map(_path, {*files} | chapters)).union(_shared())


@cache
def _path(formula: File) -> str:
    chapter, name = formula
    return os.path.join(_FORMULAS, chapter, f"{name}.py")


@cache
def _of_file(file: File) -> str:
    """Digest of a formula's file and of its chapter's own, which is imported before it."""
    chapter, _ = file
    return digest("/".join(file), _source(file), _source((chapter, _CHAPTER)))


def _reached(files: Iterable[File], known: frozenset[File] = frozenset()) -> set[File]:
    """Formula files with those that they import, directly or not, but for those that are known."""
    return set(reached(set(files) - known, lambda file: set(_imported(file)) - known))


@cache
def _imported(formula: File) -> tuple[File, ...]:
    """Formula files that one imports; all files if it may import a formula in a way that does not name its file."""
    source = _source(formula)
    if any(way.search(source) for way in _OTHERWISE):
        return _files()
    relative = ((chapter or formula[0], name) for chapter, name in _RELATIVE.findall(source))
    return (*_IMPORTED.findall(source), *relative)


def _source(formula: File) -> str:
    return text(_path(formula))


@cache
def _deciding() -> frozenset[str]:
    """Files of the checker and of the engine: all sources but formulas and what stands above the checks."""
    return frozenset((*files_below(PACKAGE, but=_LEFT_OUT), *files_below(_ENGINE)))


@cache
def _sources() -> tuple[str, ...]:
    """Texts of the deciding files, and of what formulas share: sums over kinds of blocks are made with it."""
    return (*texts(_deciding()), text(str(_FORMULAS / "shared.py")))


@cache
def _used_by_all() -> frozenset[File]:
    """The formulas that the checker itself works with, such as those that compute letters for the engine.

    It names them where it imports them, or in a table.
    """
    sources = "\n".join(_sources())
    named = set[str]().union(*map(_NAME.findall, (*_NAMED.findall(sources), *_LISTED.findall(sources))))
    return frozenset(_IMPORTED.findall(sources)) | {file for file in _files() if file[1] in named}


@cache
def checker() -> str:
    """Digest of everything that decides: all sources but the formulas, Python, and the libraries."""
    decided = [sys.version]
    for name in _DECIDING:
        with suppress(PackageNotFoundError):
            decided.append(f"{name} {version(name)}")
    return digest(*_sources(), *decided)
