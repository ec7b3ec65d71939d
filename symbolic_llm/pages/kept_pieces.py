"""Store of texts that were made before, from the very same things

A section of a page, a figure and the font of the site take long to make, and always come out the same. They are kept in
the user's cache, under a digest of all that they are made from.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path

from ..cache import digest, opened
from ..checks import findings_store
from ..sources import PACKAGE, below, texts

version = cache(metadata.version)  # of a library, which does not change while it is used


def made(make: Callable[[], str], *things: str, sources: str | None = None) -> str:
    """Text that `make` gives, or gave before of the same things.

    Args:
        make: makes the text, from these things and the sources alone.
        things: everything besides the sources that the text depends on.
        sources: a digest or a name for the sources; by default the digest of the whole package.
    """
    store, name = opened("pages", package() if sources is None else sources), digest(*things)
    found = store.rows.get(name)
    if not isinstance(found, str):
        found = make()
        store.add({name: found})
    return found


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
