"""All stored answers in one file: `python -m symbolic_llm.cli.store_answers PATH`, as the build of a wheel does

Without a path it goes beside the package's own sources, where the command line looks first.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..catalogue import catalogue
from ..errors import SymbolicLLMError
from ..files import write
from ..notation import LETTERS
from ..presets import names
from ..stored import answers, formulas
from . import computed, parser
from .data import KINDS


def questions() -> Iterator[answers.Question]:
    """Every question without numbers: formulas by their names, letters by their other names too."""
    yield from (["list"], ["presets"], *(["presets", kind] for kind in KINDS))
    yield from (["show", formula.name] for formula in catalogue())
    names = {name for known in LETTERS.values() for name in (known.name, known.shown or known.name, *known.aliases)}
    yield from (["show", name] for name in sorted(names - set(catalogue().names)))
    for formula in catalogue():
        yield from (["solve", formula.name], *(["solve", formula.name, letter.name] for letter in formula.letters))


def lines() -> Iterator[bytes]:
    """Lines of the file: answers to questions, formulas, and solutions; questions without an answer are left out."""
    for asked in questions():
        with suppress(SymbolicLLMError):
            yield answers.line(asked, computed(parser().parse_args(asked))[1:])
    yield answers.line(["formulas"], formulas.rows())
    yield from (answers.line(["table", name], table) for name, table in formulas.table_rows())
    for model in names("models"):
        yield from (answers.line(["sum", name], row) for name, row in formulas.sum_rows(model))
    made = {tuple(asked): own for model in names("models") for asked, own in formulas.own_formulas(model)}
    yield from (answers.line(list(asked), formulas.as_rows(own)) for asked, own in made.items())
    for formula in catalogue():
        for letter in formula.letters:
            yield from (answers.line(name, rows) for name, rows in formulas.solution_rows(formula, letter))


def store(place: Path) -> None:
    """Write the file, and read its first and its last answer back, so that a file that was cut makes no package.

    Raises:
        OSError: if either is not there.
    """
    written = list(lines())
    write(place, b"".join(written))
    for line in (written[0], written[-1]):
        name, _, rest = line.partition(b"\t")
        if answers.read_from(place, json.loads(name)) != json.loads(rest.partition(b"\t")[2]):
            raise OSError(f"{place} does not hold what was written to it: {name.decode().strip()} cannot be read back.")


if __name__ == "__main__":
    store(Path(*sys.argv[1:2] or [str(answers.BUILT)]))
