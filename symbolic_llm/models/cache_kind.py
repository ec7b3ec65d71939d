"""The letters that tell what a decoder keeps, by which its own formulas are chosen and named"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .attention import KINDS, kind_of
from .recurrent import BLOCK_LETTERS

_OF_BLOCKS = ("n_local", "n_global", *sorted(BLOCK_LETTERS), "n_blocks")
TELLING = (*dict.fromkeys(name for kind in KINDS for name in kind.telling), *_OF_BLOCKS)


def telling(letters: Mapping[str, Any]) -> frozenset[str]:
    """The letters of a decoder that tell what it keeps, of those that it has."""
    return frozenset(name for name in (*kind_of(letters).telling, *_OF_BLOCKS) if letters.get(name))


def name_of(letters: frozenset[str]) -> str:
    """Name for decoders with these letters, in the names of their own formulas."""
    return "-".join(name for name in TELLING if name in letters)
