"""Steps of a derivation, as data

A step states the rule that is applied and the result it must give; nothing is computed here. The checker applies
the rule to the result of the step before and compares. The last step has to give what the formula claims, which its
file says once: there the result is `CLAIM`. The functions below are the vocabulary in which a formula file writes its
derivation; each says what its rule allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from .claims import Condition


# not imported: a formula is made of steps, and imports this module
class Cited(Protocol):
    """Anything that a step may cite: a formula, of which this module knows only that it has a right-hand side."""

    @property
    def rhs(self) -> Any:
        """The value of its quantity."""


CLAIM: Any = object()  # result of a last step: what the formula claims, which takes its place there


class Rule(Enum):
    """The rules a step may apply; a function for each says what it allows."""

    PREMISE = "premise"
    CITE = "use"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    ADD = "add"
    SUBTRACT = "subtract"
    SUBSTITUTE = "substitute"
    REWRITE = "rewrite"
    SUM_OVER = "sum over"
    SOLVE_FOR = "solve for"
    LIMIT = "limit"
    LARGER_OF = "larger of"
    SMALLER_OF = "smaller of"
    RESOLVE_LARGER = "resolve larger"
    COMPARE_LARGER = "compare larger"
    ADD_TO_LARGER = "add to larger side"
    AT_MOST = "at most"
    WEAKEN = "weaken"
    BOUND_ALIKE = "bound alike"
    ROUND_DOWN = "round down"


# Equal to itself alone: the checker keeps answers by step, and to compare fields would go through whole expressions.
@dataclass(frozen=True, eq=False)
class Step:
    """A step: a rule, what it is applied with, the result it must give and the reason.

    Attributes:
        rule: the rule.
        operands: what the rule is applied with: expressions, letters, formulas, conditions.
        result: the expression or relation that must come out.
        reason: one clause that says why.
        measured_by: the engine's probe for what this step brings in, if there is one.
    """

    rule: Rule
    operands: tuple[Any, ...]
    result: Any
    reason: str
    measured_by: str = ""

    @property
    def brings(self) -> Any:
        """Measured expression: what the step adds, subtracts, divides by or compares with, or else its result."""
        return self.operands[0] if self.rule in _BY_OPERAND else self.result


# Of these the operand is new, and what it is put to may have been measured before. A factor is left out: it says how
# many there are of what stood there, and that many of them is what the engine counts.
_BY_OPERAND = {Rule.ADD, Rule.SUBTRACT, Rule.DIVIDE, Rule.SMALLER_OF}


def premise(result: Any, reason: str, *, measured_by: str = "") -> Step:
    """Start a derivation: with a count read off a shape, or a relation that is the question."""
    return Step(Rule.PREMISE, (), result, reason, measured_by)


def cite(formula: Cited, reason: str) -> Step:
    """Start from the right-hand side of another formula."""
    # the one result that is not stated: retyped, it could differ from what the formula proves
    return Step(Rule.CITE, (formula,), formula.rhs, reason)


def multiply(by: Any, result: Any, reason: str, *, measured_by: str = "") -> Step:
    """Multiply by a factor; an inequality only by a positive one."""
    return Step(Rule.MULTIPLY, (by,), result, reason, measured_by)


def divide(by: Any, result: Any, reason: str, *, measured_by: str = "") -> Step:
    """Divide by something that is not zero; an inequality only by something positive."""
    return Step(Rule.DIVIDE, (by,), result, reason, measured_by)


def add(term: Any, result: Any, reason: str, *, measured_by: str = "") -> Step:
    """Add a term, to both sides of a relation."""
    return Step(Rule.ADD, (term,), result, reason, measured_by)


def subtract(term: Any, result: Any, reason: str, *, measured_by: str = "") -> Step:
    """Subtract a term, from both sides of a relation."""
    return Step(Rule.SUBTRACT, (term,), result, reason, measured_by)


def substitute(by: Cited | Condition, result: Any, reason: str) -> Step:
    """Replace a formula's letter by its right-hand side, or apply an equation that is a condition."""
    # the formula or condition itself, not the equation it states: a checker sees who vouches for it
    return Step(Rule.SUBSTITUTE, (by,), result, reason)


def rewrite(result: Any, reason: str) -> Step:
    """Write the same value in another form."""
    return Step(Rule.REWRITE, (), result, reason)


def sum_over(index: Any, last: Any, result: Any, reason: str) -> Step:
    """Sum over `index` from 1 to `last`."""
    return Step(Rule.SUM_OVER, (index, last), result, reason)


def solve_for(letter: Any, result: Any, reason: str) -> Step:
    """Solve the equation for `letter`, of which one value alone satisfies it."""
    return Step(Rule.SOLVE_FOR, (letter,), result, reason)


def limit(letter: Any, result: Any, reason: str, *, to_zero: bool = False) -> Step:
    """Take the limit as `letter` grows without bound, or as it falls to zero."""
    # a plain 0: this module knows expressions by no more than what a file hands it
    return Step(Rule.LIMIT, (letter, 0) if to_zero else (letter,), result, reason)


def larger_of(other: Any, result: Any, reason: str, *, measured_by: str = "") -> Step:
    """Take the larger of this and another expression; of an inequality a ≤ b, of both sides, which keeps it true."""
    return Step(Rule.LARGER_OF, (other,), result, reason, measured_by)


def smaller_of(other: Any, result: Any, reason: str, *, measured_by: str = "") -> Step:
    """Take the smaller of this and another expression."""
    return Step(Rule.SMALLER_OF, (other,), result, reason, measured_by)


def resolve_larger(result: Any, reason: str) -> Step:
    """From a ≤ b conclude max(a, b) = b."""
    # it leads one way: max(a, b) = b says a ≤ b, but a < b has been forgotten
    return Step(Rule.RESOLVE_LARGER, (), result, reason)


def compare_larger(result: Any, reason: str) -> Step:
    """From max(a, b') < max(a', b), where a' ≤ a and b' < b, conclude a < b; it can be undone."""
    return Step(Rule.COMPARE_LARGER, (), result, reason)


def add_to_larger(term: Any, result: Any, reason: str) -> Step:
    """Add a positive term to the larger side of an inequality, which makes it strict."""
    return Step(Rule.ADD_TO_LARGER, (term,), result, reason)


def at_most(result: Any, reason: str) -> Step:
    """Replace the expression by something that is at least as large."""
    return Step(Rule.AT_MOST, (), result, reason)


def weaken(result: Any, reason: str) -> Step:
    """From a ≤ b conclude an inequality between something that is nowhere larger than a and nowhere smaller than b.

    It may be a strict one where one of the two is everywhere smaller or larger.
    """
    return Step(Rule.WEAKEN, (), result, reason)


def bound_alike(result: Any, reason: str) -> Step:
    """From max(a, b) + max(c, d) = max(a + c, b + d) conclude x ≤ y where y − x is (a − b)·(c − d), or back.

    The maxima add up exactly where a − b and c − d have one sign, or one of them is zero.
    """
    return Step(Rule.BOUND_ALIKE, (), result, reason)


def round_down(unit: Any, result: Any, reason: str) -> Step:
    """Round down to the largest whole multiple of `unit` that does not exceed the expression."""
    return Step(Rule.ROUND_DOWN, (unit,), result, reason)
