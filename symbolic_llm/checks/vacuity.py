"""Check 2, the other half: what is proved says something

From conditions that cannot hold anything follows. So there have to be numbers, whole ones for letters that count, for
which the conditions hold together with all that the used formulas say; of an equivalence each side has to be true
somewhere and false somewhere; what an implication presupposes has to be possible, and what it concludes must not be
true anyway. An example that is evaluated proves that; two solvers that agree refute it.

Letters alone can have values that no decoder has: fewer weights multiplied than an embedding holds. What the engine
measures is asked of decoders anyway. Of anything else all this has to be possible once more, in a decoder of some kind,
with each letter that its formulas compute as they do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import listed
from ..expressions.parts import counts, letters_of
from ..expressions.printing import text
from ..expressions.trees import tree
from ..formula import Formula
from ..witness.letters import decoders_for, describing, never
from . import verify_alone
from .examples import Scope, Values, holds, witness
from .solvers import agreed, ask_z3, missing
from .verdict import Finding, Verdict


@dataclass(frozen=True)
class Possibility:
    """Relations that have to be possible together, and the complaint if they are not."""

    name: str
    relations: tuple[Any, ...]
    scope: Scope
    complaint: str

    @property
    def every(self) -> tuple[Any, ...]:
        """The relations with those of the scope."""
        return (*self.relations, *self.scope.relations)

    def question(self, *, whole: bool) -> str:
        """Question to solvers whether the relations are possible together, where nothing is divided by zero."""
        rounded = list[verify_alone.Rounded]()
        relations = [verify_alone.plain(tree(one), rounded) for one in self.every]
        counting = [letter.name for letter in letters_of(self.every) if counts(letter)]
        writer = verify_alone.Writer(relations, rounded, counting, whole=whole, apart=False)
        given = writer.given(relations)
        return "\n".join(writer.question([*given, *(f"(not {writer.zero(under)})" for under in writer.divisors)]))

    def example(self) -> Values | None:
        """Values for which the relations hold, or None where the search finds none."""
        return witness(self.relations, self.scope)


def possibilities(formula: Formula) -> Iterator[Possibility]:
    """Everything that has to be possible for a formula to say something."""
    conditions = tuple(condition.relation for condition in formula.conditions)
    asked: list[tuple[str, tuple[Any, ...], str]] = []
    if conditions:
        asked.append(("conditions", (), "the conditions cannot hold together"))
    for number, (case, complaint) in enumerate(formula.statement.possible, 1):
        asked.append((f"possible-{number}", tuple(one if truth else one.negated for one, truth in case), complaint))
    for name, more, complaint in asked:
        relations = (*conditions, *more)
        yield Possibility(name, relations, Scope.of(formula, relations), complaint)


def check_conditions(formula: Formula) -> Finding:
    """Whether all that has to be possible is: PROVED by examples, REFUTED by both solvers, UNDECIDED else."""
    possible = list(possibilities(formula))
    found = [_judged(one) for one in possible]
    if not formula.measured_by and all(finding.verdict is Verdict.PROVED for finding in found):
        found = [_of_some_decoder(formula, one) for one in possible]
    worst = Verdict.worst([finding.verdict for finding in found]) if found else Verdict.PROVED
    if worst is not Verdict.PROVED:
        return next(finding for finding in found if finding.verdict is worst)
    shown = ["they can hold together"] if formula.conditions else []
    shown += ["the claim says something"] if formula.statement.possible else []
    return Finding("conditions", Verdict.PROVED, " and ".join(shown) or "nothing is presupposed")


def _judged(possibility: Possibility) -> Finding:
    if possibility.example() is not None:
        return Finding("conditions", Verdict.PROVED, "")
    if lacking := missing():
        return Finding("conditions", Verdict.UNDECIDED, lacking)
    reason, gave_up = "", False
    # real numbers first: what none of these can be no whole ones can, and solvers decide it more easily
    for whole in (False, True) if any(map(counts, letters_of(possibility.every))) else (False,):
        try:
            question = possibility.question(whole=whole)
        except (ValueError, ZeroDivisionError) as nothing:
            return Finding("conditions", Verdict.UNDECIDED, f"it has no counterpart in SMT-LIB: {nothing}")
        first = ask_z3(question)
        # an example that is evaluated needs no second solver: it proves itself
        if holds(possibility.every, first.values(possibility.every)):
            return Finding("conditions", Verdict.PROVED, "")
        answer, reason = agreed(question, first)
        gave_up |= bool(reason)
        if answer == "unsat":
            return Finding("conditions", Verdict.REFUTED, _complaint(possibility, whole=whole))
    why = reason or "no example was found that can be evaluated"
    return Finding("conditions", Verdict.UNDECIDED, f"whether {possibility.name} can hold: {why}", open=gave_up)


def scopes_of(formula: Formula, possibility: Possibility) -> dict[Any, Scope]:
    """Scopes by decoder, of each kind that the formula is for: what computes the letters of a possibility there."""
    kinds, below = decoders_for(formula.traits), formula.closure()
    letters = frozenset(letters_of(possibility.relations))
    return {one: Scope.of(formula, possibility.relations, describing(one, letters, below)) for one in kinds}


def _of_some_decoder(formula: Formula, possibility: Possibility) -> Finding:
    """Finding on a possibility in decoders: PROVED by an example in one, REFUTED where a relation fails in each.

    A decoder of any kind will do. A relation fails in a decoder if it does so for all shapes.
    """
    searched, failing = set[Scope](), list[Any]()
    for decoder, scope in scopes_of(formula, possibility).items():
        fails = [relation for relation in possibility.relations if never(formula, decoder, relation)]
        failing += fails
        if not fails and scope not in searched:
            if witness(possibility.relations, scope) is not None:
                return Finding("conditions", Verdict.PROVED, "")
            searched.add(scope)
    if searched:
        why = f"whether {possibility.name} can hold in a decoder: none was found where it does"
        return Finding("conditions", Verdict.UNDECIDED, why)
    where = f"in decoders of every kind {text(failing[0])} fails, whatever their shapes"
    return Finding("conditions", Verdict.REFUTED, f"vacuous: {possibility.complaint}: {where}")


def _complaint(possibility: Possibility, *, whole: bool) -> str:
    """Complaint about what is vacuous: in itself, for whole numbers, or because of a formula that is used."""
    where = " for whole numbers" if whole else ""
    names = [used.name for used in possibility.scope.used]
    if names and witness(possibility.relations) is not None:
        where += f", since it builds on {listed(names)}"
    return f"vacuous: {possibility.complaint}{where} (z3, cvc5)"
