"""Verdicts, badges and findings"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from ..errors import listed


class Verdict(Enum):
    """Verdict of one check, or of several together.

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
        """Worst of some verdicts: REFUTED, UNDECIDED, DEFINED, PROVED, in this order; nothing checked is UNDECIDED."""
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
        """Verdict of an answer: PROVED for True, REFUTED for False, UNDECIDED for None."""
        return Verdict.UNDECIDED if answer is None else Verdict.PROVED if answer else Verdict.REFUTED


class Standing(Enum):
    """Way in which a formula that stands is known, and the words in which several of a kind are counted."""

    CERTIFIED = (
        "certified",
        "certified",
        "counted for all shapes, by runs on sizes that remember what they are",
    )
    COMPARED = "compared", "compared", "counted on some shapes, and equal on each"
    FOLLOWS = "follows", "follow", "derived from other formulas, by algebra or a solver"
    LAW = "law", "laws", "a law of an ideal machine: times from counts and a datasheet, routes equally likely"
    DEFINITION = (
        "definition",
        "definitions",
        "what a letter stands for, or rests on one; nothing measures it",
    )

    def __init__(self, word: str, several: str, meaning: str) -> None:
        self.word, self.several, self.meaning = word, several, meaning

    def counted(self, number: int) -> str:
        """Number of formulas of this kind, in words: "2 definitions"."""
        return f"{number} {self.word if number == 1 else self.several}"


def tally(standings: Iterable[Standing | None]) -> str:
    """Number of formulas of each standing, the strongest first: "88 certified, 6 compared and 2 definitions"."""
    numbers = Counter(standings)
    said = [standing.counted(numbers[standing]) for standing in Standing if numbers[standing]]
    return listed(said) if said else "none"


MADE_OF_ALL = frozenset({"steps", "dimensions", "engine", "mutants"})  # checks that every formula goes through
MADE_OF_SOME = frozenset({"shown", "conditions", "theorem", "certificate"})


@dataclass(frozen=True)
class Finding:
    """The outcome of one check on one formula; `ValueError` for one that contradicts itself.

    Attributes:
        check: shown, steps, dimensions, conditions, theorem, engine, certificate, mutants, uses or values.
        verdict: what it found.
        summary: one sentence: what was shown, or what is wrong.
        step: the number of the step that is wrong, from 1; 0 where no single step is.
        steps: for the check of the steps, the verdict on each.
        open: whether something ended before it was decided, so that the same may be found otherwise another time.
    """

    check: str
    verdict: Verdict
    summary: str
    step: int = 0
    steps: tuple[Verdict, ...] = ()
    open: bool = False

    def __post_init__(self) -> None:
        if self.verdict is Verdict.PROVED and (self.step or self.steps.count(Verdict.PROVED) < len(self.steps)):
            raise ValueError(f"{self.check}: a step is wrong, and it is {self.verdict.value}")
