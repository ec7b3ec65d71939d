"""Ctrl-C, whatever the program is at: it ends with one sentence and exit code 130

Python raises `KeyboardInterrupt` wherever it is. Before `main` nobody catches it, and where modules are being
loaded it is printed as a traceback, or swallowed by what calls back in between. So a program that is being loaded ends
at once, nothing being under way yet, and one that is running is interrupted between two imports, not within one.

All this is for the program; who imports the package is interrupted as ever.
"""

import _signal as signal  # type: ignore[import-not-found]  # what Python's own module takes long to wrap
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

CODE = 130  # what a shell reports for Ctrl-C
SENTENCE = "symbolic-llm: interrupted.\n"
_LOADER = "<frozen importlib"  # where the functions that import say they are written
_PAUSE = 0.005  # seconds until it is looked again whether an import is done


def begin() -> None:
    """Take over Ctrl-C, if this process is the program and nobody else has done so."""
    if _is_program() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        try:  # noqa: SIM105 - contextlib takes time to load
            signal.signal(signal.SIGINT, _end)
        except ValueError:  # it is not the main thread
            pass


def running() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt` from now on, so that what is under way can be put in order."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, _Waiting())


def done() -> None:
    """Let Ctrl-C end the program at once from now on, since nothing is under way, and nobody catches anything."""
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, _Waiting):
        signal.signal(signal.SIGINT, _end)
        if handler.waits:
            _end()


def _is_program() -> bool:
    """Whether this is `symbolic-llm` or `python -m symbolic_llm`, of which the package is loaded first."""
    command = getattr(sys, "argv", [])[:1]
    if command == ["-m"]:  # until the module is found, its name stands further on
        return "symbolic_llm" in sys.orig_argv
    return [os.path.basename(one).removesuffix(".exe") for one in command] == ["symbolic-llm"]


def _end(*_: object) -> "NoReturn":
    try:
        os.write(2, SENTENCE.encode())
    finally:
        os._exit(CODE)


class _Waiting:
    """A handler that waits until no module is being loaded; a second Ctrl-C does not wait."""

    def __init__(self) -> None:
        self.waits = False

    def __call__(self, number: int, frame: "FrameType | None") -> None:
        again = getattr(signal, "SIGALRM", None)
        if again is None or not _loads(frame):
            self.waits = False
            raise KeyboardInterrupt
        if self.waits and number != again:
            _end()
        self.waits = True
        signal.signal(again, self)
        signal.setitimer(signal.ITIMER_REAL, _PAUSE)


def _loads(frame: "FrameType | None") -> bool:
    """Whether a module is being loaded in a frame, or in one that led to it."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(_LOADER):
            return True
        frame = frame.f_back
    return False
