"""Verdicts and findings"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What a check found. Only `PROVED` is a pass; `UNMEASURED` says that there was nothing to compare with."""

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    UNMEASURED = "UNMEASURED"

    @staticmethod
    def worst(verdicts: list[Verdict]) -> Verdict:
        """REFUTED before UNDECIDED before PROVED; nothing checked is UNDECIDED."""
        for verdict in (Verdict.REFUTED, Verdict.UNDECIDED):
            if verdict in verdicts:
                return verdict
        return Verdict.PROVED if Verdict.PROVED in verdicts else Verdict.UNDECIDED

    @staticmethod
    def of(answer: bool | None) -> Verdict:
        """PROVED for True, REFUTED for False, UNDECIDED for None."""
        return Verdict.UNDECIDED if answer is None else Verdict.PROVED if answer else Verdict.REFUTED


@dataclass(frozen=True)
class Finding:
    """The outcome of one check on one formula.

    Attributes:
        check: steps, dimensions, conditions, theorem, engine, certificate, mutants, uses or values.
        verdict: what it found.
        summary: one sentence: what was shown, or what is wrong.
        step: the number of the step that is wrong, from 1; 0 where no single step is.
        steps: for the check of the steps, the verdict on each.
    """

    check: str
    verdict: Verdict
    summary: str
    step: int = 0
    steps: tuple[Verdict, ...] = ()
