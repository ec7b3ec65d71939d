"""Source files: their texts, and whether these are what was imported

Findings are made by modules as they were imported, and are kept under the texts of the files, which are read at some
other time. Both are the same where no file has changed since before the first module was imported. A file's own clock
says so (`st_ctime`, which nobody sets), and it is asked right before something is kept.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
_ROOT = f"{PACKAGE.parent}{os.sep}"
_IMPORTED = (PACKAGE.name, "reference_engine")  # each says when it `BEGAN` to be imported
_SECOND = 10**9
_TICK = 15 * _SECOND // 1000  # by which a file's clock may be behind: kernels set it a hundred times a second, or more
_COMPILING = _SECOND  # from when a file is read until its compiled copy is written, and more than that
_HEADER = 16  # bytes before the code in a compiled copy

_Look = tuple[int, ...]
_NONE: _Look = ()  # where there is no file


@dataclass(frozen=True)
class _Source:
    """A file as it was when it was read, and the module that it is."""

    text: str
    seen: _Look
    module: str


_read: dict[str, _Source] = {}
_compiled: set[str] = set()  # files whose compiled copies were looked at


def text(path: str) -> str:
    """Text of a file when it was first asked for; "" if there was none."""
    if path not in _read:
        seen, said = _NONE, ""
        with suppress(OSError), open(path, "rb", buffering=0) as file:
            seen = _look(os.fstat(file.fileno()))
            said = file.read().decode()
        module = path.removeprefix(_ROOT).removesuffix(".py").replace(os.sep, ".").removesuffix(".__init__")
        _read[path] = _Source(said, seen, module)
    return _read[path].text


def texts(paths: Iterable[str]) -> tuple[str, ...]:
    """Texts of files with their names, in one order, for a digest of them."""
    return tuple(f"{path.removeprefix(_ROOT).replace(os.sep, '/')}\n{text(path)}" for path in sorted(paths))


def below(folder: Path, *endings: str, but: Iterable[str] = ()) -> list[str]:
    """Files below a folder with one of these endings, else `.py`; the folders `but` right below it are left out."""
    found, left_out = [], {os.path.join(folder, name) for name in but}
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__" and os.path.join(where, name) not in left_out]
        found += [os.path.join(where, name) for name in names if name.endswith(endings or ".py")]
    return found


def doubtful(paths: Iterable[str] | None = None) -> frozenset[str]:
    """The files, of all that were read if none are named, that may be other than what was read or imported."""
    began = min(getattr(sys.modules[name], "BEGAN", 0) for name in _IMPORTED if name in sys.modules)
    return frozenset(path for path in (_read if paths is None else paths) if not _is_as_imported(path, began))


def _is_as_imported(path: str, began: int) -> bool:
    """Whether a file is as it was when it was read, and was so before anything was imported."""
    seen, source = _NONE, _read.get(path)
    with suppress(OSError):
        seen = _look(os.stat(path))
    if source is None or source.seen != seen:
        return False
    if seen == _NONE:
        return source.module not in sys.modules
    return _older(seen[-1], began) and _is_whence(path, source.module) and _is_compiled(path, source.text, seen)


def _older(changed: int, began: int) -> bool:
    """Whether a file was changed before; its clock may be behind, and by two seconds if it shows whole ones."""
    return changed + (_TICK if changed % _SECOND else 2 * _SECOND) < began


def _look(status: os.stat_result) -> _Look:
    """State of a file: its number and size, and when it was changed; on Windows `st_ctime` is when it was made."""
    changed = status.st_ctime_ns if os.name == "posix" else max(status.st_ctime_ns, status.st_mtime_ns)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, changed


def _is_whence(path: str, module: str) -> bool:
    """Whether the module, if it was imported, comes from this file and no other of its name."""
    if (imported := sys.modules.get(module)) is None:
        return True
    whence = getattr(imported, "__file__", None) or ""
    with suppress(OSError):
        return whence == path or os.path.samefile(whence, path)
    return False


def _is_compiled(path: str, said: str, seen: _Look) -> bool:
    """Whether Python's compiled copy of a file, if Python takes it, was made of this text.

    Python takes a copy that was compiled of a file of the same size, changed in the same second.
    """
    *_, size, modified, changed = seen
    if path.endswith(".py") and path not in _compiled:
        place = cache_from_source(path)
        with suppress(OSError):  # there is none
            if os.stat(place).st_mtime_ns < changed + _COMPILING:
                content = Path(place).read_bytes()
                if _is_taken(content, modified, size) and not _is_of(content, said):
                    return False
    _compiled.add(path)
    return True


def _is_taken(content: bytes, modified: int, size: int) -> bool:
    """Whether Python takes a compiled copy for a file of this size and time; one that goes by a digest may be taken."""
    of_file = (modified // _SECOND, size)
    by_time = b"".join((number % 2**32).to_bytes(4, "little") for number in (0, *of_file))
    return content[:4] == MAGIC_NUMBER and (content[4:8] != by_time[:4] or content[4:_HEADER] == by_time)


def _is_of(content: bytes, said: str) -> bool:
    """Whether a compiled copy is of this text."""
    import ast  # asked for where a copy is as young as its file

    with suppress(ValueError, EOFError, TypeError, SyntaxError):
        return bool(marshal.loads(content[_HEADER:]) == compile(ast.parse(said), "", "exec", dont_inherit=True))
    return False
