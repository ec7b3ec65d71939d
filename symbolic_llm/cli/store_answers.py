"""All stored answers: `python -m symbolic_llm.cli.store_answers FOLDER`, as the build of a wheel does

Without a folder they go beside the package's own sources, where the command line looks first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .. import presets
from ..cache import answers
from ..catalogue import catalogue
from ..errors import SymbolicLLMError
from ..notation import LETTERS
from . import computed, parser
from .data import KINDS
from .stored_data import Rows, formulas, solutions, sums


def questions() -> Iterator[answers.Question]:
    """Every question without numbers: formulas by their names, letters by their other names too."""
    yield from (("list",), ("presets",), *(("presets", kind) for kind in KINDS))
    yield from (("show", formula.name) for formula in catalogue())
    names = {name for known in LETTERS.values() for name in (known.name, known.shown or known.name, *known.aliases)}
    yield from (("show", name) for name in sorted(names - set(catalogue().names)))
    for formula in catalogue():
        yield from (("solve", formula.name), *(("solve", formula.name, letter.name) for letter in formula.letters))


def printed() -> Rows:
    """Answers to all questions as they are printed; questions without an answer are left out."""
    for asked in questions():
        with suppress(SymbolicLLMError):
            yield asked, computed(parser().parse_args([*asked]))[1:]


def everything() -> Rows:
    """All that a build stores."""
    yield from printed()
    yield from formulas()
    for model in presets.names("models"):
        yield from sums(model)
    for formula in catalogue():
        for letter in formula.letters:
            yield from solutions(formula, letter)


if __name__ == "__main__":
    answers.write(Path(*sys.argv[1:2] or [str(answers.BUILT)]), dict(everything()))
