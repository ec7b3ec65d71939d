"""Check 1: every step follows from the one before

For each step the rule is applied to the result of the step before, and what comes out is compared with what the
step states. The last step must be the claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import permutations
from typing import Any

from ..algebra import Dummy, Ge, Gt, Le, Lt, Max, Pow, Relational
from ..claims import Condition, Kind, Rest
from ..expressions.decide import above_zero, at_least_zero, equal, positive
from ..expressions.printing import text
from ..expressions.relations import same_relation
from ..formula import Formula
from ..numeral import valued
from ..steps import Rule, Step
from .derivation_rules import APPLY, OF_EXPRESSIONS, Conditions, Inapplicable, apart, elimination
from .letter_faults import fault_of_letters
from .order import no_less
from .poles import divisors, pole
from .verdict import Finding, Verdict

Answer = bool | None
Replace = Mapping[Any, Any]
KEPT: Replace = {}

_REVERSIBLE = {Rule.PREMISE, Rule.MULTIPLY, Rule.DIVIDE, Rule.ADD, Rule.SUBTRACT, Rule.SUBSTITUTE, Rule.REWRITE}
_REVERSIBLE |= {Rule.COMPARE_LARGER, Rule.BOUND_ALIKE}
_ONE_WAY = {Rule.RESOLVE_LARGER, Rule.ADD_TO_LARGER, Rule.WEAKEN}
_ALLOWED = {
    Rest.EQUATION: set(Rule) - _ONE_WAY - {Rule.AT_MOST, Rule.BOUND_ALIKE, Rule.COMPARE_LARGER},
    Rest.EQUIVALENCE: _REVERSIBLE,
    Rest.IMPLICATION: _REVERSIBLE | _ONE_WAY | {Rule.LARGER_OF},
    Rest.BOUND: {Rule.PREMISE, Rule.SUBSTITUTE, Rule.REWRITE, Rule.AT_MOST},
}
_STRICT: dict[type, type] = {Le: Lt, Ge: Gt}
_ASKS_ITSELF = {Rule.SOLVE_FOR, Rule.LIMIT}  # rules that say themselves what may not be zero in what they start from


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
            if answer is None:
                complaint = f"could not decide whether {step.rule.value} gives {text(step.result)}"
        except Inapplicable as reason:
            answer, complaint = False, str(reason)
        except MemoryError:  # which says nothing of the step
            raise
        except Exception as error:  # whatever a step makes SymPy stumble over is that step's fault
            answer, complaint = None, f"{step.rule.value} broke off with {type(error).__name__}: {error}"
        verdicts.append(Verdict.of(answer))
        if answer is not True:
            return Finding("steps", verdicts[-1], f"step {number}: {complaint}", number, tuple(verdicts))
        before = step.result
    try:
        answer, complaint = _arrives(formula)
    except Inapplicable as reason:
        answer, complaint = False, str(reason)
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
def _follows(step: Step, before: Any, conditions: Conditions, *, first: bool) -> Answer:
    """Whether the step's result is what its rule gives."""
    if first != (step.rule in (Rule.PREMISE, Rule.CITE)):
        raise Inapplicable(
            "a derivation starts with a premise or a cited formula" if first else "only the first step is one"
        )
    if step.rule is Rule.PREMISE:
        return True
    if theorem := next((o for o in step.operands if isinstance(o, Formula) and o.quantity is None), None):
        raise Inapplicable(f"{theorem.name} is a theorem and has no value")
    if step.rule is Rule.CITE:
        return _alike(step.operands[0].rhs, step.result, conditions)
    before, result = valued(before), valued(step.result)
    if step.rule in OF_EXPRESSIONS and (isinstance(before, Relational) or isinstance(result, Relational)):
        raise Inapplicable(f"{step.rule.value} is for expressions, not for relations")
    if step.rule is Rule.AT_MOST:
        _pass_no_pole(divisors(before), divisors(result), conditions)
        return no_less(result, before)
    if step.rule is Rule.WEAKEN:
        return _weaker(before, result, conditions)
    if step.rule is Rule.BOUND_ALIKE:
        return _bound_alike(before, result, conditions)
    if step.rule is Rule.SUBSTITUTE:
        return _substituted(before, step.operands[0], result, conditions)
    operands = tuple(valued(o.rhs if isinstance(o, Formula) else o) for o in step.operands)
    expected = APPLY[step.rule](before, operands, conditions)
    # also what the step started from: a rule may cancel what it divided by, and with it the place where it had no value
    was = frozenset() if step.rule in _ASKS_ITSELF else divisors(before)
    _pass_no_pole(was | divisors(expected), divisors(result), conditions)
    return _same(expected, result)


