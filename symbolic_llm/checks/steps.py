"""Check 1: every step follows from the one before

For each step the rule is applied to the result of the step before, and what comes out is compared with what the
step states. The last step must be the claim.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Eq, Max, Poly, floor, fraction, summation, together
from sympy.core.relational import Le, Lt, Relational

from ..algebra import at_least_zero, equal, positive, same_relation
from ..claims import Approximation, Condition, Equivalence, Implication
from ..formula import Formula
from ..numeral import valued
from ..printing import text
from ..steps import Rule, Step
from .verdict import Finding, Verdict

REVERSIBLE = {Rule.PREMISE, Rule.MULTIPLY, Rule.DIVIDE, Rule.ADD, Rule.SUBTRACT, Rule.SUBSTITUTE, Rule.REWRITE}
BOUNDING = {Rule.PREMISE, Rule.SUBSTITUTE, Rule.REWRITE, Rule.AT_MOST}


class Inapplicable(Exception):
    """The rule cannot be applied here; the text says why."""


Conditions = tuple[Condition, ...]


def check_steps(formula: Formula) -> Finding:
    """Apply every rule, compare every result, and the last one with the claim.

    Returns:
        PROVED if all agree; otherwise the verdict, number and reason of the first step that does not.
    """
    verdicts: list[Verdict] = []
    before: Any = None
    for number, step in enumerate(formula.steps, 1):
        try:
            answer = _follows(step, before, formula, first=number == 1)
            complaint = f"{step.rule.value} does not give {text(step.result)}"
        except Inapplicable as reason:
            answer, complaint = False, str(reason)
        verdicts.append(Verdict.of(answer))
        if answer is not True:
            if answer is None:
                complaint = f"could not decide whether {step.rule.value} gives {text(step.result)}"
            return Finding("steps", verdicts[-1], f"step {number}: {complaint}", number, tuple(verdicts))
        before = step.result
    answer, complaint = _arrives(formula)
    if answer is not True:
        last = len(verdicts)
        return Finding("steps", Verdict.of(answer), f"step {last}: {complaint}", last, tuple(verdicts))
    return Finding("steps", Verdict.PROVED, f"{len(verdicts)} of {len(verdicts)} steps", 0, tuple(verdicts))


def _follows(step: Step, before: Any, formula: Formula, *, first: bool) -> bool | None:
    """Whether the step's result is what its rule gives."""
    if first != (step.rule in (Rule.PREMISE, Rule.CITE)):
        raise Inapplicable(
            "a derivation starts with a premise or a cited formula" if first else "only the first step is one"
        )
    if step.rule is Rule.PREMISE:
        return True
    if step.rule is Rule.CITE:
        return equal(step.operands[0].rhs, step.result)
    before, result = valued(before), valued(step.result)
    if step.rule is Rule.AT_MOST:
        return at_least_zero(result - before)
    if step.rule is Rule.SUBSTITUTE:
        return _substituted(before, step.operands[0], result, formula)
    operands = tuple(valued(o.rhs if isinstance(o, Formula) else o) for o in step.operands)
    return _same(_APPLY[step.rule](before, operands, formula.conditions), result)


def _substituted(before: Any, by: Formula | Condition, result: Any, formula: Formula) -> bool | None:
    """A formula's letter gives way to its right-hand side; a condition is applied to what was and to what is stated."""
    if isinstance(by, Formula):
        return _same(before.xreplace({by.quantity: valued(by.rhs)}), result)
    if by not in formula.conditions:
        raise Inapplicable(f"the condition {text(by.relation)} is not stated in `where`")
    replace = _elimination(valued(by.relation))
    return _same(before.xreplace(replace), result.xreplace(replace))


def _same(expected: Any, stated: Any) -> bool | None:
    if isinstance(expected, Relational) or isinstance(stated, Relational):
        return same_relation(expected, stated)
    return equal(expected, stated)


def _elimination(equation: Any) -> dict[Any, Any]:
    """An equation as a replacement: `n_heads·d_head = d_model` removes its first letter."""
    letter = min(equation.lhs.free_symbols, key=str) if not equation.lhs.is_Symbol else equation.lhs
    cofactor = equation.lhs / letter
    if letter in cofactor.free_symbols:
        raise Inapplicable(f"{text(equation)} cannot be used to replace a letter")
    return {letter: equation.rhs / cofactor}


