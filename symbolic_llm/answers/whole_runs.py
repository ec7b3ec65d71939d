"""Search for the whole numbers at which an equation that rounds is satisfied

Between two leaps of what is rounded the equation is smooth. So the whole numbers are gone through from leap to leap,
from 1 on: n_page·⌈N/n_page⌉ leaps some 2√N times, and then never more. On each stretch between two leaps the zero is
found by bisection. Where leaps go on and on, the search gives up, and another has to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from ..algebra import floor
from ..expressions.arithmetic import Inexact
from ..expressions.exact import exact

_LARGEST = 2**100  # up to which is looked
_LEAPS = 1024  # that are gone through


def whole_runs(equation: Any, unknown: Any, values: Mapping[Any, Fraction]) -> list[tuple[int, int]] | None:
    """First and last of each run of neighbouring whole numbers that satisfy an equation; None where it gives up.

    Between two leaps the equation is taken to rise or to fall, and what is rounded to do so throughout.
    """
    rounded = [one for one in equation.atoms(floor) if unknown in one.free_symbols]

    def gap(number: int) -> Fraction:
        return Fraction(exact(equation, {**values, unknown: Fraction(number)}))

    def steps(number: int) -> list[Any]:
        return [exact(one, {**values, unknown: Fraction(number)}) for one in rounded]

    found: list[tuple[int, int]] = []
    first = 1
    try:
        for _ in range(_LEAPS):
            here = steps(first)
            last = _last(lambda number, here=here: steps(number) == here, first)  # type: ignore[misc]
            for low, high in _zeros(gap, first, last):
                found = (
                    [*found[:-1], (found[-1][0], high)] if found and found[-1][1] == low - 1 else [*found, (low, high)]
                )
            if last >= _LARGEST:
                return found if not found or found[-1][1] < last else None  # a run without an end is no few numbers
            first = last + 1
    except (Inexact, ValueError, ArithmeticError):  # no exact value, or none at all
        pass
    return None


def _last(holds: Callable[[int], bool], first: int) -> int:
    """The last number up to which something holds that holds at the first: doubled steps, then bisection."""
    step = 1
    while first + step < _LARGEST and holds(first + step):
        step *= 2
    if first + step >= _LARGEST and holds(_LARGEST):
        return _LARGEST
    low, high = first + step // 2 if step > 1 else first, min(first + step, _LARGEST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _zeros(gap: Callable[[int], Fraction], first: int, last: int) -> Iterator[tuple[int, int]]:
    """The zeros of a smooth function at whole numbers of a stretch: a single one, or all of them."""
    below, above = gap(first), gap(last)
    if not below:
        yield first, last if not above and not gap((first + last) // 2) else first
    elif not above:
        yield last, last
    elif (below < 0) != (above < 0):
        low, high = first, last
        while high - low > 1:
            middle = (low + high) // 2
            if not (found := gap(middle)):
                yield middle, middle
                return
            low, high = (middle, high) if (found < 0) == (below < 0) else (low, middle)
