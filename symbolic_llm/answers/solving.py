"""The question `solve` asks: which letter is the unknown, and what is known of the others"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import NoClosedForm, NotSolvable, Overdetermined, Underdetermined
from ..expressions.printing import text
from ..formula import Formula
from ..presets import NONE, Presets
from .bindings import Given
from .gather import find_letter, gather, own_sum, picked
from .rearranging import branches
from .resolution import written_out
from .solution import Solution

Letters = Mapping[str, object]


def solve_formula(formula: Formula, unknown: object, letters: Letters, presets: Presets = NONE) -> Solution:
    """Solve the claim for `unknown`, by default for its quantity or, if that is given, for the one open letter."""
    if formula.quantity is None and unknown is None and not letters and not presets:
        hint = "it bounds no letter" if formula.statement.presupposed else "name a letter to get a bound on it"
        raise NotSolvable(
            f"{formula.name} is a theorem, so there is nothing to solve for: {hint}; it states {text(formula.claim)}."
        )
    formula = own_sum(formula, presets, letters)
    chosen = picked(formula, presets, letters)
    explicit = {find_letter(formula, name, chosen) for name in letters}
    wanted = find_letter(formula, unknown, chosen) if unknown is not None else formula.quantity
    if unknown is None and (wanted is None or wanted in explicit):
        given = gather(formula, letters, presets)
        wanted = _only_missing(formula, given)
    elif wanted in explicit:
        raise Overdetermined(
            f"{wanted.name} of {formula.name} is both given and to be solved for; leave out one of the two."
        )
    given = gather(formula, letters, presets, unknown=wanted)
    try:
        return Solution(formula, wanted, branches(formula, wanted, given.stated(), chosen), given)
    except NoClosedForm:
        right, _ = written_out(formula, wanted, given.stated(), chosen)
        equation = right - formula.quantity
        if given.missing(equation.free_symbols - {wanted}):
            raise
        return Solution(formula, wanted, (), given, equation)


def _only_missing(formula: Formula, given: Given) -> Any:
    missing = given.missing(formula.letters)
    if not missing:
        raise Overdetermined(
            f"every letter of {formula.name} has a value, so nothing is left to solve for; leave out one value."
        )
    if len(missing) > 1:
        names = ", ".join(symbol.name for symbol in missing)
        raise Underdetermined(
            f"{formula.name} has no value for {names}; choose one of them to solve for, and give the others."
        )
    return missing[0]
