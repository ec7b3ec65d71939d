"""All checks of a formula together"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from ..claims import Kind
from ..expressions.html import code, paragraph, table, words
from ..formula import Formula
from .dimensions import check_dimensions
from .mutants import check_mutants
from .steps import check_steps
from .theorems import check_conditions, check_theorem
from .verdict import Finding, Verdict

Own = Callable[[Formula], tuple[Finding, ...]]


@dataclass(frozen=True, repr=False)
class Report:
    """The findings of all checks on one formula."""

    formula: Formula
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of the findings."""
        return Verdict.worst([finding.verdict for finding in self.findings])

    @property
    def witness(self) -> str:
        """What witnesses the formula: the engine's probe, or the reason why there is none."""
        return self.formula.measured_by or f"none: {self.formula.unmeasured}"

    def __getitem__(self, check: str) -> Finding:
        """The finding of one check; `KeyError` if it was not made."""
        for finding in self.findings:
            if finding.check == check:
                return finding
        raise KeyError(check)

    def __repr__(self) -> str:
        lines = [f"{self.formula.name}: {self.verdict.value}  (witness: {self.witness})"]
        lines += [f"  {f.check:<12} {f.verdict.value:<10} {f.summary}" for f in self.findings]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [(words(f.check), words(f.verdict.value), words(f.summary)) for f in self.findings]
        verdict = f"{code(self.formula.name)}: <strong>{self.verdict.value}</strong>"
        return paragraph(verdict, f"witness: {self.witness}") + table(("check", "verdict", "finding"), rows)


def check_formula(formula: Formula, *, own: Own | None = None) -> Report:
    """Steps, dimensions, conditions, theorem, engine, certificate, mutants and uses, as far as each applies.

    `own` gives the findings on a formula itself, where they are known already.
    """
    own = own or own_findings
    findings = [*own(formula)]
    if formula.uses:
        findings.append(check_uses(formula, own))
    return Report(formula, tuple(findings))


@lru_cache(maxsize=2**10)
def own_findings(formula: Formula) -> tuple[Finding, ...]:
    """What the checks find on the formula itself, kept because every formula that uses it asks again."""
    from ..bridge.certificate import certifiable
    from .engine import check_certificate, check_engine, contradicted

    findings = [check_steps(formula), check_dimensions(formula)]
    if formula.conditions or formula.kind is Kind.THEOREM:
        findings.append(check_conditions(formula))
    if formula.kind is Kind.THEOREM:
        findings.append(check_theorem(formula))
    findings.append(check_engine(formula))
    if certifiable(formula):
        findings.append(check_certificate(formula))
    findings.append(check_mutants(formula, contradicted if formula.measured_by else None))
    return tuple(findings)


def check_uses(formula: Formula, own: Own) -> Finding:
    """A formula is proved only if all it builds on, directly or not, is."""
    below = formula.closure()
    for used in below:
        verdict = Verdict.worst([finding.verdict for finding in own(used)])
        if verdict is not Verdict.PROVED:
            return Finding("uses", verdict, f"{used.name}, on which it builds, is {verdict.value}")
    return Finding("uses", Verdict.PROVED, f"{len(below)} formula{'s' * (len(below) != 1)} it builds on proved")
