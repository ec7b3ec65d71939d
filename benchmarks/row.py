"""A line of the table of a benchmark, and how times are taken"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """A measurement and its limit.

    Attributes:
        what: what is done.
        took: what it takes, in seconds.
        beside: what stands beside it takes: the same by hand, a plain copy, bare Python; 0 where nothing does.
        limit: the most it may take: seconds, or times what stands beside it.
        of_beside: whether the limit is a ratio.
    """

    what: str
    took: float
    beside: float
    limit: float
    of_beside: bool = False

    @property
    def kept(self) -> bool:
        """Whether it is within its limit."""
        return self.took <= self.limit * (self.beside if self.of_beside else 1)

    def __str__(self) -> str:
        ratio = f"{self.took / self.beside:8.2f} ×" if self.beside else " " * 10
        limit = f"{self.limit:g} {'×' if self.of_beside else 's'}"
        return f"{self.what:<62} {self.took:>10.3g} s {ratio}  at most {limit:<8} {'' if self.kept else 'NOT KEPT'}"


def settings(cache: str, **more: str) -> dict[str, str]:
    """The environment of a fresh process with a cache of its own, which may keep compiled modules as any other."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"SYMBOLIC_LLM_CACHE": cache} | more


def best(
    actions: Sequence[Callable[[], object]], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The least seconds that each takes, measured in turn, so that a machine that drifts drifts for all."""
    found = [float("inf")] * len(actions)
    for _ in range(rounds):
        for place, action in enumerate(actions):
            start = clock()
            action()
            found[place] = min(found[place], clock() - start)
    return found
