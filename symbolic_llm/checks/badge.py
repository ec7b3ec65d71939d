"""Verdict, standing and report of a formula, once its findings are there

There are several ways to be proved. A count that is decided for all shapes, one that was compared on some, what follows
from others by algebra, a law of an ideal machine and a definition are told apart wherever a formula is shown. All of it
is derived here from findings, whether these were just made or are kept, so nothing of it is stored beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import listed
from .verdict import Finding, Standing, Verdict

if TYPE_CHECKING:
    from ..formula import Formula

_MACHINE = "clock."  # probes that divide counts by the figures of a machine
BASES = (Standing.FOLLOWS, Standing.LAW, Standing.COMPARED)


@dataclass(frozen=True)
class Subject:
    """The part of a report that describes its formula, beside the findings.

    Attributes:
        name: of the formula.
        witness: what witnesses it: the engine's probe, or the reason why there is none.
        basis: its standing, if it is proved and no certificate says more.
    """

    name: str
    witness: str
    basis: Standing


def subject(formula: Formula) -> Subject:
    """Subject of a report on this formula: its name, witness and basis."""
    from ..claims import Kind

    if formula.kind is Kind.THEOREM or not formula.measured_by:
        basis = Standing.FOLLOWS
    elif formula.kind is Kind.LAW or formula.measured_by.startswith(_MACHINE):
        basis = Standing.LAW
    else:
        basis = Standing.COMPARED
    return Subject(formula.name, formula.measured_by or f"none: {formula.unmeasured}", basis)


def standing_of(basis: Standing, findings: Sequence[Finding]) -> Standing | None:
    """Standing that findings give a formula; None for one that does not stand."""
    about_it = [finding for finding in findings if finding.check != "values"]
    verdict = worst(about_it)
    if not verdict.stands:
        return None
    if verdict is Verdict.DEFINED:
        return Standing.DEFINITION
    certified = any(f.check == "certificate" and f.verdict is Verdict.PROVED for f in about_it)
    return Standing.CERTIFIED if basis is Standing.COMPARED and certified else basis


def worst(findings: Sequence[Finding]) -> Verdict:
    """The verdict of findings together."""
    return Verdict.worst([finding.verdict for finding in findings])


def told(about: Subject, findings: Sequence[Finding]) -> dict[str, Any]:
    """A report with every finding, as data."""
    standing = standing_of(about.basis, findings)
    return {
        "formula": about.name,
        "verdict": worst(findings).value,
        "standing": standing.word if standing is not None else None,
        "witness": about.witness,
        "findings": [
            {"check": f.check, "verdict": f.verdict.value, "summary": f.summary, "step": f.step or None}
            for f in findings
        ],
    }


def building_on(below: Sequence[tuple[str, Verdict, bool]]) -> Finding:
    """Finding on what a formula builds on: proved only if all of it is proved, directly or not.

    A formula that needs a definition merely rests on it.

    Args:
        below: name and verdict of each that it builds on, and whether it needs that one.
    """
    for name, verdict, _ in below:
        if not verdict.stands:
            return Finding("uses", verdict, f"{name}, on which it builds, is {verdict.value}")
    if found := [name for name, verdict, needed in below if verdict is Verdict.DEFINED and needed]:
        return Finding("uses", Verdict.DEFINED, f"rests on a definition: {listed(found)}")
    return Finding("uses", Verdict.PROVED, f"{len(below)} formula{'s' * (len(below) != 1)} it builds on proved")
