"""Order of two expressions: by their form, else by two SMT solvers

A form says that a polynomial without negative coefficients is nowhere negative. Where that does not do, as with a root
or where it depends on which argument of a maximum is the larger, both solvers are asked for a counterexample. To them a
root is a positive letter whose square is known.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Eq, Ge, Pow, Symbol
from ..expressions.decide import at_least_zero
from ..numeral import valued
from .smt_questions import NoCounterpart, Question, Writer, denominators, either, letters_of
from .solvers import agreed, missing


def no_less(greater: Any, lesser: Any) -> bool | None:
    """Whether an expression is nowhere less than another, for positive letters; None where neither way decides it."""
    greater, lesser = valued(greater), valued(lesser)
    if (found := at_least_zero(greater - lesser)) is not None:
        return found
    return None if missing() else _proved(Ge(greater, lesser, evaluate=False)) or None


def _proved(relation: Any) -> bool:
    """Whether both solvers say that an inequality has no counterexample; what they give up on is not proved."""
    plain, squares = _without_roots(relation)
    letters = letters_of((plain, *squares))
    divisors = denominators((plain, *squares))
    try:
        for multiplied in (True, False):
            writer = Writer(multiplied=multiplied)
            # multiplied out a relation is the same only where divisors are positive
            bad = [writer.not_positive(x) if multiplied else writer.zero(x) for x in divisors]
            statements = (*map(writer.relation, squares), either([writer.case(((plain, False),)), *bad]))
            said, _ = agreed(Question(letters, statements, whole=False).text)
            if said:  # another form of the question is for what they gave up on
                return said == "unsat"
    except NoCounterpart:
        pass
    return False


def _without_roots(relation: Any) -> tuple[Any, list[Any]]:
    """The relation with a letter for each square root, and what the squares of these letters are."""
    powers = sorted((p for p in relation.atoms(Pow) if p.exp.is_Rational and p.exp.q == 2), key=str)
    roots = {base: Symbol(f"root_{i}", positive=True) for i, base in enumerate(dict.fromkeys(p.base for p in powers))}
    put = {p: roots[p.base] ** int(p.exp.p) for p in powers}
    plain = relation.func(*(side.xreplace(put) for side in relation.args), evaluate=False)
    return plain, [Eq(root**2, base, evaluate=False) for base, root in roots.items()]
