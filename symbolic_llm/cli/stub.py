"""The names of the package for editors and type checkers: `python -m symbolic_llm.cli.stub` writes two files

The package finds its formulas by their files and loads each when it is first asked for, which no type checker can
follow: to it every name would exist. So the names are written down, from the catalogue; `make check` does it, and a
test compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

import symbolic_llm

from ..catalogue import catalogue, named
from ..errors import SymbolicLLMError
from ..files import write

ROOT = Path(symbolic_llm.__file__).with_suffix(".pyi")
FORMULAS = Path(named.__file__).with_suffix(".pyi")
COMMAND = "python -m symbolic_llm.cli.stub"


def stubs() -> dict[Path, str]:
    """The texts of both files: what the package exports, and each formula by its name."""
    head = f"# Written by `{COMMAND}`: what a type checker is to know of "
    formulas = sorted(catalogue().names)
    exported = set(dir(symbolic_llm)) - {"__version__", *formulas}
    homes = {name: str(getattr(symbolic_llm, name).__module__) for name in exported}
    imported = {(home.removeprefix(symbolic_llm.__name__), f"{name} as {name}") for name, home in homes.items()}
    imported.add((named.__name__.removeprefix(symbolic_llm.__name__), "*  # noqa: F403"))
    lines = [f"{head}the package's names.", ""]
    lines += [f"from {home} import {names}" for home, names in sorted(imported)]
    lines += ["", "__version__: str"]
    lines += ["__all__ = [", *(f'    "{name}",' for name in symbolic_llm.__all__), "]"]
    listed = [f"{head}the formulas.", "", "from ..formula import Formula", ""]
    listed += [f"{name}: Formula" for name in formulas]
    return {path: "\n".join(text) + "\n" for path, text in ((ROOT, lines), (FORMULAS, listed))}


def main() -> int:
    """Write both files; returns the exit code, 2 with one sentence where a formula file is broken."""
    try:
        for path, text in stubs().items():
            write(path, text.encode())
    except SymbolicLLMError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
