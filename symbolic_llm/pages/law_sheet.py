"""The sheet of laws: what the book draws, with every law, theorem and approximation that it cites, in groups"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..catalogue import catalogue
from ..claims import Kind
from ..expressions.printing import tex
from ..formula import Formula
from ..formulas import STOREYS
from ..notation import B_fit, T_prefill, n_new
from .chapter_list import cited, drawn
from .formula_page import address
from .pen import Pen

_GROUPS = {  # each with its chapters of formulas
    "Counts of a decoder": STOREYS["Parts"],
    "Sums": STOREYS["Sums"],
    "A step": ("latency", "speculation"),
    "Crossovers and critical contexts": ("batching",),
    "Prompts and answers": ("chunked_prefill", "disaggregation"),
    "What fits": ("memory",),
    "Devices": ("devices", "offloading"),
    "Load and cost": ("server_load", "cost"),
    "Attention up close": ("attention",),
}
GROUP_OF = {chapter: group for group, chapters in _GROUPS.items() for chapter in chapters}
_APART = {T_prefill: "Prompts and answers", n_new: "Prompts and answers", B_fit: "What fits"}  # of what is not one step
_STATED = (Kind.LAW, Kind.THEOREM, Kind.APPROXIMATION)
_LONG = 320  # characters of LaTeX


def on_sheet(docs: Path) -> tuple[str, ...]:
    """Names of the formulas on the sheet, in the order of the catalogue.

    Args:
        docs: the folder of the written pages; the book is those below `book` and the first page.
    """
    text = "".join(path.read_text(encoding="utf-8") for path in (*docs.glob("index.md"), *docs.glob("book/*.md")))
    shown, named = drawn(text), cited(text)
    return tuple(one.name for one in catalogue() if one.name in shown or (one.name in named and _is_stated(one)))


def _is_stated(formula: Formula) -> bool:
    """Whether a formula is on the sheet if it is only cited: theorems that fill lines are left to their pages."""
    return formula.kind in _STATED and (formula.kind is Kind.LAW or len(tex(formula.claim)) < _LONG)


def sheet(pen: Pen, names: Iterable[str]) -> str:
    """The formulas of the sheet, one a row, under the heading of their group.

    Args:
        pen: what it is written with.
        names: those of the formulas.
    """
    grouped: dict[str, list[Formula]] = {group: [] for group in _GROUPS}
    for formula in map(catalogue().__getitem__, names):
        group = GROUP_OF[formula.chapter]
        apart = (other for letter, other in _APART.items() if group == "A step" and letter in formula.letters)
        grouped[next(apart, group)].append(formula)
    return "".join(
        pen.section(group) + pen.table((), [_row(pen, one) for one in formulas], "laws")
        for group, formulas in grouped.items()
        if formulas
    )


def _row(pen: Pen, formula: Formula) -> tuple[str, str]:
    where = ", ".join(pen.math(condition.relation) for condition in formula.where)
    said = f"{pen.link(address(formula), pen.code(formula.name))} {pen.words(formula.title)}"
    return pen.item(formula.claim), f"{said} {pen.quiet(f'where {where}')}" if where else said
