"""The loads of experts, from every way to send the tokens of a batch to them

Tokens come one after the other, each to some of the experts. What matters is how many experts have how many tokens, not
which: so ways are taken together that leave the same loads, with the number of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from .measures import Answer, Asked
from .registry import about

Loads = tuple[int, ...]  # tokens of each expert, the most first


@lru_cache(maxsize=2**8)
def loads(n_active: int, idle: int, tokens: int) -> dict[Loads, int]:
    """The loads that so many tokens can leave, each with the number of ways that lead to it."""
    found = {(0,) * (n_active + idle): 1}
    for _ in range(tokens):
        longer: dict[Loads, int] = {}
        for before, ways in found.items():
            for choice in combinations(range(len(before)), n_active):
                after = tuple(sorted((one + (place in choice) for place, one in enumerate(before)), reverse=True))
                longer[after] = longer.get(after, 0) + ways
        found = longer
    return found


@dataclass(frozen=True)
class Keeps(Answer):
    """Whether some way to send the tokens gives no expert more than a load."""

    figures = ("batch", "load")

    def of(self, asked: Asked) -> bool:
        n_active, idle, tokens = (asked.values[name] for name in ("n_active", "idle", "batch"))
        return any(one[0] <= asked.values["load"] for one in loads(n_active, idle, tokens))


about(None, "routing")(
    "experts.can_be_balanced",
    "Is there a way to send a batch to experts that gives none of them more tokens than a load?",
    Keeps(),
)
