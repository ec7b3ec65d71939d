"""All that lies beyond some things, step by step: letters by formulas, formulas by what they use, files by imports"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def reached(start: Iterable[Thing], beyond: Callable[[Thing], Iterable[Thing]]) -> list[Thing]:
    """The things and all that lies beyond one that is reached, each once, in the order in which it is met."""
    found = list(dict.fromkeys(start))
    seen = set(found)
    for one in found:  # it grows on the way
        new = [other for other in dict.fromkeys(beyond(one)) if other not in seen]
        found += new
        seen.update(new)
    return found


def basic_first(
    things: Iterable[Thing],
    needs: Callable[[Thing], Iterable[Thing]],
    in_circle: Callable[[Sequence[Thing]], None] = lambda _: None,
) -> list[Thing]:
    """The things and all that they need, each after what it needs; a circle is told, and left where it closes."""
    ordered: dict[Thing, None] = {}

    def visit(one: Thing, above: tuple[Thing, ...]) -> None:
        if one in above:
            in_circle((*above[above.index(one) :], one))
        elif one not in ordered:
            for other in needs(one):
                visit(other, (*above, one))
            ordered[one] = None

    for one in things:
        visit(one, ())
    return list(ordered)