def _both_sides(state: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(state, Relational):
        return state.func(change(state.lhs), change(state.rhs), evaluate=False)
    return change(state)


def _scale(state: Any, factor: Any, conditions: Conditions, change: Callable[[Any], Any]) -> Any:
    if isinstance(state, Relational) and not positive(factor, conditions):
        raise Inapplicable(f"a relation may be multiplied or divided only by something positive, not by {text(factor)}")
    return _both_sides(state, change)


def _multiply(state: Any, operands: Any, conditions: Conditions) -> Any:
    return _scale(state, operands[0], conditions, lambda side: side * operands[0])


def _divide(state: Any, operands: Any, conditions: Conditions) -> Any:
    if operands[0] == 0:
        raise Inapplicable("division by zero")
    return _scale(state, operands[0], conditions, lambda side: side / operands[0])


def _add(state: Any, operands: Any, _: Conditions) -> Any:
    return _both_sides(state, lambda side: side + operands[0])


def _subtract(state: Any, operands: Any, _: Conditions) -> Any:
    return _both_sides(state, lambda side: side - operands[0])


def _rewrite(state: Any, _operands: Any, _: Conditions) -> Any:
    return state


def _sum_over(state: Any, operands: Any, _: Conditions) -> Any:
    return summation(state, (operands[0], 1, operands[1]))


def _solve_for(state: Any, operands: Any, conditions: Conditions) -> Any:
    letter = operands[0]
    if not isinstance(state, Eq):
        raise Inapplicable("only an equation can be solved")
    difference = fraction(together(state.lhs - state.rhs))[0]
    polynomial = Poly(difference, letter) if difference.is_polynomial(letter) else None
    if polynomial is None or polynomial.degree() != 1:
        raise Inapplicable(f"the equation is not of first degree in {letter}")
    slope, constant = polynomial.all_coeffs()
    if not (positive(slope, conditions) or positive(-slope, conditions)):
        raise Inapplicable(f"no condition says that {text(slope)} is not zero")
    return Eq(letter, -constant / slope, evaluate=False)


def _limit(state: Any, operands: Any, _: Conditions) -> Any:
    above, below = (Poly(part, operands[0]) for part in fraction(together(state)))
    if above.degree() > below.degree():
        raise Inapplicable(f"it grows without bound with {operands[0]}")
    return above.LC() / below.LC() if above.degree() == below.degree() else 0


def _larger_of(state: Any, operands: Any, _: Conditions) -> Any:
    return Max(state, operands[0])


def _resolve_larger(state: Any, _operands: Any, _: Conditions) -> Any:
    if not isinstance(state, Le | Lt):
        raise Inapplicable("the larger of two is known only from an inequality a ≤ b")
    return Eq(Max(state.lhs, state.rhs), state.rhs, evaluate=False)


def _add_to_larger(state: Any, operands: Any, conditions: Conditions) -> Any:
    if not positive(operands[0], conditions):
        raise Inapplicable(f"{text(operands[0])} is not known to be positive")
    if not isinstance(state, Relational) or isinstance(state, Eq):
        raise Inapplicable("there is no larger side")
    return Lt(state.lts, state.gts + operands[0], evaluate=False)


def _round_down(state: Any, operands: Any, _: Conditions) -> Any:
    return operands[0] * floor(state / operands[0])


_APPLY: dict[Rule, Callable[[Any, Any, Conditions], Any]] = {
    Rule.MULTIPLY: _multiply,
    Rule.DIVIDE: _divide,
    Rule.ADD: _add,
    Rule.SUBTRACT: _subtract,
    Rule.REWRITE: _rewrite,
    Rule.SUM_OVER: _sum_over,
    Rule.SOLVE_FOR: _solve_for,
    Rule.LIMIT: _limit,
    Rule.LARGER_OF: _larger_of,
    Rule.RESOLVE_LARGER: _resolve_larger,
    Rule.ADD_TO_LARGER: _add_to_larger,
    Rule.ROUND_DOWN: _round_down,
}


def _arrives(formula: Formula) -> tuple[bool | None, str]:
    """Whether the derivation ends at the claim, and what to say if it does not."""
    claim, first, last = formula.claim, formula.steps[0].result, formula.steps[-1].result
    rules = {step.rule for step in formula.steps}
    if isinstance(claim, Equivalence | Implication):
        given, then = (claim.left, claim.right) if isinstance(claim, Equivalence) else (claim.given, claim.then)
        if isinstance(claim, Equivalence) and (odd := rules - REVERSIBLE):
            return False, f"an equivalence cannot rest on {odd.pop().value!r}, which leads one way only"
        if same_relation(first, given) is not True:
            return same_relation(first, given), f"the derivation does not start at {text(given)}"
        return same_relation(last, then), f"the derivation ends at {text(last)}, the claim says {text(then)}"
    if isinstance(claim, Approximation):
        if odd := rules - BOUNDING:
            return False, f"an error bound cannot rest on {odd.pop().value!r}"
        if equal(first, claim.error) is not True:
            return equal(first, claim.error), "the derivation does not start at the relative error"
        if at_least_zero(claim.exact - claim.value) is not True:
            return None, "the approximation is not known to stay below the exact value"
        return equal(last, claim.bound), f"the derivation ends at {text(last)}, the bound is {text(claim.bound)}"
    if isinstance(last, Relational):
        return same_relation(last, claim), f"the derivation ends at {text(last)}, the claim is {text(claim)}"
    return equal(last, claim.rhs), f"the derivation ends at {text(last)}, the claim says {text(claim.rhs)}"
