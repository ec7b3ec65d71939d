"""Files that are written whole, or not at all

What is written goes into a file beside, with a name of its own, which takes the place of the wanted one at the end. Who
is interrupted or runs out of room leaves what was there before. Pipes and devices have no such place: what is written
to them is gone as it is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from stat import S_ISREG
from typing import IO, Any

UNFINISHED = ".part"  # how a file is called that is not whole yet


@contextmanager
def whole(path: str | os.PathLike[str], mode: str = "w", **how: Any) -> Iterator[IO[Any]]:
    """A file to write into, which stands under its name once all is written.

    Args:
        path: the file, which is replaced; a link stays one.
        mode: "w" for text, "wb" for bytes.
        **how: encoding and newline, as `open` takes them.

    Raises:
        OSError: it cannot be written.
    """
    try:
        known = os.stat(path) if os.path.exists(path) else None
        place = os.path.realpath(path)
    except ValueError as error:  # such as a name with a null in it
        raise OSError(str(error)) from None
    if known is not None and (not S_ISREG(known.st_mode) or os.fspath(path).startswith(("/dev/", "/proc/"))):
        with open(path, mode, **how) as file:
            yield file
        return
    beside = os.path.join(os.path.dirname(place), f".{token_hex(8)}{UNFINISHED}")
    try:
        with open(beside, mode.replace("w", "x"), **how) as file:
            yield file
        if known is not None:
            os.chmod(beside, known.st_mode & 0o777)
        os.replace(beside, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole, or not at all; `OSError` if it cannot be written."""
    with whole(path, "wb") as file:
        file.write(content)
