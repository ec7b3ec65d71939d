"""Disagreements: figures of several sources that differ for one and the same thing"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from .claim import Claim, source


@dataclass(frozen=True)
class Disagreement:
    """Claims of several sources on one question.

    Attributes:
        title: the question.
        why: what divides them, in a sentence.
        claims: for each claim, as source/claim, what it presupposes, in a sentence.
    """

    title: str
    why: str
    claims: Mapping[str, str]

    @property
    def sides(self) -> list[tuple[str, Claim, str]]:
        """The source of each claim, the claim and what it presupposes; `UnknownName` for one that is none."""
        named = [(name.partition("/"), said) for name, said in self.claims.items()]
        return [(key, source(key)[claim], said) for (key, _, claim), said in named]


@lru_cache(maxsize=1)
def disagreements() -> tuple[Disagreement, ...]:
    """The disagreements that come with the package, in the order of their page."""
    read = tomllib.loads((resources.files(__package__) / "disagreements.toml").read_text(encoding="utf-8"))
    return tuple(Disagreement(**one) for one in read["disagreement"])
