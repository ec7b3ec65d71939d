"""Checks 4 and 5: the engine's counts

Check 4 compares formula and count on a fixed set of configurations, check 5 on a grid that decides the formula for
all shapes.
"""

from __future__ import annotations

from itertools import chain

from ..bridge.certificate import Uncertifiable, certify, decidable
from ..bridge.comparison import Comparison, compare_step, compared, comparisons, miscounted, probes_of
from ..claims import Kind
from ..errors import CatalogueError, listed
from ..formula import Formula
from ..steps import DERIVING, Step
from .verdict import Finding, Verdict


def check_engine(formula: Formula) -> Finding:
    """The claim and every measured step beside the engine's counts, `==` throughout."""
    try:
        for number, step in enumerate(formula.steps, 1):
            if step.measured_by:
                found = compare_step(formula, number - 1)
                if fault := _fault(found, f"step {number}: {step.measured_by}", number):
                    return fault
        if not formula.measured_by:
            return _unmeasured(formula)
        found = comparisons(formula)
    except CatalogueError as error:
        return Finding("engine", Verdict.REFUTED, str(error))
    if fault := _fault(found, formula.measured_by, 0):
        return fault
    asked = probes_of(formula.measured_by, formula)
    measures = asked[0].quantity
    if formula.quantity is not None and formula.quantity.name != measures:
        what = f"{formula.measured_by} measures {measures or 'no letter'}, the formula is for {formula.quantity}"
        return Finding("engine", Verdict.REFUTED, what)
    if fault := next(filter(None, map(miscounted, asked)), ""):
        return Finding("engine", Verdict.REFUTED, fault)
    subjects = listed(dict.fromkeys(probe.subject.name for probe in asked))
    return Finding(
        "engine", Verdict.PROVED, f"equal to {formula.measured_by} of {subjects} in {len(found)} configurations"
    )


def _fault(found: list[Comparison], what: str, step: int) -> Finding | None:
    """What is wrong with some comparisons: one that differs, or that there are none."""
    for comparison in found:
        if not comparison.equal:
            where = ", ".join(f"{name} = {value}" for name, value in comparison.config.items())
            predicted, measured = comparison.predicted, comparison.measured
            summary = f"{what}: the formula says {predicted}, the engine counts {measured} for {where}"
            return Finding("engine", Verdict.REFUTED, summary, step)
    if not found:
        return Finding("engine", Verdict.UNDECIDED, f"{what}: no configuration satisfies the conditions", step)
    return None


def _unmeasured(formula: Formula) -> Finding:
    """A formula without a probe must follow from others alone, be a theorem, or say that it is a definition."""
    brought_in = next((n for n, step in enumerate(formula.steps, 1) if not _derives(step)), 0)
    if formula.kind in (Kind.THEOREM, Kind.DEFINITION) or not brought_in:
        why = " (a definition)" if formula.kind is Kind.DEFINITION else ""
        return Finding("engine", Verdict.UNMEASURED, f"not measured{why}: {formula.unmeasured}")
    what = f"step {brought_in} brings in what nothing measures, and the formula is not called a definition"
    return Finding("engine", Verdict.UNDECIDED, what, brought_in)


def _derives(step: Step) -> bool:
    """Whether a step adds no fact of its own: by its rule, because it is measured, or because a formula states it."""
    by_formulas = bool(step.operands) and all(isinstance(operand, Formula) for operand in step.operands)
    return step.rule in DERIVING or bool(step.measured_by) or by_formulas


def contradicted(mutant: Formula) -> str:
    """What tells the mutant from the engine's counts: "engine", "undefined" where it has no value, or ""."""
    measured = (number for number, step in enumerate(mutant.steps) if step.measured_by)
    told = chain(compared(mutant), *(compare_step(mutant, number) for number in measured))
    try:
        return "engine" if any(not comparison.equal for comparison in told) else ""
    except (ZeroDivisionError, CatalogueError):  # or a letter has no value where nothing computes it
        return "undefined"


def check_certificate(formula: Formula) -> Finding:
    """Agreement on a grid that proves the formula for all shapes."""
    try:
        certificates = certify(formula)
    except Uncertifiable as reason:
        return Finding("certificate", Verdict.UNDECIDED, str(reason))
    for certificate in certificates:
        if certificate.counterexample is not None:
            where = ", ".join(f"{name} = {value}" for name, value in certificate.counterexample.items())
            what = f"formula and engine differ on {certificate.subject} for {where}"
            return Finding("certificate", Verdict.REFUTED, what)
    shown = f"proved on {'; '.join(map(str, certificates))}"
    decided = {probe.subject.name for probe in decidable(formula)}
    others = [p.subject.name for p in probes_of(formula.measured_by, formula) if p.subject.name not in decided]
    compared_only = f"; compared only on {listed(others)}" if others else ""
    return Finding("certificate", Verdict.PROVED, shown + compared_only)
