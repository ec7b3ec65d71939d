"""Times of actions that are run again and again: the best, the median, and whether the best comes back

Whatever disturbs a program makes it slower, so the best time is what the machine can do. It is believed if it was
reached twice: all actions are run in rounds, some seconds apart, and the bests of two rounds have to agree. Who does
not get that far gets more rounds, and is then said to be noisier than it claims.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy

from .computer import Action

CLAIM = 0.1  # a figure claims to be right to a tenth
_MOST_RUNS = 1000  # of a round

Key = TypeVar("Key")
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Pace:
    """How long is measured: seconds of each action in a round, rounds, and seconds after which no round is added."""

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
        runs: how many there were.
    """

    best: float
    median: float
    spread: float
    apart: float
    runs: int

    @property
    def confirmed(self) -> bool:
        """Whether two rounds agree about the best, as closely as a figure claims."""
        return self.apart <= CLAIM


def timed(
    now: Callable[[], float],
    actions: Mapping[Key, Action],
    pace: Pace,
    progress: Progress = lambda line: None,
    began: float | None = None,
) -> dict[Key, Taken]:
    """Times of actions, all of them run in turn, round after round.

    Args:
        now: the clock.
        actions: what is run, by key.
        pace: how long.
        progress: is told what is being timed.
        began: when the whole began of which this is a part; now if left out.
    """
    rounds: dict[Key, list[list[float]]] = {key: [] for key in actions}
    for action in actions.values():
        action()  # the first run also makes what the others find
    start, number = now() if began is None else began, 0
    while left := _left(rounds, pace, number, now() - start):
        for place, key in enumerate(left):
            again = "" if number < pace.rounds else " again, since its rounds do not agree"
            progress(f"round {number + 1}, {place + 1} of {len(left)}: {key}{again}")
            rounds[key].append(_round(now, actions[key], pace.seconds))
        number += 1
    return {key: _taken(some) for key, some in rounds.items()}


def _left(rounds: Mapping[Key, list[list[float]]], pace: Pace, number: int, since: float) -> list[Key]:
    """Actions to be run in a further round: all at first, then those whose bests do not agree, while there is time."""
    if number < pace.rounds:
        return list(rounds)
    if number >= 3 * pace.rounds or since > pace.limit:
        return []
    return [key for key, some in rounds.items() if not _taken(some).confirmed]


def _round(now: Callable[[], float], action: Action, seconds: float) -> list[float]:
    found: list[float] = []
    end = now() + seconds
    while not found or (now() < end and len(found) < _MOST_RUNS):
        start = now()
        action()
        found.append(now() - start)
    return found


def _taken(rounds: list[list[float]]) -> Taken:
    runs = numpy.concatenate(rounds)
    low, median, high = (float(one) for one in numpy.quantile(runs, (0.25, 0.5, 0.75)))
    best, *others = sorted(map(min, rounds))
    return Taken(best, median, (high - low) / median, others[0] / best - 1 if others else numpy.inf, len(runs))
