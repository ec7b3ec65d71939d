"""The audit: published figures, computed anew

What a source prints is a claim, and claims are data. A verdict is never written down: it follows from the printed
figure and from what the catalogue's formulas come to, and where a figure is wrong, so does the cause.
"""

from .claim import Cause, Claim, Claims, Source, causes, read_claims, read_file, source, sources
from .counterexample import Counterexample
from .disagreement import Disagreement, disagreements
from .results import Audited, Outcome, Reached, Term, audit_results, read_results
from .verdict import Judgement, Verdict, check, check_all

__all__ = [
    "Audited",
    "Cause",
    "Claim",
    "Claims",
    "Counterexample",
    "Disagreement",
    "Judgement",
    "Outcome",
    "Reached",
    "Source",
    "Term",
    "Verdict",
    "audit_results",
    "causes",
    "check",
    "check_all",
    "disagreements",
    "read_claims",
    "read_file",
    "read_results",
    "source",
    "sources",
]
