"""What was made before, from the very same things

A section of a page and the font of the site take long to make, and always come out the same. They are kept beside the
findings, under a hash of everything that they are made from; what is not as it was written is made anew.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from ..checks import kept

_LARGEST = 2**22  # bytes of a file that is read
_DIGEST = 32  # bytes of a SHA-256
_PACKAGE = Path(__file__).resolve().parent.parent


def made(make: Callable[[], bytes], *things: str | bytes) -> bytes:
    """What `make` gives, or gave before of the same things.

    Args:
        make: makes it, from these things alone.
        things: everything that it depends on, its own sources included.
    """
    place = kept.folder()
    if place is None:
        return make()
    of_each = (sha256(thing if isinstance(thing, bytes) else thing.encode()).digest() for thing in things)
    path = place / f"{sha256(b''.join(of_each)).hexdigest()}.made"
    with suppress(OSError), path.open("rb") as file:
        content = file.read(_LARGEST)
        if content[:_DIGEST] == sha256(content[_DIGEST:]).digest():
            return content[_DIGEST:]
    content = make()
    with suppress(OSError):  # where it cannot be kept, it is only slower next time
        place.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place)
        with os.fdopen(handle, "wb") as file:
            file.write(sha256(content).digest() + content)
        os.replace(name, path)
    return content


@cache
def tables() -> bytes:
    """What stands for the package's files that are no Python, such as models and hardware."""
    paths = sorted(path for path in _PACKAGE.rglob("*") if path.suffix in {".json", ".toml"})
    return b"".join(sha256(path.read_bytes()).digest() for path in paths)
