"""Checks 4 and 5: the engine's counts

Check 4 compares formula and count on a fixed set of configurations, check 5 decides the formula for all shapes.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from ..claims import Kind
from ..errors import CatalogueError, listed
from ..expressions.arithmetic import NoRoot
from ..formula import Formula
from ..notation import LETTERS
from ..steps import Rule
from ..witness.certificate_for_all_shapes import NUMBERS, Certificate, certify, decidable
from ..witness.comparison_at_places import (
    Comparison,
    beyond,
    compare_step,
    compared,
    compared_step,
    comparisons,
    idle,
    measuring,
)
from ..witness.configurations import drawn
from ..witness.engine_answers import miscounted
from ..witness.ledger_entries import Uncertifiable
from ..witness.letters import probes_of
from .provenance import unmeasured
from .verdict import Finding, Verdict


def check_engine(formula: Formula) -> Finding:
    """Compare the claim and every measured step with the engine's counts, by `==`; no step may lack a measurement."""
    finding = _compared(formula)
    if finding.verdict in (Verdict.PROVED, Verdict.UNMEASURED):
        for number, complaint in unmeasured(formula).items():
            return Finding("engine", Verdict.UNDECIDED, f"step {number} {complaint}", number)
    return finding


def _compared(formula: Formula) -> Finding:
    """Finding of comparing the claim and every measured step with the engine's counts."""
    try:
        for number, step in enumerate(formula.steps, 1):
            if step.measured_by:
                found = compare_step(formula, number - 1)
                if fault := _fault(found, step.measured_by, number):
                    return fault
        number = 0
        if not formula.measured_by:
            return _unmeasured(formula)
        found = comparisons(formula)
    except CatalogueError as error:
        return Finding("engine", Verdict.REFUTED, str(error), number)
    except ZeroDivisionError:
        where = f"step {number}" if number else "the claim"
        return Finding("engine", Verdict.REFUTED, f"{where} divides by zero in a configuration", number)
    if fault := _fault(found, formula.measured_by, 0) or _unheard(formula, found):
        return fault
    asked = probes_of(formula.measured_by, formula)
    measures = asked[0].quantity
    if formula.quantity is not None and formula.quantity.name != measures:
        what = f"{formula.measured_by} measures {measures or 'no letter'}, the formula is for {formula.quantity}"
        return Finding("engine", Verdict.REFUTED, what)
    if untrue := next(filter(None, map(miscounted, asked)), ""):
        return Finding("engine", Verdict.REFUTED, untrue)
    for one in beyond(formula):
        said = f"the formula says {one.predicted}, the engine counts {one.measured} for {_at(one)}"
        what = f"it answers for {one.subject} decoders too, which {formula.measured_by} leaves out: {said}"
        return Finding("engine", Verdict.REFUTED, what)
    subjects = listed(dict.fromkeys(probe.subject.name for probe in asked))
    summary = f"{formula.statement.standing} {formula.measured_by} of {subjects} in {len(found)} configurations"
    return Finding("engine", Verdict.PROVED, summary)


def _at(comparison: Comparison) -> str:
    """Configuration of a comparison as text: its parameters with their values."""
    return ", ".join(f"{name} = {value}" for name, value in comparison.config.items())


def _fault(found: list[Comparison], question: str, step: int) -> Finding | None:
    """Finding on the first fault in some comparisons; None if there is none.

    A fault is a comparison that differs, a lack of any comparison, or a pattern in the probe that says nothing.
    """
    what = f"step {step}: {question}" if step else question
    for comparison in found:
        if not comparison.equal:
            predicted, measured = comparison.predicted, comparison.measured
            summary = f"{what}: the formula says {predicted}, the engine counts {measured} for {_at(comparison)}"
            return Finding("engine", Verdict.REFUTED, summary, step)
    if not found:
        return Finding("engine", Verdict.UNDECIDED, f"{what}: no configuration satisfies the conditions", step)
    if pattern := idle(question, found):
        says = "leaves nothing out" if pattern.startswith("!") else "counts nothing"
        return Finding("engine", Verdict.REFUTED, f"{what}: the pattern {pattern} {says} in any configuration", step)
    return None


def _unheard(formula: Formula, found: list[Comparison]) -> Finding | None:
    """Finding where the engine never gave one of the claim's possible answers for a subject; None if it gave all.

    The possible answers are yes and no, or the cases.
    """
    heard = dict[str, set[Any]]()
    for one in found:
        heard.setdefault(one.subject, set()).add(one.measured)
    for subject, answers in heard.items():
        # who hears yes everywhere cannot tell a formula from one that says yes to everything
        if len(answers) < len(formula.statement.answers):
            what = f"{formula.measured_by} of {subject} is answered by {listed(map(str, answers))} everywhere"
            return Finding("engine", Verdict.UNDECIDED, what)
    return None


