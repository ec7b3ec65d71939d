"""The letters that tell what a decoder keeps, by which its own formulas are chosen and named"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .recurrent import BLOCK_LETTERS

TELLING = (
    *("d_latent", "d_value", "n_local", "n_global", "n_kv_full", "d_head_full", *sorted(BLOCK_LETTERS), "n_index"),
    *("r_csa", "n_local_own", "n_global_own", "n_blocks"),
)


def telling(letters: Mapping[str, Any]) -> frozenset[str]:
    """The letters of a decoder that tell what it keeps, of those that it has."""
    found = frozenset(name for name in TELLING if letters.get(name))
    return found - {"d_value"} if "d_latent" in found else found  # values made of latent vectors are kept nowhere


def name_of(letters: frozenset[str]) -> str:
    """Name for decoders with these letters, in the names of their own formulas."""
    return "-".join(name for name in TELLING if name in letters)
