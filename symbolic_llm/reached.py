"""All that lies beyond some things, step by step: letters by formulas, formulas by what they use, files by imports"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
