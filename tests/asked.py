"""Answers of the command line to many lines, as data; run as a program, without SymPy"""

from __future__ import annotations

import json
import sys
from typing import Any


def said(line: list[str], *, without_sympy: bool = False) -> Any:
    """Exit code, text and data; the error, if it is one; None for what takes SymPy and is to do without."""
    from symbolic_llm import cli
    from symbolic_llm.errors import SymbolicLLMError
    from symbolic_llm.stored import NotStored

    options, rest = cli.parser().parse_known_args(line)
    cli._place(rest, options)
    try:
        return list(cli.answered(options, without_sympy=without_sympy))
    except SymbolicLLMError as error:
        return [type(error).__name__, str(error)]
    except NotStored:
        return None


if __name__ == "__main__":
    from symbolic_llm.stored import standing_in

    assert standing_in.begin()
    json.dump([said(line, without_sympy=True) for line in json.load(sys.stdin)], sys.stdout)
    assert not hasattr(sys.modules["sympy"], "__file__")
