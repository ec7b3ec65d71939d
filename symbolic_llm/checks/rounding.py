"""Check 5, where a count is rounded: it is the largest that fits, for all shapes

Two solvers are asked, as for theorems; that the engine's memory is full exactly when the footprint exceeds it is
counted at exact fits, where one byte less holds one sequence or token less.
"""

from __future__ import annotations

from ..errors import CatalogueError
from ..formula import Formula
from ..witness.largest_that_fits import statements
from .theorems import check_theorem
from .verdict import Finding, Verdict


def check_rounding(formula: Formula) -> Finding:
    """Check by solvers that a rounded count is the largest number that fits."""
    try:
        stated = list(statements(formula))
    except (ValueError, CatalogueError, KeyError) as reason:
        return Finding("certificate", Verdict.UNDECIDED, str(reason))
    for statement in stated:
        found = check_theorem(statement)
        if found.verdict is not Verdict.PROVED:
            summary = f"the largest that fits is another: {found.summary}"
            return Finding("certificate", found.verdict, summary, open=found.open)
    return Finding("certificate", Verdict.PROVED, "for every whole number it counts exactly what fits (z3, cvc5)")
