"""Checks 4 and 5: the engine's counts

Check 4 compares formula and count on a fixed set of configurations, check 5 on a grid that decides the formula for
all shapes.
"""

from __future__ import annotations

from ..certificate import certify
from ..compare import Comparison, compare_step, comparisons
from ..errors import CatalogueError
from ..formula import Formula
from .verdict import Finding, Verdict


def check_engine(formula: Formula) -> Finding:
    """The claim and every measured step beside the engine's counts, `==` throughout."""
    try:
        for number, step in enumerate(formula.steps, 1):
            if step.measured_by:
                for comparison in compare_step(formula, number - 1):
                    if not comparison.equal:
                        return _differs(comparison, f"step {number}: {step.measured_by}", number)
        if not formula.measured_by:
            return Finding("engine", Verdict.PROVED, f"not measured: {formula.unmeasured}")
        found = comparisons(formula)
    except CatalogueError as error:
        return Finding("engine", Verdict.REFUTED, str(error))
    for comparison in found:
        if not comparison.equal:
            return _differs(comparison, formula.measured_by, 0)
    if not found:
        return Finding("engine", Verdict.UNDECIDED, "no configuration satisfies the conditions")
    return Finding("engine", Verdict.PROVED, f"equal to {formula.measured_by} in {len(found)} configurations")


def _differs(comparison: Comparison, what: str, step: int) -> Finding:
    where = ", ".join(f"{name} = {value}" for name, value in comparison.config.items())
    summary = f"{what}: the formula says {comparison.predicted}, the engine counts {comparison.measured} for {where}"
    return Finding("engine", Verdict.REFUTED, summary, step)


def contradicted(mutant: Formula) -> bool:
    """Whether any configuration tells the mutant from what the engine counts."""
    try:
        return any(not comparison.equal for comparison in comparisons(mutant))
    except (ZeroDivisionError, CatalogueError):
        return True


def check_certificate(formula: Formula) -> Finding:
    """Agreement on a grid that proves the formula for all shapes."""
    certificate = certify(formula)
    if certificate.shortage:
        return Finding("certificate", Verdict.UNDECIDED, f"the engine offers too few values of {certificate.shortage}")
    if certificate.counterexample is not None:
        where = ", ".join(f"{name} = {value}" for name, value in certificate.counterexample.items())
        return Finding("certificate", Verdict.REFUTED, f"formula and engine differ for {where}")
    return Finding("certificate", Verdict.PROVED, str(certificate))
