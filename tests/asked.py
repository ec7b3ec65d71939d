"""Answers of the command line to many lines, as data; run as a program, without SymPy"""

from __future__ import annotations

import json
import sys
from typing import Any


def said(line: list[str]) -> Any:
    """Exit code, text and data; the error, if it is one; None for what takes SymPy and is to do without."""
    from symbolic_llm import cli
    from symbolic_llm.algebra import NotStored
    from symbolic_llm.errors import SymbolicLLMError

    options, rest = cli.parser().parse_known_args(line)
    cli._place(rest, options)
    try:
        return list(cli.answered(options))
    except SymbolicLLMError as error:
        return [type(error).__name__, str(error)]
    except NotStored:
        return None


if __name__ == "__main__":
    from symbolic_llm.algebra import do_without_sympy

    do_without_sympy()
    json.dump([said(line) for line in json.load(sys.stdin)], sys.stdout)
    assert "sympy" not in sys.modules
