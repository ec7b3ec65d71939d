"""All checks of a formula together"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..claims import Kind
from ..formula import Formula
from .dimensions import check_dimensions
from .mutants import check_mutants
from .steps import check_steps
from .theorems import check_theorem
from .values import check_values
from .verdict import Finding, Verdict


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


def check_formula(formula: Formula, letters: Mapping[str, object] | None = None, **preset: Any) -> Report:
    """Steps, theorem, dimensions, engine, certificate and mutants, as far as each applies; values, if any are given."""
    from ..certificate import certifiable  # NumPy comes with the engine, so not before it is needed
    from .engine import check_certificate, check_engine, contradicted

    findings = [check_steps(formula), check_dimensions(formula)]
    if formula.kind is Kind.THEOREM:
        findings.append(check_theorem(formula))
    findings.append(check_engine(formula))
    if certifiable(formula):
        findings.append(check_certificate(formula))
    findings.append(check_mutants(formula, contradicted if formula.measured_by else None))
    if letters or any(name is not None for name in preset.values()):
        findings.append(check_values(formula, letters or {}, **preset))
    return Report(formula, tuple(findings))
