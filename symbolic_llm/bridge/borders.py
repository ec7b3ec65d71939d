"""Where the entries of a run change their form: a window fills, every expert is used, every token is picked"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from reference_engine.probes.answering import ANSWER
from reference_engine.probes.runs import STEP_OF_ALL, Run
from reference_engine.probes.subjects import Subject

Side = tuple[tuple[str, int], ...]  # by what parameters are raised to stay on one side of a border


@dataclass(frozen=True)
class Border:
    """Where what a run enters changes its form: where one parameter is as large as some others together.

    Where it is just as large, entries are as on either side. Between the first of the others and all of them together
    they have a form of their own, if `between` says how to get there.

    Attributes:
        one: the parameter.
        others: those that it is compared with.
        by: what either side is raised by, to stay on one side of it.
        between: the same for what lies between.
    """

    one: str
    others: tuple[str, ...]
    by: int
    between: Side = ()

    @property
    def _from(self) -> tuple[tuple[tuple[str, ...], Side], ...]:
        """For each form but the last: from which sum on it is, and what is raised to stay there."""
        all_together = self.others, ((self.one, self.by),)
        return (all_together, (self.others[:1], self.between)) if self.between else (all_together,)

    def side(self, values: Mapping[str, Any]) -> Side:
        """What is raised to be on the same side as these values."""
        for others, raised in self._from:
            if values[self.one] >= sum(values[name] for name in others):
                return raised
        return self.sides[-1]

    @property
    def sides(self) -> tuple[Side, ...]:
        """What is raised on each side."""
        last = self.others[0] if self.between else self.others[-1]
        return (*(raised for _, raised in self._from), ((last, self.by),))

    def facts(self, side: Side, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """What is at least 0 on a side, for these values."""
        one, sides = values[self.one], [raised for _, raised in self._from]
        sums = [sum((values[name] for name in others[1:]), values[others[0]]) for others, _ in self._from]
        place = next((at for at, raised in enumerate(sides) if {*raised} <= {*side}), len(sides))
        return (*(sums[at] - one for at in range(place)[-1:]), *(one - total for total in sums[place : place + 1]))


@dataclass(frozen=True)
class Crossed:
    """Two borders of one run: each is looked at on either side."""

    first: Border
    second: Border

    def side(self, values: Mapping[str, Any]) -> Side:
        """What is raised to be on the same side of both."""
        return self.first.side(values) + self.second.side(values)

    @property
    def sides(self) -> tuple[Side, ...]:
        """What is raised on each side of both."""
        return tuple(one + other for one, other in product(self.first.sides, self.second.sides))

    def facts(self, side: Side, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """What is at least 0 on a side of both, for these values."""
        return (*self.first.facts(side, values), *self.second.facts(side, values))


_FILLED, _ALL_USED = Border("window", ("context",), 3), Border("batch", ("n_active", "idle"), 5)
_ALL_PICKED = Border("picked", ("context",), 3)
_ONE_EACH = Border("devices", ("n_kv_heads",), 3)
_FILLS, _PICKS_ALL = (
    Border(one, ("context", "new_tokens"), 12, between=((one, 3), ("new_tokens", 5))) for one in ("window", "picked")
)


def border_of(run: Run, subject: Subject) -> Border | Crossed | None:
    """Where the entries of a run change their form, if they do."""
    if {"devices", "n_kv_heads"} <= set(subject.shape):
        return _ONE_EACH
    if run is ANSWER and ("window" in subject.shape or "picked" in subject.shape):
        return _FILLS if "window" in subject.shape else _PICKS_ALL
    by = {"window": _FILLED, "picked": _ALL_PICKED}
    kept = next((by[one] for one in by if one in subject.shape and "context" in run.takes), None)
    if run is STEP_OF_ALL:
        return Crossed(kept, _ALL_USED) if kept else _ALL_USED
    return kept
