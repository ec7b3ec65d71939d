"""The page on which sources that contradict each other stand side by side"""

from __future__ import annotations

from ..audit import disagreements, source
from ..audit.disagreement import Disagreement
from .audits import badge, both, how, judgement, page_of
from .pen import Pen, Row

_HEAD = ("Who says so, and with what", "Printed", "Computed", "Verdict")


def side_by_side(pen: Pen) -> str:
    """Every question on which sources differ, with the inputs, the value and the verdict of each."""
    return "".join(_section(pen, one) for one in disagreements())


def _section(pen: Pen, one: Disagreement) -> str:
    rows = (_row(pen, key, claim.id, said) for key, claim, said in one.sides)
    return pen.section(pen.words(one.title)) + pen.paragraph(pen.words(one.why)) + pen.table(_HEAD, rows, "audit")


def _row(pen: Pen, key: str, claim: str, said: str) -> Row:
    judged = judgement(key, claim)
    title = pen.link(f"{page_of(key)}#{claim}", pen.words(source(key).source.title))
    printed, computed = both(pen, judged)
    return f"{title}: {pen.words(said)}{pen.items(how(pen, judged))}", printed, computed, badge(pen, judged.verdict)
