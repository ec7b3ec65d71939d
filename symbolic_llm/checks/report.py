"""All checks of a formula together"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..claims import Kind
from ..errors import CatalogueError
from ..expressions.html import code, paragraph, table, words
from ..formula import Formula
from ..reached import reached
from ..witness.letters import gives_a_count
from .badge import Subject, building_on, standing_of, subject, told, worst
from .dimensions import check_dimensions
from .mutants import check_mutants
from .presentation import check_shown
from .steps import check_steps
from .theorems import check_conditions, check_theorem
from .verdict import Finding, Standing, Verdict

Own = Callable[[Formula], tuple[Finding, ...]]


@dataclass(frozen=True, repr=False)
class Report:
    """The findings of all checks on one formula."""

    formula: Formula
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of the findings."""
        return worst(self.findings)

    @property
    def subject(self) -> Subject:
        """Subject of the report: the formula's name, witness and basis."""
        return subject(self.formula)

    @property
    def standing(self) -> Standing | None:
        """Standing of the formula, whatever the report says of given values; None for one that does not stand."""
        return standing_of(self.subject.basis, self.findings)

    @property
    def known(self) -> str:
        """Verdict and, if it is a pass, the word for what it rests on."""
        word = self.standing.word if self.standing is not None and self.verdict is Verdict.PROVED else ""
        return f"{self.verdict.value}, {word}" if word else self.verdict.value

    @property
    def witness(self) -> str:
        """Witness of the formula: the engine's probe, or the reason why there is none."""
        return self.subject.witness

    def __getitem__(self, check: str) -> Finding:
        """The finding of one check; `KeyError` if it was not made."""
        for finding in self.findings:
            if finding.check == check:
                return finding
        raise KeyError(check)

    def __repr__(self) -> str:
        lines = [f"{self.formula.name}: {self.known}  (witness: {self.witness})"]
        lines += [f"  {f.check:<12} {f.verdict.value:<10} {f.summary}" for f in self.findings]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [(words(f.check), words(f.verdict.value), words(f.summary)) for f in self.findings]
        verdict = f"{code(self.formula.name)}: <strong>{self.known}</strong>"
        return paragraph(verdict, f"witness: {self.witness}") + table(("check", "verdict", "finding"), rows)


def report_data(report: Report) -> dict[str, Any]:
    """A report with every finding, as data."""
    return told(report.subject, report.findings)


def check_formula(formula: Formula, *, own: Own | None = None) -> Report:
    """Report of all checks on a formula, as far as each applies.

    The checks are steps, dimensions, conditions, theorem, engine, certificate, mutants and uses. A fault in what is
    shown with the formula is a finding too.

    `own` gives the findings on a formula itself, where they are known already.
    """
    own = own or own_findings
    found = [*own(formula)]
    if formula.uses:
        found.append(check_uses(formula, own))
    return Report(formula, tuple(found))


@lru_cache(maxsize=2**10)
def own_findings(formula: Formula) -> tuple[Finding, ...]:
    """Findings of the checks on the formula itself, kept because every formula that uses it asks again."""
    return tuple(findings(formula))


def findings(formula: Formula, only: Collection[str] = ()) -> Iterator[Finding]:
    """Findings on the formula itself, one by one for callers that stop early; of checks in `only`, if any are named."""
    from .engine import check_engine, contradicted
    from .letter_exchanges import unnoticed

    theorem, witness = formula.kind is Kind.THEOREM, contradicted if formula.measured_by else None
    checks: list[tuple[str, Callable[[], Finding | None]]] = [
        ("shown", lambda: check_shown(formula)),
        ("steps", lambda: check_steps(formula)),
        ("dimensions", lambda: check_dimensions(formula)),
        ("conditions", lambda: check_conditions(formula) if formula.conditions or theorem else None),
        ("theorem", lambda: check_theorem(formula) if theorem else None),
        ("engine", lambda: check_engine(formula)),
        ("certificate", lambda: _certificate(formula)),
        ("mutants", lambda: check_mutants(formula, witness, unnoticed if gives_a_count(formula) else None)),
    ]
    for name, check in checks:
        if (not only or name in only) and (finding := _made(name, check)) is not None:
            yield finding


def _made(name: str, check: Callable[[], Finding | None]) -> Finding | None:
    """Finding of a check, or None; a check that breaks off gives a finding too, and the others are still made."""
    try:
        return check()
    except CatalogueError as error:
        return Finding(name, Verdict.REFUTED, str(error))
    except MemoryError:  # which says nothing of the formula
        raise
    except Exception as error:  # whatever a formula file makes SymPy or the engine stumble over
        summary = f"the check broke off with {type(error).__name__}: {error}"
        return Finding(name, Verdict.UNDECIDED, summary, open=True)


def _certificate(formula: Formula) -> Finding | None:
    """Finding for all shapes: by solvers where the formula rounds down, else by polynomials; None for no equation."""
    from ..witness.certificate_for_all_shapes import certifiable, excused
    from ..witness.largest_that_fits import rounds
    from .engine import check_certificate, check_drawn
    from .rounding import check_rounding

    if rounds(formula):
        return check_rounding(formula)
    if certifiable(formula):
        return check_certificate(formula)
    if not formula.measured_by or formula.kind in (Kind.THEOREM, Kind.APPROXIMATION):
        return None
    if reason := excused(formula):
        return check_drawn(formula, reason)
    return Finding("certificate", Verdict.UNDECIDED, "it is not decided for all shapes, and nothing excuses that")


def check_uses(formula: Formula, own: Own) -> Finding:
    """Finding on the formulas it builds on, directly or not: whether they stand."""
    below = {used: worst(own(used)) for used in formula.closure()}
    rests = needed(formula) if Verdict.DEFINED in below.values() else frozenset()
    return building_on([(used.name, verdict, used in rests) for used, verdict in below.items()])


def needed(formula: Formula) -> frozenset[Formula]:
    """Formulas it builds on whose right-hand side it brings in or whose letter it has, and what those need."""
    below = formula.closure()

    def needed_by(one: Formula) -> list[Formula]:
        letters = one.stated_letters
        return [used for used in below if used is not one and (used.quantity in letters or one.brings_in(used))]

    return frozenset(reached([formula], needed_by)) - {formula}
