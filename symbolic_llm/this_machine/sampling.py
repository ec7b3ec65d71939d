"""Times of actions that are run again and again: the best, the median, and whether the best comes back

Whatever disturbs a program makes it slower, so the best time is what the machine can do. It is believed if it was
reached twice, and if the program really ran in that time: all actions are run in rounds, some seconds apart, and the
bests of two rounds have to agree. What does not get that far gets more rounds, and is then noisier than it claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy

from .computer import Action, Computer

CLAIM = 0.1  # a figure claims to be right to a tenth
_MOST_RUNS = 1000  # of a round

Key = TypeVar("Key")
Progress = Callable[[str], None]
Run = tuple[float, float]  # seconds that it took, and seconds that threads of the program ran meanwhile


@dataclass(frozen=True)
class Pace:
    """Length of a measurement: seconds of each action in a round, rounds, seconds after which none begins."""

    seconds: float
    rounds: int
    limit: float


FULL, QUICK = Pace(0.08, 3, 40.0), Pace(0.02, 2, 8.0)


@dataclass(frozen=True)
class Taken:
    """Seconds that an action takes.

    Attributes:
        best: the least.
        median: half of the runs took less.
        spread: the middle half of the runs, from its first to its last, as a share of the median.
        apart: by how much the bests of the two best rounds differ, as a share.
        lost: share of the best time in which no thread of the program ran.
        runs: how many there were.
    """

    best: float
    median: float
    spread: float
    apart: float
    lost: float
    runs: int

    @property
    def confirmed(self) -> bool:
        """Whether two rounds agree about the best, and it was not spent waiting, as closely as a figure claims."""
        return max(self.apart, self.lost) <= CLAIM


def timed(
    computer: Computer,
    actions: Mapping[Key, Action],
    pace: Pace,
    progress: Progress = lambda line: None,
    began: float | None = None,
) -> dict[Key, Taken]:
    """Times of actions, all of them run in turn, round after round.

    Args:
        computer: whose clocks are asked.
        actions: what is run, by key.
        pace: how long.
        progress: is told what is being timed.
        began: when the whole began of which this is a part; now if left out.
    """
    end = (computer.now() if began is None else began) + pace.limit
    progress(f"first runs of {len(actions)} actions")
    # the first run also makes what the others find, so it counts only where there is no time for others
    first = {key: [_round(computer, action, 0.0)] for key, action in actions.items()}
    rounds: dict[Key, list[list[Run]]] = {key: [] for key in actions}
    for number in range(3 * pace.rounds):
        left = [key for key, some in rounds.items() if number < pace.rounds or not _taken(some or first[key]).confirmed]
        again = "" if number < pace.rounds else " again, since it is not confirmed"
        for place, key in enumerate(left):
            if computer.now() > end:
                break
            progress(f"round {number + 1}, {place + 1} of {len(left)}: {key}{again}")
            rounds[key].append(_round(computer, actions[key], pace.seconds))
    return {key: _taken(some or first[key]) for key, some in rounds.items()}


def _round(computer: Computer, action: Action, seconds: float) -> list[Run]:
    found: list[Run] = []
    end = computer.now() + seconds
    while not found or (computer.now() < end and len(found) < _MOST_RUNS):
        ran, start = computer.ran(), computer.now()
        action()
        took = computer.now() - start
        found.append((took, computer.ran() - ran))
    return found


def _taken(rounds: list[list[Run]]) -> Taken:
    times = [took for runs in rounds for took, _ in runs]
    low, median, high = (float(one) for one in numpy.quantile(times, (0.25, 0.5, 0.75)))
    (best, ran), *others = sorted(map(min, rounds))
    apart = others[0][0] / best - 1 if others else numpy.inf
    return Taken(best, median, (high - low) / median, apart, max(0.0, 1 - ran / best), len(times))
