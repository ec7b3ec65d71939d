"""Claims of any shape: their parts, their proof, and what must be true of them"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

At = Callable[[Any], Any]  # the value of an expression, or the truth of a relation, somewhere
Case = tuple[tuple[Any, bool], ...]  # relations, each with its truth


class Kind(Enum):
    """Kind of statement that a formula makes.

    Attributes:
        IDENTITY: an exact count.
        LAW: a model of a machine.
        THEOREM: an equivalence or implication.
        APPROXIMATION: nearly equal, with a proved bound.
        DEFINITION: what a letter stands for: nothing it could be measured against.
    """

    IDENTITY = "identity"
    LAW = "law"
    THEOREM = "theorem"
    APPROXIMATION = "approximation"
    DEFINITION = "definition"


class Rest(Enum):
    """Kind of statement that rests on a derivation, which decides by what rules the derivation may go."""

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
    standing: ClassVar[str] = "equal to"  # how it stands to counts that it agrees with

    @property
    @abstractmethod
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds a formula with this claim may be of; none for what is no claim, such as a bare inequality."""

    @property
    @abstractmethod
    def sides(self) -> tuple[Any, Any]:
        """Left and right side of its sign; the right one is what the claim comes to."""

    @property
    def conclusion(self) -> Any:
        """The value of the quantity or, in a theorem, the relation that is concluded."""
        return self.sides[1]

    @abstractmethod
    def concluding(self, conclusion: Any) -> Claim:
        """Claim that is the same but for its conclusion."""

    def tightened(self) -> Iterator[tuple[Claim, str]]:
        """Versions that promise too much, each with what was done to it."""
        yield from ()

    @property
    @abstractmethod
    def relations(self) -> tuple[Any, ...]:
        """The relations it is made of, in reading order."""

    @abstractmethod
    def as_tree(self, tree: Callable[[Any], Any]) -> Any:
        """List of the kind of claim and of its parts, each as `tree` makes it."""

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
        """Relations that it presupposes; where they fail it says nothing and cannot be wrong."""
        return ()

    @property
    def exact_value(self) -> Any:
        """Exact value that an approximation stands for, or None."""
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
        """Expression or relation that its derivation has to start from; None if it may start from anything."""
        return None

    @abstractmethod
    def end(self, last: Any) -> Any:
        """Expression or relation that a derivation whose last result is `last` has to end at."""

    @property
    def owed(self) -> tuple[Condition, ...]:
        """Conditions to be shown beside the derivation, each with the complaint if it is not."""
        return ()

    @property
    def broken(self) -> tuple[Case, ...]:
        """Cases in which it is false."""
        return (((self.relations[0], False),),)

    @property
    def possible(self) -> tuple[tuple[Case, str], ...]:
        """Cases that have to be possible for it to say something, each with the complaint if it is not."""
        return ()

    @property
    def answers(self) -> tuple[tuple[Any, ...], ...]:
        """Relations under which it gives each of its answers to a question; none for a claim about a value."""
        return ()

    def truth(self, of: At) -> bool:
        """Whether it is true, from the truths that `of` gives its relations."""
        return not any(all(of(relation) == holds for relation, holds in case) for case in self.broken)

    def outcome(self, at: At) -> Any:
        """Outcome where `at` evaluates: the value of its quantity, or whether its conclusion holds."""
        return at(self.conclusion)

    def said(self, outcome: Any) -> str:
        """An outcome that is a case, in words; "" for what is no case."""
        return ""

    @property
    def told(self) -> tuple[Any, ...]:
        """Relations of a theorem whose truth is told when numbers are put in."""
        return self.relations

    def speaks(self, at: At) -> bool:
        """Whether it says anything about values at which `at` evaluates."""
        return all(at(relation) for relation in self.presupposed)

    @abstractmethod
    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether the claim agrees with a count, where its conclusion comes to `predicted`."""

    def agrees_elsewhere(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether the claim agrees with a count of a decoder that it does not name."""
        return self.agrees(predicted, counted, at)


def same(predicted: Any, counted: Any) -> bool:
    """Whether two are equal, and both numbers or both truth values: True is no 1."""
    return isinstance(predicted, bool) == isinstance(counted, bool) and bool(predicted == counted)
