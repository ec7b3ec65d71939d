"""`solve`, `evaluate` and `explain`"""

from __future__ import annotations

import argparse

from ..answers.explanation import explain_formula
from ..answers.solving import solve_formula
from ..answers.stack_forecast import forecast
from ..api import formula_of
from ..errors import Underdetermined
from ..reports.data import explanation_data, solution_data
from ..reports.rows import told
from .parsing import Output, given


def solve_one(options: argparse.Namespace) -> Output:
    """A formula solved for one of its letters."""
    unknown, letters, presets = given(options, 1)
    solution = solve_formula(formula_of(options.name, presets.model), unknown[0] if unknown else None, letters, presets)
    value, note = None, ""
    if letters or presets:
        try:
            value, note = solution.value, solution.note
        except Underdetermined as error:  # the closed form is an answer, and says what it lacks
            note = str(error)
    return 0, repr(solution), solution_data(solution, value, note)


def evaluate_one(options: argparse.Namespace) -> Output:
    """The value of a formula, in its unit; with a stack, the interval of its forecast."""
    _, letters, presets = given(options, 0)
    if options.stack is not None:
        expected = forecast(formula_of(options.name, presets.model), letters, presets, options.stack)
        return 0, repr(expected), expected.data()
    found = explain_formula(formula_of(options.name, presets.model), letters, presets)
    data = {"formula": found.formula.name, **told(found, "value", "unit"), "note": "; ".join(found.notes)}
    shown = f"{found.value!r} {found.unit}" if found.unit.exponents else repr(found.value)
    return 0, "\n".join((shown, *found.notes)), data


def explain_one(options: argparse.Namespace) -> Output:
    """A formula evaluated step by step."""
    _, letters, presets = given(options, 0)
    found = explain_formula(formula_of(options.name, presets.model), letters, presets)
    return 0, repr(found), explanation_data(found)
