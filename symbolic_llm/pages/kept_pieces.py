"""Store of texts that were made before, from the very same things

A section of a page, a figure and the font of the site take long to make, and always come out the same. They are kept in
the user's cache, under a digest of all that they are made from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from pathlib import Path

from ..cache import digest, opened
from ..checks import findings_store
from ..sources import PACKAGE, below, texts

version = cache(metadata.version)  # of a library, which does not change while it is used

New = dict[str, dict[str, str]]  # texts by the digest of their sources and by name
_new: New | None = None  # what waits to be kept


def made(make: Callable[[], str], *things: str, sources: str | None = None) -> str:
    """Text that `make` gives, or gave before of the same things.

    Args:
        make: makes the text, from these things and the sources alone.
        things: everything besides the sources that the text depends on.
        sources: a digest or a name for the sources; by default the digest of the whole package.
    """
    of, name = package() if sources is None else sources, digest(*things)
    waits = {} if _new is None else _new.setdefault(of, {})
    found = waits.get(name) or opened("pages", of).rows.get(name)
    if not isinstance(found, str):
        found = waits[name] = make()
        if _new is None:
            keep({of: waits})
    return found


def keep(new: New) -> None:
    """Keep texts, or none whose sources have changed since; that is looked at once for all of them."""
    for sources, rows in new.items():
        opened("pages", sources).add(rows)


@contextmanager
def waiting() -> Iterator[New]:
    """The texts that are made within, which another process may keep."""
    global _new
    before, _new = _new, {}
    try:
        yield _new
    finally:
        _new = before


@cache
def package() -> str:
    """Digest of the sources of the package without the formulas, of the engine, and of the libraries that decide."""
    return digest(findings_store.checker(), *texts(path for path in below(PACKAGE) if not _is_formula(path)))


def _is_formula(path: str) -> bool:
    return Path(path).parent.parent == PACKAGE / "formulas"


@cache
def formulas() -> str:
    """Digest of all formulas and chapters."""
    return digest(*texts(path for path in below(PACKAGE) if _is_formula(path)))


@cache
def tables() -> str:
    """Digest of the package's files that are not Python, such as models and hardware."""
    return digest(*texts(below(PACKAGE, ".json", ".toml")))
