"""Data that answers need where SymPy is not imported: formulas, presets' sums, solutions

The build of a wheel stores all of it (`store_answers`). In a checkout the command line keeps what it `needed` itself,
question by question.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from .. import presets
from ..answers.rearranging import branches
from ..answers.resolution import letters_of
from ..answers.stored_solutions import BRANCHES, SUMMED, branch_rows
from ..cache import answers
from ..catalogue import catalogue
from ..errors import SymbolicLLMError
from ..formula import Formula
from ..models.cache_kind import name_of
from ..models.formula_table import CHOICES
from ..models.own_formulas import own, own_of_prompts
from ..notation import SUMS, P, P_active, P_total, named
from ..presets.tables import _table
from ..stored_formulas import as_rows

Rows = Iterator[tuple[answers.Question, Any]]


def formulas() -> Rows:
    """Every formula, those that models pick among, and the tables of the presets that are TOML, by name."""
    yield ("formulas",), as_rows(catalogue())
    yield ("choices",), [formula.name for formula in CHOICES]
    yield from ((("table", name), _table(name)) for name in ("hardware", "formats", "sources"))


def sums(model: str) -> Rows:
    """A preset's own formulas: sums over its parts, of its kinds of blocks, of layers and of devices."""
    found = presets.model(model)
    for letter in (P_total, P, P_active):
        yield ("sum", model, letter.name), as_rows([found.formula_for(letter)])
    if any(formula.of_parts for formula in found.formulas):
        yield ("own", name_of(found.kept)), as_rows(own(found.kept))
        yield ("own of prompts", name_of(found.kept)), as_rows(own_of_prompts(found.kept))
    yield ("layers", model), as_rows(found.of_layers({}))
    yield ("shares", model), as_rows(found.of_devices)


def solutions(formula: Formula, unknown: Any) -> Rows:
    """Solutions of a formula for a letter by what is asked: of the plain decoder, and with its sums as letters."""
    asked, sums = (BRANCHES, formula.module, unknown.name), frozenset(SUMS) - {unknown}
    with suppress(SymbolicLLMError):  # it has a solution only with numbers
        yield asked, branch_rows(branches(formula, unknown), unknown)
    if sums & {*letters_of(formula)}:
        with suppress(SymbolicLLMError):  # it depends on the letter through a sum
            yield (*asked, SUMMED), branch_rows(branches(formula, unknown, sums), unknown)


def needed(solved: tuple[str, str] | None = None, model: str | None = None) -> dict[answers.Question, Any]:
    """The formulas, a solution of one for a letter and a preset's sums: all that an answer without SymPy takes.

    What is stored is not made again.
    """
    found: dict[answers.Question, Any] = {}
    if answers.stored("formulas") is None:
        found |= formulas()
    if model in presets.names("models") and answers.stored("shares", model) is None:
        found |= sums(model)
    name, letter = solved or ("", "")
    if name in catalogue():
        formula = catalogue()[name]
        if answers.stored(BRANCHES, formula.module, letter) is None:
            found |= solutions(formula, named(letter))
    return found
