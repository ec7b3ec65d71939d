"""What a formula's verdict rests on: the badge it wears

Proved is not proved alike. A count that is decided for all shapes, one that was compared on some, what follows from
others by algebra, a law of an ideal machine and a definition are told apart wherever a formula is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..claims import Kind
from ..formula import Formula
from .verdict import Finding, Standing, Verdict

_MACHINE = "clock."  # probes that divide counts by the figures of a machine


def standing_of(formula: Formula, findings: Sequence[Finding]) -> Standing | None:
    """The badge that the findings give a formula; None for one that does not stand."""
    about_it = [finding for finding in findings if finding.check != "values"]
    verdict = Verdict.worst([finding.verdict for finding in about_it])
    if not verdict.stands:
        return None
    if verdict is Verdict.DEFINED:
        return Standing.DEFINITION
    if formula.kind is Kind.THEOREM or not formula.measured_by:
        return Standing.FOLLOWS
    if formula.kind is Kind.LAW or formula.measured_by.startswith(_MACHINE):
        return Standing.LAW
    certified = any(f.check == "certificate" and f.verdict is Verdict.PROVED for f in about_it)
    return Standing.CERTIFIED if certified else Standing.COMPARED
