"""Solutions as rows of data: written with SymPy, read without"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..algebra import NotStored
from ..algebra import stored_expressions as expressions
from ..errors import SymbolicLLMError
from ..expressions.printing import drawn, tex
from ..formula import Formula
from ..notation import SUMS
from ..stored_formulas import condition_row, part, read_conditions, read_part, stored_row
from .branch import Branch
from .resolution import of_the_plain, without_varying, written_out

BRANCHES = "branches"
SUMMED = "sums are letters"


def branch_rows(found: Iterable[Branch], unknown: Any) -> list[dict[str, Any]]:
    """The rows of the solutions of a formula for a letter."""
    return [
        {
            "expr": part(branch.expr, tex(branch.expr)),
            "drawn": drawn(branch.relation(unknown)),
            "conditions": [condition_row(condition) for condition in branch.conditions],
            "sign": branch.sign(unknown, 0, evaluate=False).rel_op,
            "open_end": None if branch.open_end is None else part(branch.open_end),
            "plateaus": [[part(relation) for relation in plateau] for plateau in branch.plateaus],
            "borders": [part(border) for border in branch.borders],
        }
        for branch in found
    ]


def stored_branches(
    formula: Formula, unknown: Any, known: frozenset[Any] = frozenset(), chosen: tuple[Formula, ...] = ()
) -> tuple[Branch, ...]:
    """Solutions that are stored, which hold as long as values and models change nothing of what is written out.

    Raises:
        NotStored: if they do, or no solution is stored.
    """
    asked, sums = _written(formula, unknown, known, chosen), frozenset(SUMS) - {unknown}
    for key, among in (((), frozenset[Any]()), ((SUMMED,), sums)):
        try:
            stored = _written(formula, unknown, among, ())
        except SymbolicLLMError:  # only with this model does it depend on the letter
            continue
        if asked == stored and (rows := stored_row(BRANCHES, formula.module, unknown.name, *key)) is not None:
            return tuple(_branch(unknown, row) for row in rows)
    raise NotStored


def _written(formula: Formula, unknown: Any, known: frozenset[Any], chosen: tuple[Formula, ...]) -> tuple[Any, ...]:
    """Everything that a solution depends on besides the formula itself."""
    if unknown == formula.quantity:
        stated = (formula.rhs, *(condition.relation for condition in formula.demanded))
        return tuple(of_the_plain(formula, one, known, chosen) for one in stated)
    relation = formula.statement.conclusion
    if formula.quantity is None and not relation.is_Relational:
        raise NotStored
    side = relation.lhs - relation.rhs if formula.quantity is None else None
    conditions = without_varying(formula, unknown, known, chosen)
    return (*written_out(formula, unknown, known, chosen, side), *conditions)


def _branch(unknown: Any, row: dict[str, Any]) -> Branch:
    sign, expr = expressions.RELATIONS[row["sign"]], read_part(row["expr"])
    sign(unknown, expr).drawing = row["drawn"]
    open_end = None if row["open_end"] is None else read_part(row["open_end"])
    plateaus = tuple(tuple(map(read_part, plateau)) for plateau in row["plateaus"])
    borders = tuple(map(read_part, row["borders"]))
    return Branch(expr, read_conditions(row["conditions"]), sign, open_end, plateaus, borders)
