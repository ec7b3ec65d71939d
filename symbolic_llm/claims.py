"""The shapes a claim can have, each of which answers for itself

An equation is a SymPy `Eq`, as an author writes it. What an equation cannot say has a class here: an equivalence or
implication between relations, and an approximation, which always comes with the exact value it stands for and a bound
on its error. `claim_of` gives an equation a class too, so that whoever reads a formula asks its claim and never what
shape it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar

from sympy import Eq, Ge, Gt

At = Callable[[Any], Any]  # the value of an expression, or the truth of a relation, somewhere


class Kind(Enum):
    """What sort of statement a formula makes."""

    IDENTITY = "identity"  # an exact count
    LAW = "law"  # a model of a machine
    THEOREM = "theorem"  # an equivalence or implication
    APPROXIMATION = "approximation"  # nearly equal, with a proved bound
    DEFINITION = "definition"  # what a letter stands for: nothing it could be measured against


class Rest(Enum):
    """What rests on a derivation, which decides by what rules it may go."""

    EQUATION = "an equation"  # equal at every step
    EQUIVALENCE = "an equivalence"  # every step can be undone
    IMPLICATION = "an implication"  # every step follows
    BOUND = "an error bound"  # no step makes it smaller


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


class Claim(ABC):
    """A statement about letters: what it is made of, what proves it, and what must be true where it is tested."""

    rest: ClassVar[Rest]
    sign: ClassVar[str] = "="  # between its two sides

    @property
    @abstractmethod
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds a formula with this claim may be of; none for what is no claim, such as a bare inequality."""

    @property
    @abstractmethod
    def sides(self) -> tuple[Any, Any]:
        """What stands to the left and to the right of its sign; the right is what the claim comes to."""

    @property
    def conclusion(self) -> Any:
        """The value of the quantity or, in a theorem, the relation that is concluded."""
        return self.sides[1]

    @abstractmethod
    def concluding(self, conclusion: Any) -> Claim:
        """The same claim with another conclusion."""

    def tightened(self) -> Iterator[tuple[Claim, str]]:
        """Versions that promise too much, each with what was done to it."""
        yield from ()

    @property
    @abstractmethod
    def relations(self) -> tuple[Any, ...]:
        """The relations it is made of, in reading order."""

    @property
    def quantity(self) -> Any:
        """The letter it gives a value to, or None."""
        return None

    @property
    def symbols(self) -> set[Any]:
        """Every letter in it."""
        found: set[Any] = set().union(*(relation.free_symbols for relation in self.relations))
        return found

    @property
    def presupposed(self) -> tuple[Any, ...]:
        """The relations where it says something; elsewhere it says nothing and cannot be wrong."""
        return ()

    @property
    def exact_value(self) -> Any:
        """What an approximation stands for, or None."""
        return None

    @property
    def error_bound(self) -> Any:
        """The largest share by which an approximation is too low, or None."""
        return None

    @property
    def alike(self) -> tuple[tuple[Any, Any], ...]:
        """Pairs that have to be in one unit, beyond the sides of its relations."""
        return ()

    @property
    def start(self) -> Any:
        """What its derivation has to start from; None for anything."""
        return None

    @abstractmethod
    def end(self, last: Any) -> Any:
        """What a derivation whose last result is `last` has to end at."""

    @property
    def owed(self) -> tuple[Condition, ...]:
        """What has to be shown beside the derivation, each with the complaint if it is not."""
        return ()

    def truth(self, of: At, implies: Callable[[Any, Any], Any]) -> Any:
        """Its truth, put together from that `of` its relations; `implies` joins two truths."""
        return of(self.relations[0])

    def speaks(self, at: At) -> bool:
        """Whether it says anything about values at which `at` evaluates."""
        return all(at(relation) for relation in self.presupposed)

    @abstractmethod
    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether it and a count are right together, where its conclusion comes to `predicted`."""


def same(predicted: Any, counted: Any) -> bool:
    """Equal, and both numbers or both truth values: True is no 1."""
    return isinstance(predicted, bool) == isinstance(counted, bool) and bool(predicted == counted)


@dataclass(frozen=True)
class Equation(Claim):
    """A letter and its value: a SymPy `Eq`."""

    relation: Any

    rest = Rest.EQUATION

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """None unless the relation is an equation whose left side is a letter."""
        fits = isinstance(self.relation, Eq) and self.relation.lhs.is_Symbol
        return (Kind.IDENTITY, Kind.LAW, Kind.DEFINITION) if fits else ()

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.relation.lhs, self.relation.rhs

    @property
    def relations(self) -> tuple[Any, ...]:
        return (self.relation,)

    @property
    def quantity(self) -> Any:
        return self.relation.lhs

    def concluding(self, conclusion: Any) -> Equation:
        return Equation(self.relation.func(self.relation.lhs, conclusion, evaluate=False))

    def end(self, last: Any) -> Any:
        """The whole equation where the derivation transforms equations, else the value."""
        return self.relation if last.is_Relational else self.conclusion

    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        return same(predicted, counted)


class Theorem(Claim):
    """A claim about two relations, which is derived from the left one to the right one."""

    kinds = (Kind.THEOREM,)

    @property
    def relations(self) -> tuple[Any, ...]:
        return self.sides

    @property
    def start(self) -> Any:
        return self.sides[0]

    def end(self, last: Any) -> Any:
        return self.sides[1]


@dataclass(frozen=True)
class Equivalence(Theorem):
    """`left` holds exactly when `right` does."""

    left: Any
    right: Any

    rest = Rest.EQUIVALENCE
    sign = "⟺"

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.left, self.right

    def concluding(self, conclusion: Any) -> Equivalence:
        return replace(self, right=conclusion)

    def truth(self, of: At, implies: Callable[[Any, Any], Any]) -> Any:
        """Both are true or neither is."""
        return of(self.left) == of(self.right)

    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """The engine answers the question that both sides put."""
        return same(predicted, counted) and at(self.left) == predicted


@dataclass(frozen=True)
class Implication(Theorem):
    """Whenever `given` holds, `then` does."""

    given: Any
    then: Any

    rest = Rest.IMPLICATION
    sign = "⟹"

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.given, self.then

    def concluding(self, conclusion: Any) -> Implication:
        return replace(self, then=conclusion)

    @property
    def presupposed(self) -> tuple[Any, ...]:
        return (self.given,)

    def truth(self, of: At, implies: Callable[[Any, Any], Any]) -> Any:
        """What follows is true or what is given is not."""
        return implies(of(self.given), of(self.then))

    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """Where it speaks, what follows is true, and the engine says so."""
        return same(predicted, counted) and bool(predicted)


@dataclass(frozen=True)
class Approximation(Claim):
    """`letter` is nearly `value`: the relative error (exact − value)/exact is at least 0 and at most `bound`."""

    letter: Any
    value: Any
    exact: Any
    bound: Any

    rest = Rest.BOUND
    sign = "≈"
    kinds = (Kind.APPROXIMATION,)

    @property
    def error(self) -> Any:
        """The relative error as an expression."""
        return (self.exact - self.value) / self.exact

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.letter, self.value

    @property
    def relations(self) -> tuple[Any, ...]:
        return (Eq(self.letter, self.value, evaluate=False),)

    @property
    def quantity(self) -> Any:
        return self.letter

    @property
    def symbols(self) -> set[Any]:
        """Those of the bound as well, but not those of the exact value: who uses an approximation may not know them."""
        found: set[Any] = super().symbols | self.bound.free_symbols
        return found

    def concluding(self, conclusion: Any) -> Approximation:
        return replace(self, value=conclusion)

    def tightened(self) -> Iterator[tuple[Claim, str]]:
        yield replace(self, bound=self.bound / 2), "bound halved"

    @property
    def exact_value(self) -> Any:
        return self.exact

    @property
    def error_bound(self) -> Any:
        return self.bound

    @property
    def alike(self) -> tuple[tuple[Any, Any], ...]:
        """The exact value is a value of the letter, and the error is a share."""
        return (self.exact, self.value), (self.bound, self.error)

    @property
    def start(self) -> Any:
        return self.error

    def end(self, last: Any) -> Any:
        return self.bound

    @property
    def owed(self) -> tuple[Condition, ...]:
        """An error of known sign, relative to something positive."""
        return (
            Condition(Ge(self.exact, self.value, evaluate=False), "it is not known to stay below the exact value"),
            Condition(Gt(self.exact, 0, evaluate=False), "the exact value is not known to be positive"),
        )

    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """The exact value is the count, and the value is too low by no more than the bound."""
        return same(at(self.exact), counted) and 0 <= counted - predicted <= at(self.bound) * counted


def claim_of(stated: Any) -> Claim:
    """A claim as an author states it, a SymPy relation or one of the classes above, as a `Claim`."""
    return stated if isinstance(stated, Claim) else Equation(stated)


def sides_of(shown: Any) -> tuple[Any, str, Any] | None:
    """The sides of a claim that is no relation of SymPy and the sign between them; None for SymPy's own."""
    return (shown.sides[0], shown.sign, shown.sides[1]) if isinstance(shown, Claim) else None
