"""Weights of a model that devices deal out evenly, those that they copy, and the letters that say it"""

from __future__ import annotations

from collections.abc import Iterable

from ..catalogue.named import vector_parameters
from ..notation import (
    P_device,
    P_held,
    P_more,
    T_chunk,
    T_chunk_device,
    T_chunk_parts,
    T_chunk_parts_device,
    T_mixed,
    T_mixed_device,
    T_mixed_parts,
    T_mixed_parts_device,
    n_reduces,
)
from .attention import KINDS as ATTENTION
from .part import Part
from .recurrent import KINDS

# The letters of what is dealt out evenly, and of what is dealt out whole, with copies where devices are more
OF_STATES = {letter: words for kind in KINDS for letter, words in kind.evenly.items()}
EVENLY = ("n_heads", "d_ff", "d_expert", "d_shared", *OF_STATES)
COPIED = {letter: words for kind in ATTENTION for letter, words in kind.copied.items()}
# What these sums say: weights multiplied, held and read more, and the all-reduces of a pass
DEALT = frozenset({P_device, P_held, P_more, n_reduces})
# Laws of mixed steps and of chunks alone; what they need is made where they are asked for, too
MIXED = (T_mixed, T_mixed_device)
OF_CHUNKS = (
    *(*MIXED, T_mixed_parts, T_mixed_parts_device),
    *(T_chunk, T_chunk_device, T_chunk_parts, T_chunk_parts_device),
)


def works_beside(parts: Iterable[Part]) -> bool:
    """Whether an MLP works beside experts, each with norms of its own."""
    return any(
        part.kind == "router" and part.formula is vector_parameters and not part.multiplied for part in parts
    )  # it scales these


def deals_vectors(parts: Iterable[Part]) -> bool:
    """Whether devices share some vectors too, such as biases of heads and of MLPs."""
    dealt = {*EVENLY, *COPIED}
    vectors = (part for part in parts if not part.multiplied and part.kind != "embedding")
    return any(part.renamed.get(name, name) in dealt for part in vectors for name in part.letters)
