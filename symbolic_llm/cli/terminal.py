"""Output of the command line: any encoding, a closed pipe, a full disk, a terminal that cannot redraw"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from ..formula import Formula

# What an encoding may lack, as near as ASCII comes; a drawing keeps its shape, sign for sign.
_LIKE = {
    **dict.fromkeys("·⋅×", "*"),
    **dict.fromkeys("−–─", "-"),
    **dict.fromkeys("⎜│⎟⎢⎥", "|"),
    **dict.fromkeys("┌┐└┘", "+"),
    **dict.fromkeys("⎛╱⎠", "/"),
    **dict.fromkeys("⎝╲⎞", "\\"),
    **dict.fromkeys("⌊⎡⎣", "["),
    **dict.fromkeys("⌋⎤⎦", "]"),
    **dict.fromkeys("’′", "'"),
    **dict.fromkeys("“”", '"'),
} | {"≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "⟺": "<=>", "⟹": "=>", "→": "->", "µ": "u", "²": "^2", "³": "^3"}


# What would move a terminal's cursor: names of files may hold it, and answers repeat them.
_CONTROL = [code for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]
_ESCAPED = {code: f"\\x{code:02x}" for code in _CONTROL}
_ESCAPED_IN_JSON = {code: f"\\u{code:04x}" for code in _CONTROL}


def _alike(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_LIKE.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


codecs.register_error("symbolic_llm.alike", _alike)


def prepare() -> None:
    """Write what an encoding lacks as something like it, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="symbolic_llm.alike")


def write(text: str) -> None:
    """Write an answer, all of it; `OSError` where that fails."""
    if sys.stdout is None:
        raise OSError("standard output is closed")
    print(text.translate(_ESCAPED), flush=True)


def write_json(data: Any) -> None:
    """Write data as JSON, with escapes where the encoding is not that of JSON."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    text = json.dumps(data, indent=2, ensure_ascii=codecs.lookup(encoding).name != "utf-8")
    write(text.translate(_ESCAPED_IN_JSON))


def complain(sentence: str) -> None:
    """Say what was wrong on standard error, if there is any."""
    if sys.stderr is not None:
        try:
            print(f"symbolic-llm: {sentence}", file=sys.stderr, flush=True)
        except OSError:  # it may be full as well
            _drop(sys.stderr)


def give_up_writing() -> None:
    """Drop what Python has not written yet, since writing has failed, so that it does not complain at its end."""
    if sys.stdout is not None:
        _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def progress(formulas: list[Formula]) -> Iterator[Formula]:
    """The formulas one by one, with a line on a terminal that says how far it has come."""
    for done, formula in enumerate(formulas):
        redraw(f"checking {done + 1} of {len(formulas)}: {formula.name}")
        yield formula
    redraw("")


def bar(done: int, of: int) -> None:
    """Draw a bar that shows the passes that are done; remove it when all are."""
    filled = 30 * done // of
    redraw(f"[{'#' * filled}{'.' * (30 - filled)}] {done} of {of} passes" if done < of else "")


def redraw(line: str) -> None:
    """Put this line in the place of the one before, on a terminal that can; elsewhere nothing."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return
    import shutil  # only a terminal needs it

    width = shutil.get_terminal_size().columns - 1  # a full line would wrap, and stay
    with suppress(OSError):
        print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
