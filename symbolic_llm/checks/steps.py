"""Check 1: every step follows from the one before

For each step the rule is applied to the result of the step before, and what comes out is compared with what the
step states. The last step must be the claim.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sympy import Eq, Max, Poly, S, cancel, floor, fraction, summation, together
from sympy.core.relational import Ge, Gt, Le, Lt, Relational

from ..claims import Condition, Kind, Rest
from ..expressions.decide import at_least_zero, equal, positive, rational_zero, same_relation
from ..expressions.printing import text
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from ..steps import Rule, Step
from .verdict import Finding, Verdict

_REVERSIBLE = {Rule.PREMISE, Rule.MULTIPLY, Rule.DIVIDE, Rule.ADD, Rule.SUBTRACT, Rule.SUBSTITUTE, Rule.REWRITE}
_ALLOWED = {
    Rest.EQUATION: set(Rule) - {Rule.RESOLVE_LARGER, Rule.ADD_TO_LARGER, Rule.AT_MOST},
    Rest.EQUIVALENCE: _REVERSIBLE,
    Rest.IMPLICATION: _REVERSIBLE | {Rule.RESOLVE_LARGER, Rule.ADD_TO_LARGER},
    Rest.BOUND: {Rule.PREMISE, Rule.SUBSTITUTE, Rule.REWRITE, Rule.AT_MOST},
}


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
            answer = _follows(step, before, formula.conditions, first=number == 1)
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
    summary = f"{len(verdicts)} of {len(verdicts)} steps"
    if assumed := [used.name for used in formula.uses if _approximates(used, formula)]:
        summary += f", assuming {' and '.join(assumed)} to be exact"
    return Finding("steps", Verdict.PROVED, summary, 0, tuple(verdicts))


def _approximates(used: Formula, formula: Formula) -> bool:
    return used.kind is Kind.APPROXIMATION and formula.brings_in(used)


@lru_cache(maxsize=2**13)
def _follows(step: Step, before: Any, conditions: Conditions, *, first: bool) -> bool | None:
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
    if step.rule in _OF_EXPRESSIONS and (isinstance(before, Relational) or isinstance(result, Relational)):
        raise Inapplicable(f"{step.rule.value} is for expressions, not for relations")
    if step.rule is Rule.AT_MOST:
        return at_least_zero(result - before)
    if step.rule is Rule.SUBSTITUTE:
        return _substituted(before, step.operands[0], result, conditions)
    operands = tuple(valued(o.rhs if isinstance(o, Formula) else o) for o in step.operands)
    return _same(_APPLY[step.rule](before, operands, conditions), result)


def _substituted(before: Any, by: Formula | Condition, result: Any, conditions: Conditions) -> bool | None:
    """A formula's letter gives way to its right-hand side; a condition is applied to what was and to what is stated."""
    if isinstance(by, Formula):
        return _same(before.xreplace({by.quantity: valued(by.rhs)}), result)
    if by not in conditions:
        raise Inapplicable(f"the condition {text(by.relation)} is not stated in `where`")
    replace = _elimination(valued(by.relation), conditions)
    return _same(before.xreplace(replace), result.xreplace(replace))


def _same(expected: Any, stated: Any) -> bool | None:
    if isinstance(expected, Relational) or isinstance(stated, Relational):
        return same_relation(expected, stated)
    return equal(expected, stated)


def _elimination(equation: Any, conditions: Conditions) -> dict[Any, Any]:
    """An equation as a replacement: `n_heads·d_head = d_model` removes its first letter."""
    if not isinstance(equation, Eq):
        raise Inapplicable(f"{text(equation)} is no equation, so nothing may be replaced by it")
    letter = min(equation.lhs.free_symbols, key=str) if not equation.lhs.is_Symbol else equation.lhs
    cofactor = equation.lhs / letter
    if letter in cofactor.free_symbols or not positive(cofactor, conditions):
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


def _has_sign(expression: Any, conditions: Conditions) -> bool:
    """Whether an expression is known to be positive or to be negative, so that it cannot be zero."""
    return bool(positive(expression, conditions) or positive(-expression, conditions))


def _multiply(state: Any, operands: Any, conditions: Conditions) -> Any:
    if rational_zero(operands[0]):
        raise Inapplicable(f"{text(operands[0])} is zero, and every equation times zero is true")
    return _scale(state, operands[0], conditions, lambda side: side * operands[0])


def _divide(state: Any, operands: Any, conditions: Conditions) -> Any:
    if not _has_sign(operands[0], conditions):
        raise Inapplicable(f"no condition says that {text(operands[0])} is not zero")
    return _scale(state, operands[0], conditions, lambda side: side / operands[0])


def _add(state: Any, operands: Any, _: Conditions) -> Any:
    return _both_sides(state, lambda side: side + operands[0])


def _subtract(state: Any, operands: Any, _: Conditions) -> Any:
    return _both_sides(state, lambda side: side - operands[0])


def _rewrite(state: Any, _operands: Any, _: Conditions) -> Any:
    return state


def _sum_over(state: Any, operands: Any, _: Conditions) -> Any:
    index, last = operands
    if not (_is_whole(index) and _is_whole(last) and index != last):
        raise Inapplicable(f"{text(index)} cannot run from 1 to {text(last)}: both have to be letters that count")
    if not state.is_polynomial(index):
        raise Inapplicable(f"only a polynomial in {text(index)} can be summed")
    return summation(state, (index, 1, last))


