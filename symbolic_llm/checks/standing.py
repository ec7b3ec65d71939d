"""What a formula's verdict rests on: the badge it wears

Proved is not proved alike. A count that is decided for all shapes, one that was compared on some, what follows from
others by algebra, a law of an ideal machine and a definition are told apart wherever a formula is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum

from ..claims import Kind
from ..errors import listed
from ..formula import Formula
from .verdict import Finding, Verdict

_MACHINE = "clock."  # probes that divide counts by the figures of a machine


class Standing(Enum):
    """In what way a formula that stands is known, and the words in which several of a kind are counted."""

    CERTIFIED = (
        "certified",
        "certified",
        "counted on grids that decide it for all shapes, on the assumption stated with it",
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
        """How many there are of this kind, in words: "2 definitions"."""
        return f"{number} {self.word if number == 1 else self.several}"


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


def tally(standings: Iterable[Standing | None]) -> str:
    """How many there are of each, the strongest first: "88 certified, 6 compared and 2 definitions"."""
    numbers = Counter(standings)
    said = [standing.counted(numbers[standing]) for standing in Standing if numbers[standing]]
    return listed(said) if said else "none"
