"""Answers in letters, stored as they were printed

What the catalogue lists, shows and solves without numbers depends on its sources alone. Such answers are written when
the package is built, into `answers.txt` beside this file, and in a checkout into the user's cache when they are first
given. Each stands there under a fingerprint of all sources it was printed by, so an answer of other sources is none:
then the question is answered from the formulas, as if nothing were stored.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from ..cache import folder, make
from ..presets.presets import NAMES

BUILT = Path(__file__).with_name("answers.txt")
_PACKAGE = Path(__file__).resolve().parent.parent
_PRINTED_BY = (".py", ".toml", ".json")
_FULL = 2**25  # bytes of the user's file: it is begun anew then, which costs time and no answer
_LONGEST = 200  # characters of a question

Question = Sequence[str]  # command, then names


def question(options: argparse.Namespace) -> Question | None:
    """Words of a question whose answer depends on nothing but the sources; None for any other."""
    named = [options.name] if getattr(options, "name", None) is not None else []
    asked = [options.command, *named, *getattr(options, "arguments", ())]
    least, most = {"list": (1, 1), "presets": (1, 2), "show": (2, 2), "solve": (2, 3)}.get(options.command, (0, 0))
    given = any(getattr(options, preset, None) is not None for preset in NAMES)
    closed = least <= len(asked) <= most and not given and not any("=" in word for word in asked)
    return asked if closed and sum(map(len, asked)) <= _LONGEST else None


def read(asked: Question) -> Any:
    """Answer that is stored under this name for these sources; None if none is, or it cannot be read."""
    return next((answer for place in _places() if (answer := read_from(place, asked)) is not None), None)


def read_from(place: Path, asked: Question) -> Any:
    """Answer that one file has under this name for these sources; None if it has none, or it cannot be read."""
    start = _written(asked)
    with suppress(OSError, ValueError):
        status = place.stat()
        content = _content(place, status.st_mtime_ns, status.st_size)
        begin = content.rindex(start) + len(start)
        end = content.find(b"\n", begin)
        signed, _, answer = content[begin : len(content) if end < 0 else end].partition(b"\t")
        if signed == _signature(start, answer):
            return json.loads(answer)
    return None


@lru_cache(maxsize=4)  # read again once it has changed
def _content(place: Path, changed: int, size: int) -> bytes:
    return place.read_bytes()


def keep(asked: Question, answer: Any) -> None:
    """Store an answer, or what one is made of, in the user's cache; where it cannot be, the next is only slower."""
    with suppress(OSError):
        # sources that were changed meanwhile did not give this answer, or not alone
        if (place := _kept()) is None or fingerprint.__wrapped__() != fingerprint():
            return
        make(place.parent)
        # of other sources, or too many: all of it goes
        mode = "ab" if place.is_file() and place.stat().st_size < _FULL and _of_these_sources(place) else "wb"
        with place.open(mode) as file:
            file.write(line(asked, answer))


def line(asked: Question, answer: Any) -> bytes:
    """An answer as it is stored: question, signature, text and data."""
    start, written = _written(asked), json.dumps(answer).encode()
    return start + _signature(start, written) + b"\t" + written


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
    return found.hexdigest()


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


def _places() -> list[Path]:
    kept = _kept()
    return [BUILT, *([kept] if kept else [])]


def _kept() -> Path | None:
    """Path of the user's file, one for each place that the package is installed in; None without a cache."""
    place = folder()
    return place / f"answers-{sha256(str(_PACKAGE).encode()).hexdigest()[:16]}.txt" if place else None


def _of_these_sources(place: Path) -> bool:
    with place.open("rb") as file:
        asked, _, signed = (file.readline() + file.readline()).partition(b"\t")  # a line begins with its end
        signature, _, answer = signed.partition(b"\n")[0].partition(b"\t")
    return signature == _signature(asked + b"\t", answer)


def _written(asked: Question) -> bytes:
    return b"\n" + json.dumps(asked).encode() + b"\t"  # JSON has neither sign within a line


def _signature(asked: bytes, answer: bytes) -> bytes:
    """Signature of an answer by these sources, so that what is cut, mixed up or of other sources is no answer."""
    return sha256(fingerprint().encode() + asked + answer).hexdigest()[:32].encode()
