"""Files that a user names

They are opened here, by all who take a path. Only a regular file is read or written: a pipe would be waited for, and a
device has no end.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from .errors import InvalidValue, SymbolicLLMError, shown, within_memory

_LONGEST = 240  # signs of a path in a sentence


def path_of(given: object, kind: type[SymbolicLLMError] = InvalidValue) -> str:
    """A path as text; an error of that kind where it is none."""
    try:
        path = os.fspath(given)  # type: ignore[call-overload]
    except TypeError:
        path = given
    if not isinstance(path, str):
        raise kind(f"the path of a file is text, not {type(path).__name__}.")
    return path


def content(path: str, most: int, kind: type[SymbolicLLMError], too_large: str, where: str = "") -> bytes:
    """The bytes of a regular file.

    Args:
        path: of the file.
        most: how many bytes it may have.
        kind: the error where it cannot be read.
        too_large: what is said of a larger one, as in "is larger than any config.json".
        where: how sentences call it; its path if left out.
    """
    where = where or shown(path, _LONGEST) or "''"
    try:
        with within_memory(f"reading {where}"), open(path, "rb", opener=_at_once) as file:
            # asked of what was opened: a path may lead elsewhere by the time it is asked again
            regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(most + 1) if regular else b""  # one more, to see that there is more
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path"
        raise kind(f"{where} cannot be read: {reason.lower()}.") from None
    if not regular:
        raise kind(f"{where} is no regular file.")
    if len(data) > most:
        raise kind(f"{where} {too_large}.")
    return data


def to_write(given: object) -> str:
    """The path of a file that is to be written; `InvalidValue` where something lies there that is no regular file."""
    path = path_of(given)
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
    except OSError:  # nothing is there, or writing says what is wrong
        return path
    except ValueError:  # such as one with a null in it
        raise _unwritable(path, "it is no path") from None
    if not regular:
        raise _unwritable(path, "it is no regular file")
    return path


@contextmanager
def writing(given: object) -> Iterator[str]:
    """The path of a file while it is written; `InvalidValue` where that fails."""
    path = to_write(given)
    try:
        yield path
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from None


def _unwritable(path: str, reason: str) -> InvalidValue:
    return InvalidValue(f"{shown(path, _LONGEST)} could not be written: {reason}.")


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for whoever writes into a pipe or types at a terminal."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
