"""Runs: the stretches on which a claim that rounds is true

Such a claim changes from true to false only at borders: where what is rounded reaches a whole number, where another
argument of a maximum becomes the larger, where a condition stops holding. At each border and between each two it is
asked itself, so nothing is missed where it is level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor


@dataclass(frozen=True)
class Run:
    """Neighbouring numbers for which a claim is true.

    Attributes:
        low: the lower end; 0, which is no solution, where it has none.
        high: the upper end; None where it has none.
        with_low: whether the lower end belongs to it.
        with_high: whether the upper end does.
    """

    low: Fraction
    high: Fraction | None
    with_low: bool
    with_high: bool

    @property
    def first(self) -> int:
        """The least whole number from the lower end on."""
        return ceil(self.low) if self.with_low else floor(self.low) + 1

    @property
    def last(self) -> int | None:
        """The largest whole number up to the upper end; None where that has no end."""
        if self.high is None:
            return None
        return floor(self.high) if self.with_high else ceil(self.high) - 1

    @property
    def ends(self) -> tuple[Fraction, Fraction] | None:
        """The end that belongs to it and the one that does not; None unless there is one of each."""
        if self.high is None or self.with_low == self.with_high:
            return None
        return (self.low, self.high) if self.with_low else (self.high, self.low)


def runs(borders: Iterable[Fraction], holds: Callable[[Fraction], bool]) -> list[Run]:
    """The stretches of positive numbers for which something holds that changes at borders only."""
    ends = sorted(border for border in borders if border > 0)
    found: list[Run] = []
    low = Fraction(0)
    for high in (*ends, None):
        inner = (low + high) / 2 if high is not None else 2 * low + 1
        if low and holds(low):
            found.append(Run(low, low, True, True))
        if holds(inner):
            found.append(Run(low, high, False, False))
        low = high if high is not None else low
    return _joined(found)


def _joined(found: list[Run]) -> list[Run]:
    """The runs, those that touch joined to one."""
    joined: list[Run] = []
    for one in found:
        before = joined[-1] if joined else None
        if before is not None and before.high == one.low and (before.with_high or one.with_low):
            joined[-1] = Run(before.low, one.high, before.with_low, one.with_high)
        else:
            joined.append(one)
    return joined
