"""Claims by cases: exactly one case holds, and each says what a value comes to there"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

from ..algebra import Eq, Le, Lt
from .claim import At, Case, Claim, Kind, Rest, same

Piece = tuple[str, Any, tuple[Any, ...]]  # the case in words, what the value is there, and the relations that all hold


@dataclass(frozen=True)
class Cases(Claim):
    """A claim by cases: `value` is that of the piece whose relations all hold, of which there is always exactly one.

    Attributes:
        value: what is asked about.
        pieces: the cases.
    """

    value: Any
    pieces: tuple[Piece, ...]

    rest = Rest.EQUATION
    kinds = (Kind.THEOREM,)

    @property
    def sides(self) -> tuple[Any, Any]:
        return self.value, self.pieces

    @property
    def conclusion(self) -> Any:
        """Value at which the derivation arrives; that the pieces give it is decided by solvers."""
        return self.value

    def concluding(self, conclusion: Any) -> Cases:
        return replace(self, value=conclusion)

    @property
    def told(self) -> tuple[Any, ...]:
        return tuple(relation for _, _, relations in self.pieces for relation in relations)

    @property
    def relations(self) -> tuple[Any, ...]:
        return (*self.told, *(self._equation(piece) for piece in self.pieces))

    def as_tree(self, tree: Callable[[Any], Any]) -> Any:
        pieces = ([tree(value), [*map(tree, relations)]] for _, value, relations in self.pieces)
        return ["cases", tree(self.value), *pieces]

    def _equation(self, piece: Piece) -> Any:
        return Eq(self.value, piece[1], evaluate=False)

    def end(self, last: Any) -> Any:
        return self.value

    @property
    def broken(self) -> tuple[Case, ...]:
        """Cases in which the claim is false: no piece holds, or two do, or the value is another one in a piece."""
        every = [tuple((relation, True) for relation in relations) for _, _, relations in self.pieces]
        none = product(*(relations for _, _, relations in self.pieces))
        return (
            *(tuple((relation, False) for relation in one_of_each) for one_of_each in none),
            *((*one, *other) for one, other in combinations(every, 2)),
            *((*case, (self._equation(piece), False)) for case, piece in zip(every, self.pieces, strict=True)),
        )

    @property
    def possible(self) -> tuple[tuple[Case, str], ...]:
        """Relations of each piece, which have to be possible, with the complaint if they are not."""
        return tuple(
            (tuple((relation, True) for relation in relations), f"the case “{words}” never occurs")
            for words, _, relations in self.pieces
        )

    @property
    def answers(self) -> tuple[tuple[Any, ...], ...]:
        """Relations of each piece."""
        return tuple(relations for _, _, relations in self.pieces)

    def _holding(self, at: At) -> list[Piece]:
        return [piece for piece in self.pieces if all(map(at, piece[2]))]

    def outcome(self, at: At) -> Any:
        """The number of the case that holds, from 1 on; 0 where there are none or several."""
        found = self._holding(at)
        return self.pieces.index(found[0]) + 1 if len(found) == 1 else 0

    def said(self, outcome: Any) -> str:
        """Words of the case that holds."""
        return self.pieces[outcome - 1][0] if outcome else "no case, or several"

    def agrees(self, predicted: Any, counted: Any, at: At) -> bool:
        """Whether the engine names the same case."""
        return same(predicted, counted)

    def tightened(self) -> Iterator[tuple[Claim, str]]:
        """Wrong versions: a case is missing, larger or smaller by its border, or mixed up with the next one."""
        for place, (words, value, relations) in enumerate(self.pieces):
            before, after = self.pieces[:place], self.pieces[place + 1 :]
            yield replace(self, pieces=(*before, *after)), f"without the case “{words}”"
            for number, relation in enumerate(relations):
                turned = {Le: Lt, Lt: Le}[relation.func](*relation.args, evaluate=False)
                others = (*relations[:number], turned, *relations[number + 1 :])
                yield replace(self, pieces=(*before, (words, value, others), *after)), f"border of “{words}” moved"
            for other in after[:1]:
                pieces = (*before, (words, other[1], relations), (other[0], value, other[2]), *after[1:])
                yield replace(self, pieces=pieces), f"values of “{words}” and “{other[0]}” swapped"
