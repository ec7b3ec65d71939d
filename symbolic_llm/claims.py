"""The shapes a claim can have

An equation is a SymPy `Eq`. What an equation cannot say has a class here: an equivalence or implication between
relations, and an approximation, which always comes with the exact value it stands for and a bound on its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from sympy import Eq


class Kind(Enum):
    """What sort of statement a formula makes."""

    IDENTITY = "identity"  # an exact count
    LAW = "law"  # a model of a machine
    THEOREM = "theorem"  # an equivalence or implication
    APPROXIMATION = "approximation"  # nearly equal, with a proved bound
    DEFINITION = "definition"  # what a letter stands for: nothing it could be measured against


@dataclass(frozen=True)
class Condition:
    """A relation under which a formula holds, with the sentence that says so.

    Attributes:
        relation: a SymPy relation between letters.
        sentence: the same in words.
        otherwise: what it means where the relation does not hold.
    """

    relation: Any
    sentence: str
    otherwise: str = ""


@dataclass(frozen=True)
class Equivalence:
    """`left` holds exactly when `right` does."""

    left: Any
    right: Any


@dataclass(frozen=True)
class Implication:
    """Whenever `given` holds, `then` does."""

    given: Any
    then: Any


@dataclass(frozen=True)
class Approximation:
    """`letter` is nearly `value`: the relative error (exact − value)/exact is at least 0 and at most `bound`."""

    letter: Any
    value: Any
    exact: Any
    bound: Any

    @property
    def error(self) -> Any:
        """The relative error as an expression."""
        return (self.exact - self.value) / self.exact


Claim = Any  # Eq | Equivalence | Implication | Approximation; SymPy is untyped


def kinds(claim: Claim) -> tuple[Kind, ...]:
    """The kinds a formula with this claim may be of; none for what is no claim, such as a bare inequality."""
    if isinstance(claim, Equivalence | Implication):
        return (Kind.THEOREM,)
    if isinstance(claim, Approximation):
        return (Kind.APPROXIMATION,)
    if isinstance(claim, Eq) and claim.lhs.is_Symbol:
        return Kind.IDENTITY, Kind.LAW, Kind.DEFINITION
    return ()


def relations(claim: Claim) -> tuple[Any, ...]:
    """The relations a claim is made of, in reading order."""
    if isinstance(claim, Equivalence):
        return claim.left, claim.right
    if isinstance(claim, Implication):
        return claim.given, claim.then
    if isinstance(claim, Approximation):
        return (Eq(claim.letter, claim.value, evaluate=False),)
    return (claim,)
