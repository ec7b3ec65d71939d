"""Check 6: would a wrong formula be noticed?

The formula is broken on purpose, in every way a person might get it wrong: doubled, a letter dropped or squared,
two letters swapped, an exponent lowered, a term dropped, a step's result doubled. Each mutant has to be rejected by
a check that can be named. One that survives means that the checks are blind there, and is reported, never hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from sympy import Add, Pow
from sympy.core.relational import Ge, Gt, Le, Lt, Relational

from ..algebra import equal, same_relation
from ..claims import Approximation, Equivalence, Implication, Kind
from ..formula import Formula
from ..printing import text
from .dimensions import check_dimensions
from .steps import check_steps
from .theorems import check_theorem
from .verdict import Finding, Verdict

Engine = Callable[[Formula], bool]  # whether the engine contradicts a formula


@dataclass(frozen=True)
class Mutant:
    """A broken formula, what was done to it, and the check that rejects it ("" if none does)."""

    formula: Formula
    change: str
    rejected_by: str = ""


def mutants(formula: Formula) -> Iterator[Mutant]:
    """Every mutant of a formula that says something else than the formula."""
    for claim, change in _claims(formula.claim):
        yield Mutant(replace(formula, claim=claim), change)
    for number, step in enumerate(formula.steps, 1):
        wrong = _doubled(step.result)
        steps = (*formula.steps[: number - 1], replace(step, result=wrong), *formula.steps[number:])
        yield Mutant(replace(formula, steps=steps), f"result of step {number} doubled")


def _claims(claim: Any) -> Iterator[tuple[Any, str]]:
    if isinstance(claim, Equivalence):
        for right, change in _relations(claim.right):
            yield Equivalence(claim.left, right), change
    elif isinstance(claim, Implication):
        for then, change in _relations(claim.then):
            yield Implication(claim.given, then), change
    elif isinstance(claim, Approximation):
        for value, change in _expressions(claim.value):
            yield replace(claim, value=value), change
        yield replace(claim, bound=claim.bound / 2), "bound halved"
    else:
        for right, change in _expressions(claim.rhs):
            yield claim.func(claim.lhs, right, evaluate=False), change


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
        if mutated not in seen and equal(mutated, expression) is not True:
            seen.add(mutated)
            yield mutated, change


def _changes(expression: Any) -> Iterator[tuple[Any, str]]:
    letters = sorted(expression.free_symbols, key=str)
    yield 2 * expression, "doubled"
    for letter in letters:
        yield expression.xreplace({letter: letter / letter}), f"{text(letter)} dropped"
        yield expression.xreplace({letter: letter**2}), f"{text(letter)} squared"
    for one, other in combinations(letters, 2):
        yield expression.xreplace({one: other, other: one}), f"{text(one)} and {text(other)} swapped"
    for power in sorted(expression.atoms(Pow), key=str):
        yield expression.xreplace({power: power.base ** (power.exp - 1)}), f"exponent of {text(power)} lowered"
    for total in sorted(expression.atoms(Add), key=str):
        for term in total.args:
            yield expression.xreplace({total: total - term}), f"{text(term)} dropped"


def _doubled(result: Any) -> Any:
    if isinstance(result, Relational):
        return result.func(result.lhs, 2 * result.rhs, evaluate=False)
    return 2 * result


def judged(formula: Formula, contradicts: Engine | None) -> list[Mutant]:
    """Every mutant with the first check that rejects it: dimensions, engine, theorem, steps, in this order."""
    return [replace(mutant, rejected_by=_rejecting(mutant.formula, contradicts)) for mutant in mutants(formula)]


def _rejecting(mutant: Formula, contradicts: Engine | None) -> str:
    if check_dimensions(mutant).verdict is Verdict.REFUTED:
        return "dimensions"
    if contradicts is not None and contradicts(mutant):
        return "engine"
    if check_steps(mutant).verdict is not Verdict.PROVED:
        return "steps"
    if mutant.kind is Kind.THEOREM and check_theorem(mutant).verdict is Verdict.REFUTED:
        return "theorem"
    return ""


def check_mutants(formula: Formula, contradicts: Engine | None) -> Finding:
    """PROVED if every mutant is rejected; otherwise the survivors."""
    found = judged(formula, contradicts)
    survivors = [mutant.change for mutant in found if not mutant.rejected_by]
    if survivors:
        return Finding("mutants", Verdict.REFUTED, f"{len(survivors)} of {len(found)} survive: {'; '.join(survivors)}")
    by = {name: sum(m.rejected_by == name for m in found) for name in ("dimensions", "engine", "theorem", "steps")}
    shares = ", ".join(f"{number} by {name}" for name, number in by.items() if number)
    return Finding("mutants", Verdict.PROVED, f"{len(found)} of {len(found)} rejected: {shares}")
