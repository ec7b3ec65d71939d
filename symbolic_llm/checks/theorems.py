"""Check 2: theorems, by an SMT solver

An equivalence or implication between relations over positive reals is handed to z3, negated: if no counterexample
exists, it is proved. Letters that count are at least 1; that they are whole is not used, so what is proved holds
for more than is claimed.
"""

from __future__ import annotations

from typing import Any

from sympy import Add, Max, Min, Mod, Mul, Pow, Rational, floor
from sympy.core.relational import Eq, Ge, Gt, Le, Lt

from ..claims import Kind
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from .verdict import Finding, Verdict

INSTALL = "z3-solver is not installed: pip install 'symbolic-llm[check]'"
_MILLISECONDS = 4000


def check_theorem(formula: Formula) -> Finding:
    """Ask z3 for a counterexample.

    Returns:
        PROVED if there is none, REFUTED with one, UNDECIDED if z3 is not installed or gives up.
    """
    if formula.kind is not Kind.THEOREM:
        raise ValueError(f"{formula.name} is not a theorem")
    try:
        import z3
    except ImportError:
        return Finding("theorem", Verdict.UNDECIDED, INSTALL)
    letters: dict[Any, Any] = {}
    try:
        claim = formula.statement.truth(lambda relation: _formula(valued(relation), z3, letters), z3.Implies)
        conditions = [_formula(valued(c.relation), z3, letters) for c in formula.conditions]
    except TypeError as reason:
        return Finding("theorem", Verdict.UNDECIDED, str(reason))
    answer, model = _asked(z3, letters, *conditions, z3.Not(claim))
    if answer == z3.unsat:
        return Finding("theorem", Verdict.PROVED, "no counterexample exists (z3)")
    if answer == z3.unknown:
        return Finding("theorem", Verdict.UNDECIDED, f"z3 gave up after {_MILLISECONDS / 1000:g} s")
    values = ", ".join(f"{symbol} = {model.evaluate(variable, True)}" for symbol, variable in letters.items())
    return Finding("theorem", Verdict.REFUTED, f"counterexample: {values}")


def check_conditions(formula: Formula) -> Finding:
    """Whether conditions and presupposition can hold at all: what follows from a contradiction says nothing."""
    try:
        import z3
    except ImportError:
        return Finding("conditions", Verdict.UNDECIDED, INSTALL)
    letters: dict[Any, Any] = {}
    given = (*(condition.relation for condition in formula.conditions), *formula.statement.presupposed)
    try:
        stated = [_formula(valued(relation), z3, letters) for relation in given]
    except TypeError as reason:
        return Finding("conditions", Verdict.UNDECIDED, str(reason))
    answer, _ = _asked(z3, letters, *stated)
    if answer == z3.unsat:
        return Finding("conditions", Verdict.REFUTED, "vacuous: the conditions contradict each other (z3)")
    if answer == z3.unknown:
        return Finding("conditions", Verdict.UNDECIDED, f"z3 gave up after {_MILLISECONDS / 1000:g} s")
    return Finding("conditions", Verdict.PROVED, "they can hold together (z3)")


def _asked(z3: Any, letters: dict[Any, Any], *statements: Any) -> tuple[Any, Any]:
    """Whether the statements can all be true of positive letters, and values for which they are."""
    solver = z3.Solver()
    solver.set("timeout", _MILLISECONDS)
    for symbol, variable in letters.items():
        solver.add(variable >= 1 if symbol in LETTERS and LETTERS[symbol].whole else variable > 0)
    solver.add(*statements)
    answer = solver.check()
    return answer, solver.model() if answer == z3.sat else None


_RELATIONS = {Eq: "__eq__", Lt: "__lt__", Le: "__le__", Gt: "__gt__", Ge: "__ge__"}


def _formula(relation: Any, z3: Any, letters: dict[Any, Any]) -> Any:
    """A relation, or a truth value SymPy has already found, in z3's terms."""
    if relation in (True, False):
        return z3.BoolVal(bool(relation))
    if relation.func not in _RELATIONS:
        raise TypeError(f"{relation.func.__name__} has no counterpart in z3")
    left, right = (_term(side, z3, letters) for side in relation.args)
    return getattr(left, _RELATIONS[relation.func])(right)


def _term(term: Any, z3: Any, letters: dict[Any, Any]) -> Any:
    if isinstance(term, Rational):
        return z3.Q(int(term.p), int(term.q))
    if term.is_Symbol:
        return letters.setdefault(term, z3.Real(term.name))
    parts = [_term(part, z3, letters) for part in term.args]
    if isinstance(term, Add):
        return z3.Sum(parts)
    if isinstance(term, Mul):
        return z3.Product(parts)
    if isinstance(term, Pow) and term.exp.is_Integer:
        power = z3.Product([parts[0]] * abs(int(term.exp)))
        return power if term.exp > 0 else 1 / power
    if isinstance(term, Max | Min):
        chosen = parts[0]
        for part in parts[1:]:
            chosen = z3.If(chosen >= part if isinstance(term, Max) else chosen <= part, chosen, part)
        return chosen
    if isinstance(term, floor):
        return z3.ToReal(z3.ToInt(parts[0]))
    if isinstance(term, Mod):
        return parts[0] - parts[1] * z3.ToReal(z3.ToInt(parts[0] / parts[1]))
    raise TypeError(f"{term.func.__name__} has no counterpart in z3")
