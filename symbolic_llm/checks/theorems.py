"""Check 2: theorems, by two SMT solvers

An equivalence or implication between relations is handed to z3 and to cvc5, negated, in one text: if both say that no
counterexample exists, it is proved. Letters that count are at least 1; that they are whole is used only where the
theorem is false without it, so mostly what is proved holds for more than is claimed. A counterexample is put in and
evaluated before it is believed. A denominator that can be zero counts as one: there the claim says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..claims import Kind
from ..expressions.exact import exact
from ..expressions.parts import counts
from ..expressions.printing import text
from ..expressions.trees import tree, trees
from ..formula import Formula
from ..numeral import valued
from . import verify_alone
from .examples import holds, witness
from .solvers import agreed, ask_z3, missing
from .vacuity import check_conditions as check_conditions
from .verdict import Finding, Verdict

_Values = dict[Any, Fraction]
# with products as letters, which solvers find easiest and which can prove and never refute; as they are; in whole
# numbers, where a theorem is false without that
_FORMS = ((True, False), (False, False), (False, True))


class Question(NamedTuple):
    """A question to solvers, in SMT-LIB 2: whether there is a counterexample.

    Attributes:
        text: the question.
        apart: whether each product of letters is a number of its own.
        whole: whether letters that count are declared to be whole.
    """

    text: str
    apart: bool
    whole: bool


@dataclass(frozen=True)
class Outcome:
    """Finding on a theorem, and the question whose answer proves it; None where it is not proved."""

    finding: Finding
    question: Question | None = None


def check_theorem(formula: Formula) -> Finding:
    """Ask both solvers for a counterexample.

    Returns:
        PROVED if both say that there is none, REFUTED with one, UNDECIDED if one is not installed, gives up or
        says something else than the other.
    """
    return proved(formula).finding


def proved(formula: Formula) -> Outcome:
    """Ask both solvers for a counterexample; the finding, with the question that decided."""
    if formula.kind is not Kind.THEOREM:
        raise ValueError(f"{formula.name} is not a theorem")
    if lacking := missing():
        return Outcome(Finding("theorem", Verdict.UNDECIDED, lacking))
    reason, gave_up = "", False
    try:
        for question in _questions(formula):
            first = ask_z3(question.text)
            gave_up |= first.gave_up
            if question.apart and first.said != "unsat":
                continue  # it proves, and refutes nothing
            # put in and evaluated: a power is any number to solvers, so what they find may be none
            if fault := _fault(formula, first.values(_relations(formula))) if first.example else "":
                return Outcome(Finding("theorem", Verdict.REFUTED, fault))
            answer, reason = agreed(question.text, first) if first.said != "sat" else ("sat", "")
            gave_up |= bool(reason)
            if answer == "unsat":
                over = " in whole numbers" * question.whole
                return Outcome(
                    Finding("theorem", Verdict.PROVED, f"no counterexample exists{over} (z3, cvc5)"), question
                )
    except (ValueError, ZeroDivisionError) as nothing:
        return Outcome(Finding("theorem", Verdict.UNDECIDED, f"it has no counterpart in SMT-LIB: {nothing}"))
    # to solvers a power is any positive number; a search by evaluating knows which
    if fault := _searched(formula):
        return Outcome(Finding("theorem", Verdict.REFUTED, fault))
    summary = reason or "no counterexample that can be evaluated was found"
    return Outcome(Finding("theorem", Verdict.UNDECIDED, summary, open=gave_up))


def _relations(formula: Formula) -> tuple[Any, ...]:
    """The relations of the claim and of its conditions."""
    return (*formula.statement.relations, *(condition.relation for condition in formula.conditions))


def stated(formula: Formula, claim: Any) -> dict[str, Any]:
    """Fields of a record: a claim, as a tree, its conditions, and the letters in them that count."""
    letters = formula.statement.symbols.union(*(one.relation.free_symbols for one in formula.conditions))
    return {
        "claim": claim,
        "conditions": trees(condition.relation for condition in formula.conditions),
        "whole": sorted(letter.name for letter in letters if counts(letter)),
    }


def _questions(formula: Formula) -> Iterator[Question]:
    """Questions for a counterexample: as the program asks that readers get with a proof."""
    record = {"formula": formula.name, **stated(formula, formula.statement.as_tree(tree))}
    for apart, whole in _FORMS:
        if record["whole"] or not whole:
            form = {"products_apart": apart, "in_whole_numbers": whole}
            yield Question(verify_alone.question(record | form), apart, whole)


def _fault(formula: Formula, values: _Values) -> str:
    """Complaint about the theorem at these values, evaluated; "" if it holds there, or the letters cannot have them."""
    if not holds((condition.relation for condition in formula.conditions), values):
        return ""
    where = ", ".join(f"{text(letter)} = {value}" for letter, value in values.items())
    try:
        true = formula.statement.truth(lambda relation: exact(valued(relation), values))
    except ZeroDivisionError:
        return f"a denominator is zero: {where}" if _speaks(formula, values) else ""
    except (TypeError, ValueError):
        return ""
    return "" if true else f"counterexample: {where}"


def _speaks(formula: Formula, values: _Values) -> bool:
    """Whether what a theorem presupposes holds at these values, or has no value there either."""
    try:
        return formula.statement.speaks(lambda relation: exact(valued(relation), values))
    except ZeroDivisionError:
        return True


def _searched(formula: Formula) -> str:
    """Complaint about a counterexample that solvers did not give, found by search; "" if none is found."""
    conditions = tuple(condition.relation for condition in formula.conditions)
    for case in formula.statement.broken:
        relations = [relation if truth else relation.negated for relation, truth in case]
        if found := witness((*conditions, *relations)):
            return _fault(formula, found)
    return ""
