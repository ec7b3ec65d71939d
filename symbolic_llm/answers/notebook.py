"""Solutions and explanations as a notebook shows them: as HTML, and as LaTeX where that is what is asked for"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..expressions.html import items, math, paragraph, typeset, words
from ..expressions.printing import tex, upright

if TYPE_CHECKING:
    from .explanation import Explanation
    from .solution import Solution


def solution_html(solution: Solution) -> str:
    """HTML of a solution: the closed form, where it holds, the number or why there is none, and the values put in."""
    parts = [paragraph(math(solution.formula.claim)), paragraph(words(solution.search))] if solution.search else []
    for branch in solution.branches:
        parts.append(paragraph(math(branch.relation(solution.unknown))))
        if solution.formula.quantity is None:
            parts.append(paragraph(f"exactly when {math(solution.formula.statement.start)}"))
        parts.append(items(f"where {math(c.relation)}: {words(c.sentence)}" for c in branch.conditions))
    outcome, *inputs = solution.outcome() or ("",)
    if outcome:
        parts.append(paragraph(f"<strong>{words(outcome)}</strong>"))
    return "".join([*parts, items(map(words, inputs))])


def solution_latex(solution: Solution) -> str:
    """LaTeX of a solution: the closed form, where it holds, the number or why there is none, and the values put in."""
    lines = [tex(solution.formula.claim), upright(solution.search)] if solution.search else []
    for branch in solution.branches:
        lines.append(tex(branch.relation(solution.unknown)))
        if solution.formula.quantity is None:
            lines.append(rf"\text{{exactly when }} {tex(solution.formula.statement.start)}")
        lines += [rf"\text{{where }} {tex(c.relation)}\quad {upright(f'({c.sentence})')}" for c in branch.conditions]
    outcome, *inputs = solution.outcome() or ("",)
    parts = outcome.replace(": ", ":\n").splitlines() if outcome.endswith(".") else [outcome]
    lines += [upright(part) for part in parts if part]  # why there is none takes long to say, and LaTeX does not wrap
    return _aligned([*lines, *map(upright, inputs)])


def explanation_html(found: Explanation) -> str:
    """HTML of an explanation: the formula's title, the values put in, the claim, the numbers in it, the result."""
    parts = [paragraph(f"<strong>{words(found.formula.title)}</strong>"), items(map(words, found.inputs))]
    for line in found.lines:
        shown = typeset(rf"\displaystyle {line.tex}") if line.tex else words(line.text)
        parts.append(paragraph(shown, line.note))
    return "".join(parts)


def explanation_latex(found: Explanation) -> str:
    """LaTeX of an explanation: the values put in, the claim, the numbers in it, the result."""
    lines = [
        (line.tex or upright(line.text)) + (rf"\quad {upright(f'({line.note})')}" if line.note else "")
        for line in found.lines
    ]
    return _aligned([*map(upright, found.inputs), *lines])


def _aligned(lines: Iterable[str]) -> str:
    """LaTeX of lines below each other; a single one as it is."""
    first, *more = lines
    if not more:
        return rf"$\displaystyle {first}$"
    below = "".join(rf" \\ & {line}" for line in more)
    return rf"$\displaystyle \begin{{aligned}} & {first}{below} \end{{aligned}}$"
