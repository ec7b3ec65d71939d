"""Files that a user names, and files that are written whole or not at all

Whoever takes a path opens it here. Only a regular file is read or written at a user's word: a pipe would be waited for,
and a device has no end. What is written goes into a file beside, with a name of its own, which takes the place of the
wanted one at the end. Who is interrupted or runs out of room leaves what was there before.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import IO, Any

from .errors import InvalidValue, SymbolicLLMError, shown, within_memory

_LONGEST = 240  # signs of a path in a sentence
UNFINISHED = ".part"  # how a file is called that is not whole yet


def path_of(given: object, kind: type[SymbolicLLMError] = InvalidValue) -> str:
    """Path as text; an error of that kind where it is none."""
    try:
        path = os.fspath(given)  # type: ignore[call-overload]
    except TypeError:
        path = given
    if not isinstance(path, str):
        raise kind(f"a path must be text, not {type(path).__name__}.")
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
        raise kind(f"{where} is not a regular file.")
    if len(data) > most:
        raise kind(f"{where} {too_large}.")
    return data


@contextmanager
def opened(path: str, kind: type[SymbolicLLMError]) -> Iterator[IO[bytes]]:
    """A regular file to read from, piece by piece; an error of that kind where there is none."""
    where = shown(path, _LONGEST) or "''"
    try:
        file = open(path, "rb", opener=_at_once)  # noqa: SIM115 - closed below, and what its user raises passes
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path"
        raise kind(f"{where} cannot be read: {reason.lower()}.") from None
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise kind(f"{where} is not a regular file.")
        yield file


def to_write(given: object) -> str:
    """The path of a file that is to be written; `InvalidValue` where a folder does not take it, or it is no file."""
    path, reason = path_of(given), ""
    try:
        folder = os.path.dirname(os.path.realpath(path))
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            reason = "it is not a regular file"
        elif not os.access(folder, os.W_OK):  # said before the work is done, in the words of the system
            reason = os.strerror(errno.EACCES if os.path.isdir(folder) else errno.ENOENT)
    except OSError:  # writing says what is wrong
        return path
    except ValueError:  # such as one with a null in it
        reason = "it is not a path"
    if reason:
        raise _unwritable(path, reason)
    return path


@contextmanager
def writing(given: object, mode: str = "w", **how: Any) -> Iterator[IO[Any]]:
    """A file of a user to write into, as `whole` opens it; `InvalidValue` where that fails."""
    path = to_write(given)
    try:
        with whole(path, mode, **how) as file:
            yield file
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from None


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
    if known is not None and (not stat.S_ISREG(known.st_mode) or os.fspath(path).startswith(("/dev/", "/proc/"))):
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


def _unwritable(path: str, reason: str) -> InvalidValue:
    return InvalidValue(f"{shown(path, _LONGEST)} could not be written: {reason}.")


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for whoever writes into a pipe or types at a terminal."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
