"""Steps of measured products: where time jumps from one number of tokens to the next, and where it falls"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

from .products import products
from .statistics import A_FIFTIETH

JUMP = 1.2  # times the growth of the tokens


@dataclass(frozen=True)
class Staircase:
    """Growth of the time of products, from each number of tokens measured to the next.

    Attributes:
        jumps: number of products whose time grows by more than `JUMP` times as much as the tokens, by the tokens after.
        measured: number of products measured there, by the same tokens.
        falls: in how many cases more tokens take less time, by a fiftieth or more.
        every: how many cases there are.
    """

    jumps: Counter[int]
    measured: Counter[int]
    falls: int
    every: int

    def past(self, multiple: int) -> float:
        """The share of all jumps that are at one token more than a multiple of so many."""
        return sum(jumps for tokens, jumps in self.jumps.items() if tokens % multiple == 1) / self.jumps.total()


@cache
def staircase(kernel: str = "bfloat16") -> Staircase:
    """The staircase of all products in a number format."""
    jumps, measured, falls = Counter[int](), Counter[int](), 0
    for _, curve in products().of(format=kernel).groups("device", "framework", "n", "k"):
        tokens, time = curve["m"], curve["time"]
        longer, more = time[1:] / time[:-1], tokens[1:] / tokens[:-1]
        measured.update(tokens[1:].astype(int).tolist())
        jumps.update(tokens[1:][longer > JUMP * more].astype(int).tolist())
        falls += int((longer < 1 - A_FIFTIETH).sum())
    return Staircase(jumps, measured, falls, measured.total())
