"""The shapes that a claim can have, each a class that says of itself what the checks ask

An equation is a SymPy `Eq`, as an author writes it. What an equation cannot say has a class here: an equivalence or
implication between relations, and an approximation, which always comes with the exact value it stands for and a bound
on its error. `claim_of` gives an equation a class too, so that whoever reads a formula asks its claim and never what
shape it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..algebra import Eq, Ge, Gt
from .cases import Cases
from .claim import At, Case, Claim, Condition, Kind, Rest, same

__all__ = [
    "Approximation",
    "Case",
    "Cases",
    "Claim",
    "Condition",
    "Equation",
    "Equivalence",
    "Implication",
    "Kind",
    "Rest",
    "claim_of",
    "same",
    "sides_of",
]


@dataclass(frozen=True)
class Equation(Claim):
    """An equation of a letter and its value: a SymPy `Eq`."""

    relation: Any

    rest = Rest.EQUATION

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of an equation whose left side is a letter; none for any other relation."""
        fits = isinstance(self.relation, Eq) and self.relation.lhs.is_Symbol
        return (Kind.IDENTITY, Kind.LAW, Kind.DEFINITION) if fits else ()

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.relation.lhs, self.relation.rhs

    @property
    def relations(self) -> tuple[Any, ...]:
        return (self.relation,)

    def as_tree(self, tree: Callable[[Any], Any]) -> Any:
        return tree(self.relation)

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


@dataclass(frozen=True)
class Theorem(Claim):
    """A claim about two relations, which is derived from the left one to the right one."""

    left: Any
    right: Any

    word: ClassVar[str]  # that stands for its sign in a tree
    kinds = (Kind.THEOREM,)

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.left, self.right

    @property
    def relations(self) -> tuple[Any, ...]:
        return self.sides

    def as_tree(self, tree: Callable[[Any], Any]) -> Any:
        return [self.word, *map(tree, self.sides)]

    def concluding(self, conclusion: Any) -> Theorem:
        return replace(self, right=conclusion)

    @property
    def start(self) -> Any:
        return self.left

    def end(self, last: Any) -> Any:
        return self.right


class Equivalence(Theorem):
    """An equivalence: `left` holds exactly when `right` does."""

    rest = Rest.EQUIVALENCE
    sign, word = "⟺", "iff"

    @property
    def broken(self) -> tuple[Case, ...]:
        """Cases in which one side is true and the other is not."""
        return ((self.left, True), (self.right, False)), ((self.left, False), (self.right, True))

    @property
    def possible(self) -> tuple[tuple[Case, str], ...]:
        """Both truths of each side, which have to be possible: each side is a question with two answers."""
        return (
            (((self.left, True),), "its left side is never true"),
            (((self.left, False),), "its left side is always true"),
            (((self.right, True),), "its right side is never true"),
            (((self.right, False),), "its right side is always true"),
        )

    @property
    def answers(self) -> tuple[tuple[Any, ...], ...]:
        """Relations for the answers yes and no."""
        return ((self.right,), (self.right.negated,))

    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether the engine gives the same answer as both sides."""
        return same(predicted, counted) and at(self.left) == predicted


class Implication(Theorem):
    """An implication: whenever `left` holds, `right` does."""

    rest = Rest.IMPLICATION
    sign, word = "⟹", "implies"

    @property
    def presupposed(self) -> tuple[Any, ...]:
        return (self.left,)

    @property
    def broken(self) -> tuple[Case, ...]:
        """Case in which `left` is true and `right` is not."""
        return (((self.left, True), (self.right, False)),)

    @property
    def possible(self) -> tuple[tuple[Case, str], ...]:
        """Cases that have to be possible: `left` is true, and `right` is false where nothing is presupposed."""
        return (
            (((self.left, True),), "what it presupposes is never true"),
            (((self.right, False),), "what it concludes is always true, whatever it presupposes"),
        )

    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether `right` is true, and the engine says so, where the claim says something."""
        return same(predicted, counted) and bool(predicted)


@dataclass(frozen=True)
class Approximation(Claim):
    """An approximation: `letter` is nearly `value`, with a relative error (exact − value)/exact from 0 to `bound`."""

    letter: Any
    value: Any
    exact: Any
    bound: Any

    rest = Rest.BOUND
    sign = "≈"
    kinds = (Kind.APPROXIMATION,)
    standing = "within its bound of"

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

    def as_tree(self, tree: Callable[[Any], Any]) -> Any:
        return ["about", *map(tree, (self.letter, self.value, self.exact, self.bound))]

    @property
    def quantity(self) -> Any:
        return self.letter

    @property
    def symbols(self) -> set[Any]:
        """Letters of the claim and of its bound, without those of the exact value.

        Users of an approximation may not know the letters of the exact value.
        """
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
        """Pairs in one unit: the exact value and the value, the bound and the error, which is a share."""
        return (self.exact, self.value), (self.bound, self.error)

    @property
    def start(self) -> Any:
        return self.error

    def end(self, last: Any) -> Any:
        return self.bound

    @property
    def owed(self) -> tuple[Condition, ...]:
        """Conditions to be shown beside the derivation: an error of known sign, relative to something positive."""
        return (
            Condition(Ge(self.exact, self.value, evaluate=False), "it is not known to stay below the exact value"),
            Condition(Gt(self.exact, 0, evaluate=False), "the exact value is not known to be positive"),
        )

    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether the exact value is the count, and the value is too low by no more than the bound."""
        return same(at(self.exact), counted) and self.agrees_elsewhere(predicted, counted, at)

    def agrees_elsewhere(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether the value is too low by no more than the bound, whatever the exact value is there."""
        return bool(0 <= counted - predicted <= at(self.bound) * counted)


def claim_of(stated: Any) -> Claim:
    """`Claim` for what an author states: a SymPy relation or one of the classes above."""
    return stated if isinstance(stated, Claim) else Equation(stated)


def sides_of(shown: Any) -> tuple[Any, str, Any] | None:
    """The sides of a claim that is no relation of SymPy and the sign between them; None for SymPy's own."""
    return (shown.sides[0], shown.sign, shown.sides[1]) if isinstance(shown, Claim) else None
