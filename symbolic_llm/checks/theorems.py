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
from operator import le
from typing import Any

from ..claims import Kind
from ..expressions.exact import exact
from ..expressions.printing import text
from ..formula import Formula
from ..numeral import valued
from .examples import holds, witness
from .linearise import Widened, with_products
from .powers import without_powers
from .smt_questions import (
    NoCounterpart,
    Question,
    Writer,
    both,
    counts,
    denominators,
    either,
    letters_of,
    without_rounding,
)
from .solvers import agreed, ask_z3, missing
from .vacuity import check_conditions as check_conditions
from .verdict import Finding, Verdict

_Values = dict[Any, Fraction]


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
            if isinstance(question, Widened) and first.said != "unsat":
                continue  # it proves, and refutes nothing
            # put in and evaluated: a power is any number to solvers, so what they find may be none
            if fault := _fault(formula, question.values(first.example)) if first.example else "":
                return Outcome(Finding("theorem", Verdict.REFUTED, fault))
            answer, reason = agreed(question.text, first) if first.said != "sat" else ("sat", "")
            gave_up |= bool(reason)
            if answer == "unsat":
                over = " in whole numbers" * question.whole
                return Outcome(
                    Finding("theorem", Verdict.PROVED, f"no counterexample exists{over} (z3, cvc5)"), question
                )
    except NoCounterpart as nothing:
        return Outcome(Finding("theorem", Verdict.UNDECIDED, str(nothing)))
    # to solvers a power is any positive number; a search by evaluating knows which
    if fault := _searched(formula):
        return Outcome(Finding("theorem", Verdict.REFUTED, fault))
    summary = reason or "no counterexample that can be evaluated was found"
    return Outcome(Finding("theorem", Verdict.UNDECIDED, summary, open=gave_up))


def _questions(formula: Formula) -> Iterator[Question]:
    """Questions for a counterexample: products as letters, fractions multiplied out, as they are, in whole numbers."""
    put = without_powers(
        valued(one) for one in (*formula.statement.relations, *(c.relation for c in formula.conditions))
    )
    stated = [put[valued(relation)] for relation in formula.statement.relations]
    conditions = [put[valued(condition.relation)] for condition in formula.conditions]
    if wide := with_products((*stated, *conditions)):
        writer = Writer()
        cases = [tuple((wide[put[valued(one)]], truth) for one, truth in case) for case in formula.statement.broken]
        given = [writer.relation(wide[one]) for one in conditions]
        yield Widened(letters_of(wide.values()), (*given, either([*map(writer.case, cases)])), whole=False)
    letters = letters_of((*stated, *conditions, *put))
    divisors = denominators((*stated, *conditions))
    for whole in (False, True) if any(map(counts, letters)) else (False,):
        # multiplied out first, which solvers find easier; as it is written where a divisor may be negative
        for multiplied in (True, False) if divisors else (True,):
            writer = Writer(whole=whole, multiplied=multiplied)
            plain, rounded = without_rounding((*stated, *conditions))
            cases = [
                tuple((plain[put[valued(one)]], truth) for one, truth in case) for case in formula.statement.broken
            ]
            where = [writer.relation(plain[put[valued(relation)]]) for relation in formula.statement.presupposed]
            # multiplied out a relation is the same only where divisors are positive, so that one is not counts as a
            # fault there
            bad = [writer.not_positive(x) if multiplied else writer.zero(x) for x in divisors]
            faults = [*map(writer.case, cases), *(both([*where, one]) for one in bad)]
            given = [*map(writer.rounding, rounded), *(writer.relation(plain[one]) for one in conditions)]
            yield Question(letters, (*given, either(faults)), whole, tuple(integer for integer, _ in rounded))


def _fault(formula: Formula, values: _Values) -> str:
    """Complaint about the theorem at these values, evaluated; "" if it holds there, or the letters cannot have them."""
    if not holds((condition.relation for condition in formula.conditions), values):
        return ""
    where = ", ".join(f"{text(letter)} = {value}" for letter, value in values.items())
    try:
        true = formula.statement.truth(lambda relation: exact(valued(relation), values), implies=le)
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
