"""`--print-completion`: the script with which a shell completes commands, options and names of presets"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from .. import presets
from ..errors import installed, known_name

SHELLS = ("bash", "zsh", "tcsh")
_KINDS = {"model": "models", "hardware": "hardware", "dtype": "formats", "weights": "formats", "cache": "formats"}
_FUNCTION = "_symbolic_llm_{}"


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script that a shell reads to complete a command line.

    Raises:
        SymbolicLLMError: for another shell, or without shtab.
    """
    known_name("shell", shell, SHELLS)
    with installed("completion", "completion"):
        import shtab
    for action in _actions(parser):
        if (kind := _KINDS.get(action.dest)) is not None:
            named = " ".join(presets.names(kind))
            action.complete = {"bash": _FUNCTION.format(kind), "zsh": f"({named})", "tcsh": f"p/*/({named})/"}  # type: ignore[attr-defined]
        elif action.dest in ("file", "files", "path", "csv", "plot", "compare") or "--out" in action.option_strings:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.dest in ("docs", "out", "export"):
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    functions = (
        f"{_FUNCTION.format(kind)}() {{ compgen -W '{' '.join(presets.names(kind))}' -- \"$1\"; }}"
        for kind in sorted({*_KINDS.values()})
    )
    preamble: Any = {"bash": "\n".join(functions)}  # of a shell, where its type says of all of them
    return str(shtab.complete(parser, shell=shell, preamble=preamble))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Options and arguments of all commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
