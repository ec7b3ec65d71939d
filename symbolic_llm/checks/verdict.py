"""Verdicts and findings"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What a check found.

    `DEFINED` is neither a pass nor a fault: nothing measures the formula, and it says what a letter stands for or rests
    on one that does. `UNMEASURED`, of the engine alone, says that there was nothing to compare with; what follows from
    measured formulas by algebra or a solver is proved without it.
    """

    PROVED = "PROVED"
    DEFINED = "DEFINED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"
    UNMEASURED = "UNMEASURED"

    @staticmethod
    def worst(verdicts: list[Verdict]) -> Verdict:
        """REFUTED before UNDECIDED before DEFINED before PROVED; nothing checked is UNDECIDED."""
        for verdict in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.DEFINED):
            if verdict in verdicts:
                return verdict
        return Verdict.PROVED if Verdict.PROVED in verdicts else Verdict.UNDECIDED

    @property
    def stands(self) -> bool:
        """Whether a formula with this verdict is shown and used: it is proved, or called a definition."""
        return self in (Verdict.PROVED, Verdict.DEFINED)

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
