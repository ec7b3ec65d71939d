"""What was made before, from the very same things

A section of a page, a figure and the font of the site take long to make, and always come out the same. They are kept in
the user's cache, under a digest of all that they are made from.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import metadata
from pathlib import Path

from ..cache import digest, opened
from ..checks import kept
from ..sources import PACKAGE, below, texts

version = cache(metadata.version)  # of a library, which does not change while it is used


def made(make: Callable[[], str], *things: str, sources: str | None = None) -> str:
    """What `make` gives, or gave before of the same things.

    Args:
        make: makes it, from these things and the sources alone.
        things: everything else that it depends on.
        sources: what stands for the sources; by default those of the whole package.
    """
    store, name = opened("pages", package() if sources is None else sources), digest(*things)
    found = store.rows.get(name)
    if not isinstance(found, str):
        found = make()
        store.add({name: found})
    return found


@cache
def package() -> str:
    """What stands for the sources of the package, of the engine, and for the libraries that decide."""
    return digest(kept.checker(), *texts(path for path in below(PACKAGE) if not _is_formula(path)))


def _is_formula(path: str) -> bool:
    return Path(path).parent.parent == PACKAGE / "formulas"


@cache
def formulas() -> str:
    """What stands for all formulas and chapters."""
    return digest(*texts(path for path in below(PACKAGE) if _is_formula(path)))


@cache
def tables() -> str:
    """What stands for the package's files that are no Python, such as models and hardware."""
    return digest(*texts(below(PACKAGE, ".json", ".toml")))
