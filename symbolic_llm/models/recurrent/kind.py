"""A kind of block with a state, as everything sees it that counts models"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...formula import Formula
from ...frozen_dict import fix
from ..builder import Builder
from ..products import Matrix


@dataclass(frozen=True)
class RecurrentKind:
    """A kind of block that keeps something of one size of a sequence, in the place of attention.

    Attributes:
        blocks: the letter that counts such blocks of a model.
        kept: what they keep, in words.
        nbytes: formula for the bytes that they keep of a sequence, all of them together.
        work: formula for the operations of a token with what is kept; None where it has none.
        row: what the row of a report is called that says these bytes.
        matrices: of each formula that counts weights of it, the matrices that these are in.
        names: what its vectors are called in the engine, by their place and the letter of their width.
        evenly: the letters that devices deal out evenly, with the words for what they count.
        runs: name of the engine's class that runs it.
        add: adds blocks to a model: as many as are wanted of `n_global` that attend and of this kind, by the fields of
            the engine's class.
    """

    blocks: str
    kept: str
    nbytes: Formula
    work: Formula | None
    row: str
    matrices: Mapping[Formula, tuple[Matrix, ...]] = field(hash=False)
    names: Mapping[tuple[str, str], tuple[str, ...]] = field(hash=False)
    evenly: Mapping[str, str] = field(hash=False)
    runs: str
    add: Callable[[Builder, int, int, Mapping[str, Any]], None]

    def __post_init__(self) -> None:
        fix(self)
