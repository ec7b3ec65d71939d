"""What a claim answers, whatever its shape: what it is made of, what proves it, what it must be true of"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar

At = Callable[[Any], Any]  # the value of an expression, or the truth of a relation, somewhere
Case = tuple[tuple[Any, bool], ...]  # relations, each with its truth


class Kind(Enum):
    """What sort of statement a formula makes.

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
    standing: ClassVar[str] = "equal to"  # how it stands to counts that it agrees with

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

    @abstractmethod
    def as_tree(self, tree: Callable[[Any], Any]) -> Any:
        """A list of what kind of claim it is and of its parts, each of which is what `tree` makes of it."""

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

    @property
    def broken(self) -> tuple[Case, ...]:
        """The ways in which it is false."""
        return (((self.relations[0], False),),)

    @property
    def possible(self) -> tuple[tuple[Case, str], ...]:
        """Relations with their truths, and the complaint where that cannot be: then it says nothing."""
        return ()

    @property
    def answers(self) -> tuple[tuple[Any, ...], ...]:
        """For each answer that it can give to a question, the relations under which it does; none of a value."""
        return ()

    def truth(self, of: At, implies: Callable[[Any, Any], Any]) -> Any:
        """Its truth, put together from that `of` its relations; `implies` joins two truths."""
        return of(self.relations[0])

    def outcome(self, at: At) -> Any:
        """What it comes to where `at` evaluates: the value of its quantity, or whether its conclusion holds."""
        return at(self.conclusion)

    def said(self, outcome: Any) -> str:
        """An outcome that is a case, in words; "" for what is no case."""
        return ""

    @property
    def told(self) -> tuple[Any, ...]:
        """The relations of a theorem whose truth is told where it is put in numbers."""
        return self.relations

    def speaks(self, at: At) -> bool:
        """Whether it says anything about values at which `at` evaluates."""
        return all(at(relation) for relation in self.presupposed)

    @abstractmethod
    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether it and a count are right together, where its conclusion comes to `predicted`."""

    def agrees_elsewhere(self, predicted: Any, counted: Any, at: At) -> bool:
        """The same of a decoder that it does not name."""
        return self.agrees(predicted, counted, at)


def same(predicted: Any, counted: Any) -> bool:
    """Equal, and both numbers or both truth values: True is no 1."""
    return isinstance(predicted, bool) == isinstance(counted, bool) and bool(predicted == counted)