def _weaker(before: Any, result: Any, conditions: Conditions) -> Answer:
    """Whether an inequality says no more than another of its kind: no side has moved towards the other.

    One that is made strict has to have a side that has moved away.
    """
    strict = type(before) in _STRICT and type(result) is _STRICT[type(before)]
    if not isinstance(before, Lt | Le | Gt | Ge) or not (strict or type(before) is type(result)):
        raise Inapplicable("only an inequality can be weakened, to one that points the same way")
    _pass_no_pole(divisors(before), divisors(result), conditions)
    # the smaller side may only have become smaller, and the larger one larger
    gaps = (before.lts - result.lts, result.gts - before.gts)
    if strict and not any(map(above_zero, gaps)):
        return None
    known = [gap for c in conditions if (gap := _not_negative(c.relation)) not in (None, 0)]
    return True if all(gap == 0 or at_least_zero(gap) or _multiple(gap, known) for gap in gaps) else None


def _not_negative(relation: Any) -> Any:
    """Difference that an inequality says is not negative; None for anything else."""
    return valued(relation.gts - relation.lts) if isinstance(relation, Lt | Le | Gt | Ge) else None


def _multiple(gap: Any, known: list[Any]) -> bool:
    """Whether a difference is something positive times one that a condition says is not negative."""
    return any(positive(gap / one) for one in known)


def _bound_alike(before: Any, result: Any, conditions: Conditions) -> Answer:
    """Whether an inequality says that the maxima of an equation add up, by the difference of its sides."""
    if not isinstance(result, Le | Ge):
        raise Inapplicable("whether two maxima add up is said by an inequality that is not strict")
    _pass_no_pole(divisors(before), divisors(result), conditions)
    # one question with its answer in a product: max(a, b) + max(c, d) = max(a + c, b + d) exactly where that is not
    # negative
    return equal(result.gts - result.lts, apart(before))


def _substituted(before: Any, by: Formula | Condition, result: Any, conditions: Conditions) -> Answer:
    """Whether a substitution gives the result: of a letter by its formula, or by a condition.

    A formula's letter is replaced by its right-hand side. A condition is applied to what was and to what is stated.
    """
    if isinstance(by, Formula):
        return _alike(before, result, conditions, {by.quantity: valued(by.rhs)}, {})
    if by not in conditions:
        raise Inapplicable(f"the condition {text(by.relation)} is not stated in `where`")
    replace = elimination(valued(by.relation), conditions)
    return _alike(before, result, conditions, replace, replace)


def _alike(one: Any, other: Any, conditions: Conditions, in_one: Replace = KEPT, in_other: Replace = KEPT) -> Answer:
    """Whether two are the same once letters are replaced, and neither divides by zero where the other does not."""
    one, other = valued(one), valued(other)
    _pass_no_pole(_replaced(divisors(one), in_one), _replaced(divisors(other), in_other), conditions)
    return _same(one.xreplace(in_one), other.xreplace(in_other))


def _replaced(divided_by: Iterable[Any], replace: Replace) -> list[Any]:
    return [divisor.xreplace(replace) for divisor in divided_by]