def _is_whole(expression: Any) -> bool:
    return expression in LETTERS and LETTERS[expression].whole


def _solve_for(state: Any, operands: Any, conditions: Conditions) -> Any:
    letter = operands[0]
    if not isinstance(state, Eq):
        raise Inapplicable("only an equation can be solved")
    difference = fraction(together(state.lhs - state.rhs))[0]
    polynomial = Poly(difference, letter) if difference.is_polynomial(letter) else None
    if polynomial is None or polynomial.degree() != 1:
        raise Inapplicable(f"the equation is not of first degree in {letter}")
    slope, constant = polynomial.all_coeffs()
    if not _has_sign(slope, conditions):
        raise Inapplicable(f"no condition says that {text(slope)} is not zero")
    solution = -constant / slope
    if not positive(solution, conditions):
        raise Inapplicable(f"no condition says that {text(solution)} is positive, as {letter} is")
    for side in state.args:
        if not _has_sign(fraction(together(side))[1].xreplace({letter: solution}), conditions):
            raise Inapplicable(f"a denominator of the equation may vanish at {letter} = {text(solution)}")
    return Eq(letter, solution, evaluate=False)


def _limit(state: Any, operands: Any, conditions: Conditions) -> Any:
    parts = fraction(together(state))
    if not all(part.is_polynomial(operands[0]) for part in parts):
        raise Inapplicable(f"only of a rational function of {operands[0]} is the limit known")
    above, below = (Poly(part, operands[0]) for part in parts)
    if above.degree() > below.degree():
        raise Inapplicable(f"it grows without bound with {operands[0]}")
    if not _has_sign(below.LC(), conditions):
        raise Inapplicable(f"no condition says that {text(below.LC())} is not zero")
    return above.LC() / below.LC() if above.degree() == below.degree() else S.Zero


def _larger_of(state: Any, operands: Any, _: Conditions) -> Any:
    return Max(state, operands[0])


def _resolve_larger(state: Any, _operands: Any, _: Conditions) -> Any:
    if not isinstance(state, Le | Lt):
        raise Inapplicable("the larger of two is known only from an inequality a ≤ b")
    return Eq(Max(state.lhs, state.rhs), state.rhs, evaluate=False)


def _add_to_larger(state: Any, operands: Any, conditions: Conditions) -> Any:
    if not positive(operands[0], conditions):
        raise Inapplicable(f"{text(operands[0])} is not known to be positive")
    if not isinstance(state, Lt | Le | Gt | Ge):
        raise Inapplicable("there is no larger side")
    return Lt(state.lts, state.gts + operands[0], evaluate=False)


def _round_down(state: Any, operands: Any, conditions: Conditions) -> Any:
    if not positive(operands[0], conditions):
        raise Inapplicable(f"multiples of {text(operands[0])} are no whole numbers of anything")
    return operands[0] * floor(state / operands[0])


_OF_EXPRESSIONS = {Rule.SUM_OVER, Rule.LIMIT, Rule.LARGER_OF, Rule.AT_MOST, Rule.ROUND_DOWN}
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
    """Whether the derivation ends at the claim by rules that can prove it, and what to say if it does not."""
    claim, first, last = formula.statement, formula.steps[0].result, formula.steps[-1].result
    if fault := _forbidden(formula):
        return False, fault
    if claim.start is not None and (answer := _same(first, claim.start)) is not True:
        return answer, f"the derivation does not start at {text(claim.start)}"
    for owed in claim.owed:
        gap = owed.relation.lhs - owed.relation.rhs
        if not (positive(gap, formula.conditions) if isinstance(owed.relation, Gt) else at_least_zero(gap)):
            return None, owed.sentence
    end = claim.end(last)
    return _same(last, end), f"the derivation ends at {text(last)}, the claim says {text(end)}"


def _forbidden(formula: Formula) -> str:
    """What a claim of this shape cannot rest on, if the formula does: a rule, an approximation, a guess."""
    claim, rules = formula.statement, {step.rule for step in formula.steps}
    if odd := sorted(rule.value for rule in rules - _ALLOWED[claim.rest]):
        return f"{claim.rest.value} cannot rest on {odd[0]!r}, which leads one way only"
    approximate = [used.name for used in formula.uses if _approximates(used, formula)]
    if approximate and formula.kind is not Kind.LAW:
        return f"{approximate[0]} is an approximation, and only a law may take it for exact"
    cited = [used for used in formula.steps[0].operands if isinstance(used, Formula)]
    if Rule.LIMIT in rules and any(used.quantity == formula.quantity for used in cited):
        return f"a limit of {formula.quantity} is another quantity"
    unknown = claim.exact_value is not None and not formula.measured_by
    if unknown and not _is_derived(claim.exact_value, formula):
        return "nothing measures the exact value, and no identity among the formulas it uses gives it"
    return ""


def _is_derived(exact: Any, formula: Formula) -> bool:
    """Whether a used identity gives this value, for the whole or for one of the things it counts."""
    ratios = (valued(exact / used.rhs) for used in formula.uses if used.kind is Kind.IDENTITY)
    return any(cancel(together(ratio)).is_number for ratio in ratios)
