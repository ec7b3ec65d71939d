"""Printed answers, formulas and solutions, stored under the digest of all sources that they rest on

What the catalogue lists, shows and solves without numbers depends on its sources alone. Such answers are written when
the package is built, into a store beside this file, and in a checkout into the user's cache when they are first given.
So are formulas, sums of presets and solutions as data (`stored_formulas`), into which numbers are put without SymPy.
The store's name is the digest of all sources, so of other sources nothing is found: then the question is answered from
the formulas.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from .store import Rows, Store, folder

BUILT = Path(__file__).parent  # where a build puts its store
KIND = "answers"
_PACKAGE = Path(__file__).resolve().parent.parent
_PRINTED_BY = (".py", ".toml", ".json")

Question = tuple[str, ...]  # command, then names


def stored(*asked: str) -> Any:
    """Answer that is stored under this name for these sources; None if there is none."""
    name, places = json.dumps(asked), (BUILT, folder())
    return next((row for place in places if (row := _opened(place, fingerprint()).rows.get(name)) is not None), None)


def keep(answers: Mapping[Question, Any]) -> None:
    """Store answers, or what they are made of, in the user's cache; where they cannot be, the next is only slower."""
    new = {json.dumps(asked): answer for asked, answer in answers.items() if stored(*asked) is None}
    _opened(folder(), fingerprint()).add(new)


class _Answers(Store):
    """Store of the answers that these sources give."""

    def _certain(self, rows: Mapping[str, Any], more: Mapping[str, Collection[str]]) -> Mapping[str, Any]:
        """All rows, unless a source was changed meanwhile: then others gave these answers, or not these alone."""
        return rows if fingerprint.__wrapped__() == fingerprint() else {}


@cache
def _opened(place: Path | None, name: str) -> Store:
    return _Answers(KIND, name, place=place)


def write(place: Path, answers: Mapping[Question, Any]) -> Path:
    """Write the store of a build into a folder, and read it back, so that a file that was cut makes no package.

    Returns:
        the file.

    Raises:
        OSError: if an answer is not there.
    """
    store = _Answers(KIND, fingerprint(), place=place)
    assert store.path is not None, "there is a place"
    store.path.unlink(missing_ok=True)
    store.add({json.dumps(asked): answer for asked, answer in answers.items()})
    found = Rows(store.path.read_bytes())
    for asked, answer in answers.items():
        if found.get(json.dumps(asked)) != json.loads(json.dumps(answer)):
            raise OSError(f"{store.path} does not hold what was written to it: {' '.join(asked)} cannot be read back.")
    return store.path


@cache
def fingerprint() -> str:
    """Digest of everything that prints an answer: the sources and data of this package, and SymPy's version."""
    found = sha256()
    package = str(_PACKAGE)
    for name, path in sorted((path.removeprefix(package).replace(os.sep, "/"), path) for path in _sources(package)):
        found.update(_counted(name, path))
    spec = PathFinder.find_spec("sympy")  # finds it without importing it
    for where in (spec and spec.submodule_search_locations) or ():
        found.update(_counted("sympy", os.path.join(where, "release.py")))
    return found.hexdigest()[:32]


def _sources(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from _sources(entry.path)
        elif entry.name.endswith(_PRINTED_BY):
            yield entry.path


def _counted(name: str, path: str) -> bytes:
    """A file's name and content, with their lengths, so that no two sets of files look alike."""
    with open(path, "rb", buffering=0) as file:  # read in one go, of hundreds: a buffer would take a quarter longer
        content = file.read()
    return f"{name}\0{len(content)}\0".encode() + content