def _pass_no_pole(before: Iterable[Any], after: Iterable[Any], conditions: Conditions) -> None:
    if (factor := pole(before, after, conditions)) is not None:
        raise Inapplicable(f"no condition says that {text(factor)} is not zero, and one form alone divides by it")


def _same(expected: Any, stated: Any) -> Answer:
    expected, stated = _without_roots(valued(expected), valued(stated))
    if isinstance(expected, Relational) or isinstance(stated, Relational):
        return same_relation(expected, stated)
    return equal(expected, stated)


def _without_roots(*expressions: Any) -> tuple[Any, ...]:
    """The expressions with every letter under a square root written as a square: equal where these are.

    Letters are positive, so each whose root is drawn is the square of a positive number, and (√h + 1)² is a polynomial
    again.
    """
    powers = set().union(*(expression.atoms(Pow) for expression in expressions))
    rooted = {p.base for p in powers if p.base.is_Symbol and p.exp.is_Rational and p.exp.q == 2}
    squares = {letter: Dummy(letter.name, positive=True) ** 2 for letter in rooted}
    return tuple(expression.xreplace(squares) for expression in expressions)


def _arrives(formula: Formula) -> tuple[bool | None, str]:
    """Whether the derivation ends at the claim by rules that can prove it, and what to say if it does not."""
    claim, first, last = formula.statement, formula.steps[0].result, formula.steps[-1].result
    if fault := _forbidden(formula):
        return False, fault
    if claim.start is not None and (answer := _alike(first, claim.start, formula.conditions)) is not True:
        return answer, f"the derivation does not start at {text(claim.start)}"
    for owed in claim.owed:
        one, other = (_written_out(side, formula) for side in owed.relation.args)
        strict = isinstance(owed.relation, Gt)
        if not (positive(one - other, formula.conditions) if strict else no_less(one, other)):
            return None, owed.sentence
    end = claim.end(last)
    return _alike(last, end, formula.conditions), f"the derivation ends at {text(last)}, the claim says {text(end)}"


def _written_out(expression: Any, formula: Formula) -> Any:
    """Expression with letters replaced by the exact counts that the formula's own steps substitute for them."""
    substituted = [o for step in formula.steps if step.rule is Rule.SUBSTITUTE for o in step.operands]
    for used in substituted:
        if isinstance(used, Formula) and used.kind is Kind.IDENTITY:
            expression = expression.xreplace({used.quantity: used.rhs})
    return expression


def _forbidden(formula: Formula) -> str:
    """Complaint about a rule, an approximation or a guess that a claim of this shape cannot rest on; else ""."""
    claim, rules = formula.statement, {step.rule for step in formula.steps}
    if odd := sorted(rule.value for rule in rules - _ALLOWED[claim.rest]):
        return f"{claim.rest.value} cannot rest on {odd[0]!r}, which leads one way only"
    approximate = [used.name for used in formula.uses if _approximates(used, formula)]
    if approximate and formula.kind is not Kind.LAW:
        return f"{approximate[0]} is an approximation, and only a law may take it for exact"
    cited = [used for used in formula.steps[0].operands if isinstance(used, Formula)]
    if Rule.LIMIT in rules and any(used.quantity == formula.quantity for used in cited):
        return f"a limit of {formula.quantity} is another quantity"
    if claim.exact_value is not None and not formula.measured_by:
        return "nothing measures the exact value"
    if claim.error_bound is not None and at_least_zero(claim.error_bound - 1):
        return f"an error of at most {text(claim.error_bound)}, that is of everything or more, says nothing"
    return _idle(formula) or fault_of_letters(formula)


def _idle(formula: Formula) -> str:
    """Complaint about a maximum of the claim that is there for show: an argument is never the larger; else ""."""
    maxima = {maximum for relation in formula.statement.relations for maximum in relation.atoms(Max)}
    for maximum in sorted(maxima, key=str):
        for one, other in permutations(maximum.args, 2):
            if at_least_zero(one - other):
                return f"{text(other)} is never larger than {text(one)}, so no maximum is taken"
    return ""
