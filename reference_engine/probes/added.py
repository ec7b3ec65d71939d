"""Answers about one more of something: what a pass has time for, and what it takes longer"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .answers import Answer, Asked, Over
from .counts import Exact, Parts, Ratio
from .times import Crossing, Time


@dataclass(frozen=True)
class Free(Crossing):
    """How many of something a pass has time for while it reads: 0 where the work of others takes longer."""

    def of(self, asked: Asked) -> Ratio | int:  # type: ignore[override]
        found = super().of(asked)
        return found if found.value > 0 else 0


@dataclass(frozen=True)
class OneMore(Answer):
    """By how much a time grows where there is one more of something and one less of something else."""

    time: Time | Over
    along: str
    against: str

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.time.needs

    def part(self, paths: tuple[str, ...]) -> Answer:
        if isinstance(self.time, Over):
            return replace(self, time=self.time.part(paths))
        return super().part(paths)

    def of(self, asked: Asked) -> Ratio:
        more = {self.along: asked.values[self.along] + 1, self.against: asked.values[self.against] - 1}
        (after, at), (before, then) = (self._done_at(one) for one in (asked.moved(**more), asked))
        return Ratio(after * then - before * at, at * then)

    def _done_at(self, asked: Asked) -> tuple[Parts, Exact]:
        if isinstance(self.time, Over):
            return self.time.count.of(asked), asked.values[self.time.by]
        return self.time.done_at(asked)
