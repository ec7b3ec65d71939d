"""A store of the cache, and the folder that it is in

A store is a file of lines, each a name and what is kept under it, with a digest of both. Lines are only ever added, in
one piece, so that processes at work at the same time lose nothing of each other. A line that was cut, mixed up or
written by something else has another digest, and is none. Of many thousand lines a process asks for few, so each is
looked at when it is asked for. What rests on a file that may have changed since it was imported is not kept.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from .. import sources

_PLACE = "SYMBOLIC_LLM_CACHE"  # a folder of one's own; empty for none
_LARGEST = 2**26  # bytes of a store; a larger one is begun anew
_MOST = 12  # stores of a kind that are kept: the sources of a package change, and come back
_DIGITS = 32


def folder() -> Path | None:
    """Folder of the cache; None where nothing is to be kept, or others can write there, which is said."""
    place = _named()
    return _believed(place, os.path.abspath(place)) if place else None


@lru_cache(maxsize=8)  # looked at, and said, once by each process
def _believed(place: str, absolute: str) -> Path | None:
    """Path of a folder; None if others can put into it what is read there."""
    why = next(
        (why for one in dict.fromkeys((absolute, os.path.realpath(absolute))) if (why := _open_to_others(one))), ""
    )
    if why:
        sys.stderr.write(f"symbolic-llm: the cache {absolute} is not used because {why}.\n")
    return None if why else Path(place)


def make(place: Path) -> None:
    """Make a folder of the cache, for the user alone, where there is none; `OSError` if it cannot be made."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)


def _open_to_others(place: str) -> str:
    """A reason why others can write to a folder, or put another in its place; "" if there is none."""
    if os.name != "posix":
        return ""
    with suppress(OSError):
        found = os.stat(place)
        if found.st_uid not in (0, os.getuid()):
            return "it belongs to another user"
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return "others can write to it"
    while place != (place := os.path.dirname(place)):
        with suppress(OSError):
            mode = os.stat(place).st_mode
            # in a sticky folder, such as /tmp, nobody can put another in the place of what is there
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                return f"anyone can write to {place}"
    return ""


def _named() -> str:
    if (given := os.environ.get(_PLACE)) is not None:
        return given
    if sys.platform in ("win32", "darwin"):  # elsewhere the rule is a line, and the library takes long to load
        from platformdirs import user_cache_dir

        return user_cache_dir("symbolic_llm", appauthor=False)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "symbolic_llm")


def digest(*texts: str) -> str:
    """Digest of some texts, lengths included: other texts have another one."""
    found = sha256()
    for text in texts:
        encoded = text.encode()
        found.update(f"{len(encoded)}\0".encode() + encoded)
    return found.hexdigest()[:_DIGITS]


class Rows(Mapping[str, Any]):
    """Rows of a store, by name; a line is read, and its digest compared, when it is first asked for."""

    def __init__(self, content: bytes = b"") -> None:
        self._known: dict[str, Any] = {}
        self._lines: dict[bytes, list[bytes]] = {}
        for line in content.split(b"\n"):
            name = line.partition(b"\t")[0].partition(b" ")[2]
            self._lines.setdefault(name, []).append(line)

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            self._known[name] = self._whole(json.dumps(name).encode())
        return self._known[name]

    def _whole(self, name: bytes) -> Any:
        """Row that was kept last in a line that is as it was written; `KeyError` if there is none."""
        for line in reversed(self._lines.get(name, [])):
            signed, _, content = line.partition(b" ")
            if signed == _signature(content):
                with suppress(ValueError):
                    return json.loads(content.partition(b"\t")[2])
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        for name in self._lines:
            with suppress(KeyError):
                row = self._whole(name)
                self._known.setdefault(json.loads(name), row)
        return iter(self._known)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def keep(self, rows: Mapping[str, Any]) -> None:
        """Hold these rows too, from now on."""
        self._known |= rows


class Store:
    """Store of what is kept of one kind for the same sources.

    Args:
        kind: "findings", say.
        name: the digest of all that it depends on.
        files: the source files among that; all that were read, if none are named.
        place: the folder that it is in; the user's, if none is named.

    Attributes:
        path: its file; None where nothing is to be kept.
        rows: what is kept, by name.
    """

    def __init__(self, kind: str, name: str, files: Collection[str] | None = None, place: Path | None = None) -> None:
        place = place or folder()
        self._kind = kind
        self.path = place / f"{kind}-{name}.jsonl" if place else None
        self._files = files
        self.rows = self._read()

    def _read(self) -> Rows:
        with suppress(OSError):
            if self.path is not None and self.path.stat().st_size <= _LARGEST:
                return Rows(self.path.read_bytes())
        return Rows()

    def add(self, rows: Mapping[str, Any], more: Mapping[str, Collection[str]] | None = None) -> None:
        """Keep these rows too; where that is not possible, the next run is only slower.

        Args:
            rows: what is kept, by name.
            more: the source files that a row depends on beside those of the store.
        """
        rows = self._certain(rows, more or {})
        self.rows.keep(rows)
        if self.path is None or not rows:
            return
        contents = [
            f"{json.dumps(name)}\t{json.dumps(row, separators=(',', ':'))}".encode() for name, row in rows.items()
        ]
        lines = b"".join(_signature(content) + b" " + content + b"\n" for content in contents)
        with suppress(OSError):
            make(self.path.parent)
            there = self.path.exists()
            if not there:
                self._forget_the_oldest()
            # another process may begin it just now, so only what is too large is begun anew
            full = there and self.path.stat().st_size > _LARGEST
            with self.path.open("wb" if full else "ab", buffering=0) as file:
                file.write(b"\n" + lines)  # after whatever was cut

    def _certain(self, rows: Mapping[str, Any], more: Mapping[str, Collection[str]]) -> Mapping[str, Any]:
        """Rows that certainly rest on the sources as they were read, which is looked at now; of others it is said."""
        if self.path is None or not rows:
            return rows
        files = None if self._files is None else {*self._files}.union(*(more.get(name, ()) for name in rows))
        if not (doubtful := sources.doubtful(files)):
            return rows
        of_all = doubtful if self._files is None else doubtful.intersection(self._files)
        of_row = {name: of_all | doubtful.intersection(more.get(name, ())) for name in rows}
        if changed := sorted(frozenset().union(*of_row.values())):
            _say_not_kept(changed[0])
        return {name: row for name, row in rows.items() if not of_row[name]}

    def _forget_the_oldest(self) -> None:
        assert self.path is not None, "there is a place"
        files = sorted(self.path.parent.glob(f"{self._kind}-*.jsonl"), key=lambda path: path.stat().st_mtime)
        for path in files[: max(0, len(files) - _MOST + 1)]:
            path.unlink()


@lru_cache(maxsize=8)
def _say_not_kept(file: str) -> None:
    """Say that what rests on a file is not kept, once in each process and of each file."""
    sys.stderr.write(
        f"symbolic-llm: {file} may have changed during the run, so results that depend on it are not stored.\n"
    )


def opened(kind: str, name: str, files: frozenset[str] | None = None) -> Store:
    """The store of a kind for these sources, read once by each process and folder."""
    return _opened(str(folder() or ""), kind, name, files)


@lru_cache(maxsize=8)
def _opened(_: str, kind: str, name: str, files: frozenset[str] | None) -> Store:
    return Store(kind, name, files)


def _signature(content: bytes) -> bytes:
    return sha256(content).hexdigest()[:_DIGITS].encode()
