"""Routers, which choose experts: by a score, or in some blocks by the token's number alone"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from . import ops
from .arrays import arange
from .formats import Array
from .ledger import Ledger

if TYPE_CHECKING:
    from .config import Config

Scoring = Literal["softmax", "sigmoid", "root_softplus"]

_SCORES: dict[str, Callable[[Ledger, Array], Array]] = {
    "softmax": ops.stable_softmax,
    "sigmoid": ops.sigmoid,
    "root_softplus": ops.root_softplus,
}


@dataclass(frozen=True)
class Routing:
    """The rule by which tokens are sent to experts.

    Attributes:
        scoring: what a router makes of its products: "softmax" over the experts, or "sigmoid" or "root_softplus",
            √(log(1 + exp(x))), of each.
        scale: what the weights of the chosen experts are multiplied with.
        hashed: which blocks choose by the token's number, layer by layer and repeated; there the scores only weigh.
            Which experts a token has is a table of the model's; here it is one rule.
    """

    scoring: Scoring = "softmax"
    scale: float = 1.0
    hashed: tuple[bool, ...] = (False,)

    def is_hashed(self, block: int) -> bool:
        """Whether a block chooses by the token's number."""
        return self.hashed[block % len(self.hashed)]

    def scores(self, ledger: Ledger, x: Array) -> Array:
        """(tokens, experts) products -> (tokens, experts) scores."""
        return _SCORES[self.scoring](ledger, x)  # (tokens, experts)

    def needs(self, config: Config) -> Iterator[tuple[bool, str]]:
        """Conditions on a decoder's configuration: whether each holds, and the message where it does not."""
        yield self.scoring in get_args(Scoring), f"scoring is one of {', '.join(get_args(Scoring))}"
        yield bool(self.hashed), "hashed says it of at least one block"
        yield config.n_experts > 0 or not any(self.hashed), "a choice by the token's number needs experts"


BY_SOFTMAX = Routing()


def by_number(tokens: Array, n_experts: int, n_active: int) -> Array:
    """(tokens,) numbers -> (tokens, n_active) experts: as many different ones, the same for the same token."""
    chosen: Array = (n_active * tokens[:, None] + arange(n_active)) % n_experts  # (tokens, n_active)
    return chosen
