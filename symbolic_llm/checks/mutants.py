"""Check 6: a wrong formula is noticed

The formula is broken on purpose, in every way a person might get it wrong: doubled, a letter dropped or squared,
two letters swapped, an exponent lowered, a term dropped, a step's result doubled, a condition dropped. Each mutant has
to be rejected by a check that can be named. That the derivation ends somewhere else does not count against a wrong
claim: someone who gets the claim wrong gets the steps wrong with it. A mutant that survives means that the checks are
blind there, and is reported, never hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from ..algebra import Add, Ge, Gt, Le, Lt, Max, Min, Pow, Relational, ceiling, floor
from ..claims import Claim, Condition, Kind
from ..expressions.decide import equal
from ..expressions.exact import put_in
from ..expressions.printing import text
from ..expressions.relations import same_relation
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import count
from ..unevaluated import changed
from .dimensions import fault_of_claim
from .steps import check_steps
from .theorems import check_theorem
from .verdict import Finding, Verdict

Engine = Callable[[Formula], str]  # the witness that contradicts a formula, or ""
Passing = Callable[[Formula], Sequence[object]]  # the exchanges of letters that nothing tells


@dataclass(frozen=True)
class Mutant:
    """A broken formula, what was done to it, to its claim, a step or a condition, and the check that rejects it."""

    formula: Formula
    change: str
    part: str
    impossible: bool = False  # whether the engine cannot even be asked where the dropped condition fails
    outside: Formula | None = None  # the same where the dropped condition fails, if it is an inequality
    rejected_by: str = ""
    theorem: Finding | None = None  # what solvers say of a mutated theorem, if they were asked


def mutants(formula: Formula) -> Iterator[Mutant]:
    """Every mutant of a formula that says something else than the formula."""
    for claim, change in _claims(formula.statement):
        yield Mutant(replace(formula, claim=claim), change, "claim")
    for number, step in enumerate(formula.steps, 1):
        wrong = _doubled(step.result)
        steps = (*formula.steps[: number - 1], replace(step, result=wrong), *formula.steps[number:])
        yield Mutant(replace(formula, steps=steps), f"result of step {number} doubled", "step")
    for condition in formula.where:
        without = tuple(other for other in formula.where if other != condition)
        without_it = replace(formula, where=without)
        if condition in without_it.conditions:
            continue  # a formula it uses brings the condition along
        impossible = _impossible(condition.relation, formula)
        outside = replace(formula, where=(*without, failing)) if (failing := _failing(condition)) else None
        yield Mutant(without_it, f"condition dropped: {condition.sentence}", "condition", impossible, outside)


def _failing(condition: Condition) -> Condition | None:
    """Condition that an inequality does not hold; None if the relation is no inequality."""
    is_inequality = isinstance(condition.relation, Lt | Le | Gt | Ge)
    return Condition(condition.relation.negated, f"not: {condition.sentence}") if is_inequality else None


def _impossible(relation: Any, formula: Formula) -> bool:
    from ..witness.comparison_at_places import guaranteed

    return bool(formula.measured_by) and guaranteed(relation, formula)


def _claims(claim: Claim) -> Iterator[tuple[Claim, str]]:
    changed = _relations if claim.conclusion.is_Relational else _expressions
    for conclusion, change in changed(claim.conclusion):
        yield claim.concluding(conclusion), change
    yield from claim.tightened()


def _relations(relation: Any) -> Iterator[tuple[Any, str]]:
    turned = {Lt: Gt, Gt: Lt, Le: Ge, Ge: Le}
    if relation.func in turned:
        yield turned[relation.func](*relation.args, evaluate=False), "relation turned round"
    for side, change in _expressions(relation.rhs):
        if same_relation(mutated := relation.func(relation.lhs, side, evaluate=False), relation) is not True:
            yield mutated, change


def _expressions(expression: Any) -> Iterator[tuple[Any, str]]:
    """Wrong versions of an expression; those that happen to be equal to it are left out."""
    seen = {expression}
    for mutated, change in _changes(expression):
        # what is equal is no fault, and nothing could notice it; where equality is undecided it counts as one
        if mutated not in seen and equal(mutated, expression) is not True:
            seen.add(mutated)
            yield mutated, change


def _changes(expression: Any) -> Iterator[tuple[Any, str]]:
    letters = sorted(expression.free_symbols, key=str)
    yield 2 * expression, "doubled"
    for letter in letters:
        yield put_in(expression, {letter: letter / letter}), f"{text(letter)} dropped"
        yield put_in(expression, {letter: letter**2}), f"{text(letter)} squared"
    for one, other in combinations(letters, 2):
        yield put_in(expression, {one: other, other: one}), f"{text(one)} and {text(other)} swapped"
    for power in sorted(expression.atoms(Pow), key=str):
        yield put_in(expression, {power: power.base ** (power.exp - 1)}), f"exponent of {text(power)} lowered"
    for total in sorted(expression.atoms(Add), key=str):
        for term in total.args:
            yield put_in(expression, {total: total - term}), f"{text(term)} dropped"
    yield from _extremes(expression)


def _extremes(expression: Any) -> Iterator[tuple[Any, str]]:
    """Wrong versions of an expression by its maxima, minima and roundings, each with the change in words.

    A maximum or minimum becomes an argument or their sum, a minimum also a maximum. A rounding is left out or is off by
    one.
    """
    for extreme in sorted(expression.atoms(Max, Min), key=str):
        which = "larger" if isinstance(extreme, Max) else "smaller"
        for argument in extreme.args:
            yield changed(expression, {extreme: argument}), f"{text(argument)} in place of the {which}"
        yield changed(expression, {extreme: Add(*extreme.args)}), f"a sum in place of the {which}"
        if isinstance(extreme, Min):
            yield changed(expression, {extreme: Max(*extreme.args)}), "the larger in place of the smaller"
    for rounded in sorted(expression.atoms(floor), key=str):
        exact = rounded.args[0]
        yield changed(expression, {rounded: exact}), "not rounded"
        yield changed(expression, {rounded: rounded + 1}), "one more"
        # differs from rounding down only where nothing is to be rounded: where something fits exactly
        yield changed(expression, {rounded: ceiling(exact) - 1}), "rounded up, and one less"
        for letter in sorted(exact.free_symbols, key=str):
            one = count(1, "one", LETTERS[letter].unit)
            yield changed(expression, {letter: letter - one}), f"{text(letter)} less one"


def _doubled(result: Any) -> Any:
    if isinstance(result, Relational):
        return result.func(result.lhs, 2 * result.rhs, evaluate=False)
    return 2 * result


def judged(formula: Formula, contradicts: Engine | None) -> list[Mutant]:
    """Mutants of a formula, each with the first check that rejects it."""
    return [_judged(mutant, contradicts) for mutant in mutants(formula)]


def _judged(mutant: Mutant, contradicts: Engine | None) -> Mutant:
    """Mutant with the first check that rejects it.

    For a wrong claim the steps are no such check: they only say that it is not what was derived.
    """
    formula = mutant.formula
    if mutant.part == "claim":
        if fault_of_claim(formula):
            return replace(mutant, rejected_by="dimensions")
        if contradicts is not None and (witness := contradicts(formula)):
            return replace(mutant, rejected_by=witness)
    # a step is wrong whatever the theorem is: solvers are asked about claims
    if formula.kind is Kind.THEOREM and mutant.part != "step":
        mutant = replace(mutant, theorem=(found := check_theorem(formula)))
        if found.verdict is Verdict.REFUTED:
            return replace(mutant, rejected_by="theorem")
    return replace(mutant, rejected_by=_rejecting(mutant, contradicts))


def _rejecting(mutant: Mutant, contradicts: Engine | None) -> str:
    """The first check that rejects a mutant which neither dimensions nor solvers reject."""
    formula = mutant.formula
    if mutant.part != "claim" and check_steps(formula).verdict is not Verdict.PROVED:
        return "steps"
    if mutant.part == "condition" and contradicts is not None:
        if (witness := contradicts(formula)) or mutant.impossible:
            return witness or "shapes the engine has"
        return contradicts(mutant.outside) if mutant.outside else ""  # few places fail one of several conditions
    return ""


def check_mutants(formula: Formula, contradicts: Engine | None, passing: Passing | None = None) -> Finding:
    """Finding on mutants: PROVED if each is rejected and no letter passes for another; otherwise the survivors.

    A claim without a witness has nothing to reject its mutants but the derivation, which ends somewhere else. Those
    are counted apart. A theorem may survive as a weaker one that is true as well.
    """
    found = judged(formula, contradicts)
    survivors = [mutant for mutant in found if not mutant.rejected_by]
    weaker = [mutant for mutant in survivors if _still_true(mutant)]
    unwitnessed = [m for m in survivors if m.part == "claim" and not formula.measured_by and m not in weaker]
    blind = [mutant.change for mutant in survivors if mutant not in weaker and mutant not in unwitnessed]
    if passing is not None and (others := passing(formula)):
        summary = f"nothing tells a wrong letter: {'; '.join(map(str, others))}"
        return Finding("mutants", Verdict.UNDECIDED, summary)
    open_still = any(mutant.theorem is not None and mutant.theorem.open for mutant in found)
    if blind:
        summary = f"{len(blind)} of {len(found)} survive: {'; '.join(blind)}"
        return Finding("mutants", Verdict.UNDECIDED, summary, open=open_still)
    rejected = [mutant.rejected_by for mutant in found if mutant.rejected_by]
    shares = [f"{rejected.count(name)} by {name}" for name in dict.fromkeys(rejected)]
    summary = f"{len(rejected)} of {len(found)} rejected: {', '.join(shares)}"
    if passing is not None:
        summary += "; no other letter passes for one of its own"
    if weaker:
        summary += f"; {len(weaker)} true as well: {'; '.join(mutant.change for mutant in weaker)}"
    if unwitnessed:
        summary += f"; {len(unwitnessed)} differ from the derivation alone, since nothing is measured"
    return Finding("mutants", Verdict.PROVED, summary, open=open_still)


def _still_true(mutant: Mutant) -> bool:
    """Whether a mutated theorem is proved by the solvers, so that to accept it is no mistake."""
    return mutant.part == "claim" and mutant.theorem is not None and mutant.theorem.verdict is Verdict.PROVED
