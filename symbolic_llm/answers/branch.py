"""A candidate for a solution: what solving gives, before numbers say which of them holds"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..algebra import Eq
from ..claims import Condition


@dataclass(frozen=True)
class Branch:
    """Candidate for a solution: an expression for the unknown, and the relations under which it is a solution.

    Attributes:
        expr: the unknown, in the other letters.
        conditions: when it is a solution.
        sign: `Eq`; an inequality for a claim that rounds, since `expr` is then one end of an interval of solutions, and
            for a theorem, whose solutions are all that lie on that side of `expr`.
        open_end: for a claim that rounds, the other end, which is no solution itself.
        plateaus: for a claim with a maximum, cases in which the unknown does not count: relations between all letters,
            the unknown too, under which it can be anything.
        borders: for a claim that rounds, where else a stretch of solutions may begin or end: where two arguments of a
            maximum are equal, and where a condition stops holding.
    """

    expr: Any
    conditions: tuple[Condition, ...] = ()
    sign: Any = Eq
    open_end: Any = None
    plateaus: tuple[tuple[Any, ...], ...] = ()
    borders: tuple[Any, ...] = ()

    def relation(self, unknown: Any) -> Any:
        """The relation between the unknown and its expression, unevaluated: SymPy would answer whether it is true."""
        return self.sign(unknown, self.expr, evaluate=False)
