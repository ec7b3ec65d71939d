"""Order of two expressions: by their form, else by two SMT solvers

A form says that a polynomial without negative coefficients is nowhere negative. Where that does not do, as with a root
or where it depends on which argument of a maximum is the larger, both solvers are asked for a counterexample. To them a
root is a positive letter whose square is known.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Eq, Ge, Pow, Symbol
from ..expressions.decide import at_least_zero
from ..expressions.parts import counts, letters_of
from ..expressions.trees import tree
from ..numeral import valued
from . import verify_alone
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
    record: dict[str, Any] = {"formula": "an order", "products_apart": False, "in_whole_numbers": False}
    record["whole"] = [letter.name for letter in letters_of((plain, *squares)) if counts(letter)]
    try:
        record |= {"claim": tree(plain), "conditions": [*map(tree, squares)]}
        return agreed(verify_alone.question(record))[0] == "unsat"
    except (ValueError, ZeroDivisionError):  # it has no counterpart in SMT-LIB
        return False


def _without_roots(relation: Any) -> tuple[Any, list[Any]]:
    """The relation with a letter for each square root, and what the squares of these letters are."""
    powers = sorted((p for p in relation.atoms(Pow) if p.exp.is_Rational and p.exp.q == 2), key=str)
    roots = {base: Symbol(f"root_{i}", positive=True) for i, base in enumerate(dict.fromkeys(p.base for p in powers))}
    put = {p: roots[p.base] ** int(p.exp.p) for p in powers}
    plain = relation.func(*(side.xreplace(put) for side in relation.args), evaluate=False)
    return plain, [Eq(root**2, base, evaluate=False) for base, root in roots.items()]
