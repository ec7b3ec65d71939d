"""Check that all that a derivation brings in is measured or stated by a formula

A derivation may follow rule by rule and say nothing: a false premise is divided away again, and the end is right. So
whatever a step of a count brings in is measured, or a formula states it, or the claim's own measurement decides it. A
step that only says the same in another form brings in nothing, and an equation that is asked has two sides that
formulas state.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Relational, floor
from ..claims import Kind
from ..expressions.decide import equal
from ..expressions.printing import text
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from ..steps import Rule, Step

_COUNTS = {Kind.IDENTITY, Kind.LAW, Kind.APPROXIMATION}  # a theorem is decided by a solver, whatever its steps say
_DERIVING = {
    Rule.CITE,
    Rule.SUBSTITUTE,
    Rule.REWRITE,
    Rule.SOLVE_FOR,
    Rule.LIMIT,
    Rule.RESOLVE_LARGER,
    Rule.COMPARE_LARGER,
    Rule.AT_MOST,
    Rule.WEAKEN,
    Rule.BOUND_ALIKE,
}
_ON_BOTH_SIDES = {Rule.MULTIPLY, Rule.DIVIDE, Rule.ADD, Rule.SUBTRACT}


def unmeasured(formula: Formula) -> dict[int, str]:
    """Steps, by number, that bring in something that nothing measures, each with the complaint about it."""
    found: dict[int, str] = {}
    for number, step in enumerate(formula.steps, 1) if formula.kind in _COUNTS else ():
        known = step.measured_by or _derives(step) or _is_claim(number, formula)
        if not known and (complaint := _complaint(step, formula)):
            found[number] = complaint
    return found


def _derives(step: Step) -> bool:
    """Whether a step adds no fact of its own: by its rule, or because formulas state all that it is applied with."""
    by_formulas = bool(step.operands) and all(isinstance(operand, Formula) for operand in step.operands)
    both_sides = step.rule in _ON_BOTH_SIDES and isinstance(step.result, Relational)
    return step.rule in _DERIVING or by_formulas or both_sides


def _is_claim(number: int, formula: Formula) -> bool:
    """Whether a step's result is what the claim says, so that the formula's own question measures it."""
    step, *later = formula.steps[number - 1 :]
    if not formula.measured_by or isinstance(step.result, Relational):
        return False
    return all(_decides(after, before.result) for before, after in zip((step, *later), later, strict=False))


def _decides(step: Step, before: Any) -> bool:
    """Whether the result of a step determines what the step was applied to.

    A rewriting has the same value. A rounding contains what it rounds. And a summand that does not depend on the number
    of summands is what one more of them adds to the sum.
    """
    if step.rule is Rule.SUM_OVER:
        return not valued(step.operands[1]).free_symbols & before.free_symbols
    if step.rule is Rule.ROUND_DOWN:
        rounded = valued(before / step.operands[0])
        return any(equal(valued(found.args[0]), rounded) is True for found in step.result.atoms(floor))
    return step.rule in (Rule.REWRITE, Rule.SUBSTITUTE)


def _complaint(step: Step, formula: Formula) -> str:
    """Complaint about a step that brings something in.

    "" for a premise that is the question itself, and for a letter that a used formula counts.
    """
    brought = step.result if step.rule is Rule.PREMISE else step.operands[0]
    if any(brought == used.quantity for used in formula.uses):
        return ""
    if step.rule is not Rule.PREMISE:
        return f"brings in {text(brought)}, which nothing measures"
    if isinstance(brought, Relational):
        missing = _unstated(brought, formula)
        return f"asks about {text(missing)}, which no formula that is used states" if missing is not None else ""
    if formula.statement.start is not None and equal(valued(brought), valued(formula.statement.start)):
        return ""  # the error of an approximation, whose exact value is measured
    return f"brings in {text(brought)}, which nothing measures"


def _unstated(relation: Any, formula: Formula) -> Any:
    """A side of a relation that no used formula states; None if both are, of whatever letter is looked for."""
    looked_for = formula.quantity
    alike = [s for s in LETTERS if looked_for in LETTERS and LETTERS[s].unit == LETTERS[looked_for].unit]
    first = None
    for letter in alike or [looked_for]:
        stated = [used.rhs.xreplace({letter: looked_for}) for used in formula.uses if used.quantity is not None]
        missing = next((side for side in relation.args if not _is_among(side, stated)), None)
        if missing is None:
            return None
        first = missing if first is None else first
    return first


def _is_among(side: Any, stated: list[Any]) -> bool:
    return any(equal(valued(side), valued(rhs)) is True for rhs in stated)
