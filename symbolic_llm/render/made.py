"""What was made before, from the very same things

A section of a page and the font of the site take long to make, and always come out the same. They are kept in the
user's cache, in a store of the package's sources, under a digest of all else that they are made from.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from ..cache import digest, opened, texts
from ..checks import kept

_PACKAGE = Path(__file__).resolve().parent.parent


def made(make: Callable[[], str], *things: str) -> str:
    """What `make` gives, or gave before of the same things.

    Args:
        make: makes it, from these things and the sources of this package alone.
        things: everything else that it depends on.
    """
    store, name = opened("pages", kept.checker()), digest(*things)
    found = store.rows.get(name)
    if not isinstance(found, str):
        found = make()
        store.add({name: found})
    return found


@cache
def tables() -> str:
    """What stands for the package's files that are no Python, such as models and hardware."""
    return digest(*texts((path for path in _PACKAGE.rglob("*") if path.suffix in {".json", ".toml"}), _PACKAGE))
