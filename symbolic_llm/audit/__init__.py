"""The audit: published figures, computed anew

What a source prints is a claim, and claims are data. A verdict is never written down: it follows from the printed
figure and from what the catalogue's formulas come to, and where a figure is wrong, so does the cause.
"""

from .claim import Cause, Claim, Claims, Source, causes, read_claims, read_file, source, sources
from .counterexample import Counterexample
from .disagreement import Disagreement, disagreements
from .verdict import Judgement, Verdict, check, check_all

__all__ = [
    "Cause",
    "Claim",
    "Claims",
    "Counterexample",
    "Disagreement",
    "Judgement",
    "Source",
    "Verdict",
    "causes",
    "check",
    "check_all",
    "disagreements",
    "read_claims",
    "read_file",
    "source",
    "sources",
]