def _unmeasured(formula: Formula) -> Finding:
    """Finding on a formula without a probe: it may be a theorem, a definition or the limit of a formula with a probe.

    Its letter has to be one that the engine neither measures nor is given: what could be counted is not defined.
    """
    letter, why = formula.quantity, f"not measured: {formula.unmeasured}"
    if formula.kind is Kind.THEOREM:
        return Finding("engine", Verdict.UNMEASURED, why)
    if probes := measuring(letter):
        what = f"the engine measures {letter}, by {probes[0]}, and no probe is named"
        return Finding("engine", Verdict.REFUTED, what)
    if letter in LETTERS and LETTERS[letter].engine:
        return Finding("engine", Verdict.REFUTED, f"the engine is given {letter}, so nothing defines it")
    if formula.kind is Kind.DEFINITION:
        return Finding("engine", Verdict.DEFINED, f"a definition, {why}")
    if _is_limit(formula):
        return Finding("engine", Verdict.UNMEASURED, why)
    what = "nothing measures it, and it is no theorem, no definition and no limit of a count"
    return Finding("engine", Verdict.REFUTED, what)


def _is_limit(formula: Formula) -> bool:
    """Whether a formula states only the limit of a measured count, and that of which its letter is the limit."""
    first, *others = formula.steps
    counts = [o.quantity for o in first.operands if isinstance(o, Formula) and o.measured_by]
    grown = [step.operands[0] for step in others if step.rule is Rule.LIMIT]
    stands_for = LETTERS[formula.quantity].limit_of if formula.quantity in LETTERS else None
    rules = {step.rule for step in others}
    tends = first.rule is Rule.CITE and rules <= {Rule.LIMIT, Rule.REWRITE}
    return tends and stands_for is not None and (*map(str, counts), *map(str, grown)) == stands_for


def contradicted(mutant: Formula) -> str:
    """Name of what rejects a mutant: "engine" for a count, "undefined" where it has no value, "" for nothing."""
    measured = (number for number, step in enumerate(mutant.steps) if step.measured_by)
    # one by one: the first difference is enough, and most mutants show it at once
    told = chain(compared(mutant), *(compared_step(mutant, number) for number in measured))
    try:
        return "engine" if any(not comparison.equal for comparison in told) else ""
    except (ZeroDivisionError, NoRoot, CatalogueError):  # or a letter has no value where nothing computes it
        return "undefined"


def check_drawn(formula: Formula, reason: str) -> Finding:
    """Compare formula and engine in configurations drawn from the claim, where nothing decides it for all shapes.

    Nobody has looked at these configurations before.
    """
    places = tuple(drawn(formula))
    found = comparisons(formula, places)
    if wrong := next((one for one in found if not one.equal), None):
        said = f"the formula says {wrong.predicted}, the engine counts {wrong.measured} for {_at(wrong)}"
        return Finding("certificate", Verdict.REFUTED, f"at a place that is drawn from its claim {said}")
    return Finding(
        "certificate",
        Verdict.UNMEASURED,
        f"not certified, only compared, at {len(found)} more places that are drawn from its claim: {reason}",
    )


def check_certificate(formula: Formula) -> Finding:
    """Decide whether formula and engine agree as polynomials, which proves the formula for all shapes."""
    try:
        certificates = certify(formula)
    except Uncertifiable as reason:
        return Finding("certificate", Verdict.UNDECIDED, str(reason))
    for certificate in certificates:
        if certificate.counterexample is not None:
            where = ", ".join(f"{name} = {value}" for name, value in certificate.counterexample.items())
            what = f"formula and engine differ on {certificate.subject} for {where}"
            return Finding("certificate", Verdict.REFUTED, what)
    shown = _decided(certificates)
    decided = {probe.subject.name for probe in decidable(formula)}
    others = [p.subject.name for p in probes_of(formula.measured_by, formula) if p.subject.name not in decided]
    compared_only = f"; compared only on {listed(others)}" if others else ""
    return Finding("certificate", Verdict.PROVED, shown + compared_only)


def _decided(certificates: tuple[Certificate, ...]) -> str:
    """Summary of certificates: of one subject with all degrees, of several with the highest."""
    seen = ""
    if through := dict.fromkeys(name for certificate in certificates for name in certificate.one_by_one):
        seen = f"; what is compared one by one is for {listed(map(str, sorted(NUMBERS)))} of {listed(through)}"
    if len(certificates) == 1:
        return f"proved for all shapes of {certificates[0]}{seen}"
    subjects = listed(certificate.subject for certificate in certificates)
    highest = max(degree for certificate in certificates for degree in certificate.degrees.values())
    runs = sum(certificate.runs for certificate in certificates)
    return f"proved for all shapes of {subjects}: {runs:,} runs, degree {highest} at most in each parameter{seen}"
