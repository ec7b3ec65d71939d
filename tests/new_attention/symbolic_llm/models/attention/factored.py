"""Attention whose heads share one vector of a token"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...architecture import Trait
from ...catalogue.named import attention_flops_per_context_token
from ...formulas.heads.factored_bytes_per_token import FORMULA as factored_bytes_per_token
from ...formulas.heads.factored_parameters import FORMULA as factored_parameters
from ..builder import Builder
from ..products import ATTENTION, D_MODEL, Matrix, one_width, total_width
from .kind import AttentionKind, windows

if TYPE_CHECKING:
    from ..caches_and_states import Kept, Times


def factor(made: Builder, d_narrow: int) -> None:
    """Add the attention of every block."""
    made.letters["d_narrow"] = d_narrow
    made.add("attention", factored_parameters, made.letters["n_blocks"])


def _kept(letters: frozenset[str]) -> Iterator[Kept]:
    from ..caches_and_states import attending

    return attending(letters, _vectors)


def _vectors(letters: frozenset[str], which: str, tokens: Times, renamed: Mapping[str, str]) -> Iterator[Kept]:
    from ..caches_and_states import ALL, Kept

    each, work = factored_bytes_per_token, attention_flops_per_context_token
    yield Kept(f"vectors {which}".rstrip(), each, work, tokens, tokens, tokens, ALL, renamed=renamed)


def _add(made: Builder, config: Any, attends: Collection[int]) -> None:
    windows(made, config, attends)
    made.letters["d_head"] = config.d_head
    factor(made, config.attention.width)


KIND = AttentionKind(
    tells="d_narrow",
    telling=("d_narrow",),
    kept=_kept,
    matrices={
        factored_parameters: (
            Matrix("attention.narrow", one_width("d_narrow"), D_MODEL),
            Matrix("attention.query", total_width("n_heads", "d_head"), one_width("d_narrow")),
            Matrix("attention.key", one_width("d_head"), D_MODEL),
            Matrix("attention.output", D_MODEL, total_width("n_heads", "d_head")),
        )
    },
    order=(*(f"attention.{name}" for name in ("narrow", "query", "key")), ATTENTION, "attention.output"),
    runs="Factored",
    add=_add,
    traits=(("d_narrow", Trait.SHARED),),
)
