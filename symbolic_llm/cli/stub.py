"""The names of the package for editors and type checkers: `python -m symbolic_llm.cli.stub` writes __init__.pyi

The package finds its formulas by their files and loads each when it is first asked for, which no type checker can
follow: to it every name would exist. So the names are written down, from the catalogue; `make check` does it, and a
test compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

import symbolic_llm

from ..catalogue import catalogue
from ..errors import SymbolicLLMError
from ..files import write

PATH = Path(symbolic_llm.__file__).with_suffix(".pyi")
COMMAND = "python -m symbolic_llm.cli.stub"


def stub() -> str:
    """The text of __init__.pyi: what the package exports, and each formula by its name."""
    formulas = sorted(catalogue().names)
    exported = set(dir(symbolic_llm)) - {"__version__", *formulas}
    homes = {name: str(getattr(symbolic_llm, name).__module__) for name in exported}
    lines = [f"# Written by `{COMMAND}`: what a type checker is to know of the package's names.", ""]
    for name, home in sorted(homes.items(), key=lambda pair: pair[::-1]):
        lines.append(f"from {home.removeprefix(symbolic_llm.__name__)} import {name} as {name}")
    lines += ["", "__version__: str", "__all__ = [", *(f'    "{name}",' for name in symbolic_llm.__all__), "]", ""]
    lines += [f"{name}: Formula" for name in formulas]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the file; returns the exit code, 2 with one sentence where a formula file is broken."""
    try:
        write(PATH, stub().encode())
    except SymbolicLLMError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
