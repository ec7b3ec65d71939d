"""Check of a formula at given values: whether it applies to them, and whether it is true of them"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..checks.report import Report
from ..checks.verdict import Finding, Verdict
from ..errors import ConditionViolated, NoSolution
from ..expressions.exact import exact
from ..expressions.printing import text
from ..formula import Formula
from ..presets import NONE, Presets
from .explanation import Explanation, explain_formula, sides


def with_values(report: Report, letters: Mapping[str, object], presets: Presets = NONE) -> Report:
    """The report with one finding more if there are letters or presets: whether the formula applies to them."""
    if not letters and not presets:
        return report
    return Report(report.formula, (*report.findings, check_values(report.formula, letters, presets)))


def check_values(formula: Formula, letters: Mapping[str, object], presets: Presets = NONE) -> Finding:
    """Whether every condition holds for the values and the claim has a value for them.

    A theorem has to be true of them. A question with too few values, or with wrong ones, is no finding: it raises what
    `explain` raises.
    """
    try:
        found = explain_formula(formula, letters, presets)
        result = found.result
    except (ConditionViolated, NoSolution) as error:
        return Finding("values", Verdict.REFUTED, str(error))
    numbers = found.given.numbers()
    for relation in formula.statement.presupposed:
        if not exact(relation, numbers):
            fails = f"{text(relation)} fails: {sides(relation, numbers, formula.plain)}"
            return Finding("values", Verdict.REFUTED, f"{formula.name} does not apply to these values: {fails}")
    if not _true(found):
        return Finding("values", Verdict.REFUTED, f"{formula.name} is not true for these values")
    said = "its conclusion holds" if result == "True" else "neither its conclusion nor its premise holds"
    summary = said if formula.quantity is None else f"its conditions hold, and {formula.quantity.name} is {result}"
    return Finding("values", Verdict.PROVED, summary)


def _true(found: Explanation) -> bool:
    """Whether a theorem is true of the values; an equation gives its quantity the value that makes it so."""
    if found.formula.quantity is not None:
        return True
    return found.formula.statement.truth(partial(exact, values=found.given.numbers()))
