"""The prompt in a page: what Python prints there, and what `model` says of a config.json that is pasted

A page that is served with Pyodide runs this in the reader's own browser; there the names of this package stand ready.
What is typed is Python, as at any prompt: no server sees it.
"""

from __future__ import annotations

import ast
import builtins
import io
import sys
import tempfile
import traceback
from code import InteractiveInterpreter
from collections.abc import MutableMapping, Sequence
from contextlib import redirect_stdout
from doctest import DocTestParser
from pathlib import Path
from types import CodeType
from typing import Any

import symbolic_llm

from ..catalogue import catalogue
from ..errors import SymbolicLLMError
from . import computed, parser

_RAISED = "Traceback (most recent call last):\n  ...\n"  # as examples are printed


def run(text: str, names: dict[str, Any]) -> str:
    r"""Output of a prompt for examples with `>>>`, or for lines without.

    >>> print(run(">>> 2 + 2\n5\n>>> half\n", {"half": 0.5}), end="")
    4
    0.5

    Args:
        text: the lines; output that stands among them is passed over.
        names: names defined before; those defined now are added.
    """
    examples = DocTestParser().get_examples(text) if text.lstrip().startswith(">>>") else []
    printed, interpreter = io.StringIO(), _Interpreter(names)
    with redirect_stdout(printed):
        for source in [example.source for example in examples] or [text]:
            interpreter.answer(source)
    return printed.getvalue()


class _Interpreter(InteractiveInterpreter):
    """Python's own interpreter for prompts, which prints an error in the short form that examples have."""

    def answer(self, source: str) -> None:
        """Run the source statement by statement, up to the first that raises something."""
        try:
            statements = ast.parse(source).body
        except (SyntaxError, ValueError):
            self.showtraceback()
            return
        self.raised = False
        for statement in statements:
            _offer(statement, self.locals)
            self.runcode(compile(ast.Interactive([statement]), "<prompt>", "single"))
            if self.raised:
                return

    def runcode(self, code: CodeType) -> None:
        """Run the code; `SystemExit` ends the program, and the page goes on."""
        try:
            super().runcode(code)
        except SystemExit:
            self.showtraceback()

    def showtraceback(self) -> None:
        """Print the last line of the traceback."""
        self.raised = True
        error = sys.exception()
        if error is not None:
            print(_RAISED + traceback.format_exception_only(error)[-1], end="")


def _offer(statement: ast.stmt, names: MutableMapping[str, Any]) -> None:
    """Add the names of the package that a statement uses to `names`, each imported now."""
    offered = {*symbolic_llm.__all__, *catalogue().names}
    asked = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    for name in asked & offered - names.keys():
        if not hasattr(builtins, name):
            names[name] = getattr(symbolic_llm, name)


def size(config: str, options: Sequence[str]) -> str:
    """Output of `symbolic-llm model` for the text of a config.json, or its error in one sentence.

    Args:
        config: what was pasted.
        options: as on the command line, such as "--hardware=m2".
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "config.json"
        path.write_text(config, encoding="utf-8", errors="replace")
        try:
            answer = computed(parser().parse_args(["model", str(path), *options]))[1]
        except SymbolicLLMError as error:
            answer = str(error)
    return answer.replace(str(path), path.name)
