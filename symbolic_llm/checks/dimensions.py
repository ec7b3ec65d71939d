"""Check 3: both sides of every equation have the same unit

Byte, FLOP, second, token, sequence, weight: each letter has its unit, and so has each numeral that counts
something. Sums and comparisons of unlike things are rejected. This check alone finds a KV cache "total" that is
bytes per token.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..algebra import Add, Max, Min, Mod, Mul, Pow, Relational, S, ceiling, floor
from ..claims import Condition
from ..expressions.printing import text
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import Numeral, valued
from ..steps import Rule, Step
from ..units import ONE, Unit
from .verdict import Finding, Verdict


class DimensionError(Exception):
    """Error where two things of different units are added or compared; the text names them.

    The text is put together only when it is asked for, from texts, units and expressions: for most mutants nobody asks.
    """

    def __str__(self) -> str:
        return "".join(str(part) if isinstance(part, str | Unit) else text(part) for part in self.args)


@lru_cache(maxsize=2**14)  # what is broken on purpose is mostly made of the same parts
def unit_of(expression: Any, plain: tuple[Any, ...] = ()) -> Unit:
    """The unit of an expression; `DimensionError` where it has none.

    Args:
        expression: built from letters, numerals and numbers.
        plain: letters to read as plain counts.
    """
    if isinstance(expression, Numeral):
        return expression.unit
    if expression.is_Number or expression in plain:
        return ONE
    if expression.is_Symbol:
        if expression not in LETTERS:
            raise DimensionError(expression, " is no letter of the notation")
        return LETTERS[expression].unit
    if isinstance(expression, Mul):
        unit = ONE
        for factor in expression.args:
            unit = unit * unit_of(factor, plain)
        return unit
    if isinstance(expression, Pow):
        base, exponent = unit_of(expression.base, plain), valued(expression.exp)
        if (power := unit_of(expression.exp, plain)) != ONE:
            raise DimensionError(expression.base, " is raised to ", expression.exp, ", which is in ", power)
        # the root of a unit is no unit here; a plain number may have any exponent
        if base != ONE and not exponent.is_Integer:
            raise DimensionError(expression.base, " is in ", base, " and is raised to ", exponent)
        return base ** int(exponent) if base != ONE else ONE
    if isinstance(expression, Add | Max | Min | Mod | Relational):
        first, *others = expression.args
        unit = unit_of(first, plain)
        for other in others:
            if (found := unit_of(other, plain)) != unit:
                raise DimensionError(first, " is in ", unit, ", but ", other, " is in ", found)
        return unit
    if isinstance(expression, floor | ceiling):
        unit = unit_of(expression.args[0], plain)
        # how much is rounded off depends on the unit: 1.5 kB and 1,500 B would round to different amounts
        if unit != ONE:
            raise DimensionError(expression.args[0], " is rounded, but it is in ", unit, " and not a plain number")
        return ONE
    raise DimensionError(expression, " has no unit this check knows")


def check_dimensions(formula: Formula) -> Finding:
    """Check the units of the claim, of its own conditions and of every step.

    The result of a step has to have a unit, and it has to be the one that the rule must give.
    """
    if fault := fault_of_claim(formula):
        return Finding("dimensions", Verdict.REFUTED, f"claim: {fault}")
    before: Any = None
    for number, step in enumerate(formula.steps, 1):
        try:
            _check_step(step, before, formula.plain)
        except DimensionError as reason:
            return Finding("dimensions", Verdict.REFUTED, f"step {number}: {reason}", number)
        before = step.result
    unit = f"both sides in {formula.unit}" if formula.unit else "all sides agree"
    return Finding("dimensions", Verdict.PROVED, unit)


def fault_of_claim(formula: Formula) -> DimensionError | None:
    """Error in the units of the claim or of its own conditions; None if there is none."""
    try:
        for relation in formula.statement.relations:
            unit_of(relation, formula.plain)
        for one, other in formula.statement.alike:
            _same_unit(one, other, formula.plain)
        for condition in formula.where:
            unit_of(condition.relation, formula.plain)
    except DimensionError as reason:
        return reason
    return None


_SAME_UNIT = frozenset(
    {Rule.ADD, Rule.SUBTRACT, Rule.REWRITE, Rule.SUBSTITUTE, Rule.LARGER_OF, Rule.SMALLER_OF, Rule.LIMIT}
)


def _check_step(step: Step, before: Any, plain: tuple[Any, ...]) -> None:
    """Check the unit of a step's result; `DimensionError` if it is wrong.

    A factor brings its unit, a term must have that of the sum, and a rewriting changes none.
    """
    found = unit_of(step.result, plain)
    units = [unit_of(_expression(operand), plain) for operand in step.operands]
    if before is None:
        return
    expected = unit_of(before, plain)
    if step.rule in (Rule.MULTIPLY, Rule.DIVIDE):
        expected = expected * units[0] if step.rule is Rule.MULTIPLY else expected / units[0]
    elif step.rule not in _SAME_UNIT:
        return
    if found != expected:
        raise DimensionError(f"{step.rule.value} gives ", expected, ", but ", step.result, " is in ", found)


def _expression(operand: Any) -> Any:
    if isinstance(operand, Condition):
        return operand.relation
    if not isinstance(operand, Formula):
        return S(operand)
    if operand.quantity is None:
        raise DimensionError(f"{operand.name} is a theorem and gives no letter a value")
    return operand.rhs


def _same_unit(one: Any, other: Any, plain: tuple[Any, ...]) -> None:
    mine, theirs = unit_of(one, plain), unit_of(other, plain)
    if mine != theirs:
        raise DimensionError(one, " is in ", mine, ", but ", other, " is in ", theirs)
