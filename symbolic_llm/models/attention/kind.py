"""A kind of attention, as everything sees it that counts models"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...architecture import Trait
from ...formula import Formula
from ...frozen_dict import fix
from ..builder import Builder
from ..products import Matrix

if TYPE_CHECKING:
    from ..caches_and_states import Kept


@dataclass(frozen=True)
class AttentionKind:
    """A kind of attention, which all blocks of a model have that attend.

    Attributes:
        tells: the letter that a model with it has, and no other; "" of heads with keys and values.
        telling: the letters that tell what it keeps, beside those that count blocks.
        kept: what blocks keep, by the names of a model's letters. It takes SymPy, so it is imported there.
        matrices: of each formula that counts weights of it, the matrices that these are in.
        order: its operations in the order of a pass, as the engine's ledger calls them.
        runs: name of the engine's class that runs it.
        add: adds it to a model, as a configuration of the engine has it, in the blocks that attend.
        names: what its vectors are called in the engine, by their place and the letter of their width.
        copied: the letters of what devices deal out whole, with copies where they are more, and words for it.
        fixed: of a letter, the row of a report that says what is held of a sequence however long it is.
        apart: of a letter, the rows that say apart what is kept of a token, each with its key.
        beside: what blocks keep that have more than a window, in words.
        ways: how a step computes it, and a prompt, where there are two ways.
        traits: what tells such a model from others, each with the letter that it goes by.
        blocks: the letters that count blocks which keep something that others do not, beside windows.
        lengths: the letters for the tokens of a run, of which one thing is kept.
    """

    tells: str
    telling: tuple[str, ...]
    kept: Callable[[frozenset[str]], Iterator[Kept]]
    matrices: Mapping[Formula, tuple[Matrix, ...]] = field(hash=False)
    order: tuple[str, ...]
    runs: str
    add: Callable[[Builder, Any, Collection[int]], None]
    names: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict, hash=False)
    copied: Mapping[str, str] = field(default_factory=dict, hash=False)
    fixed: Mapping[str, tuple[str, Formula]] = field(default_factory=dict, hash=False)
    apart: Mapping[str, tuple[tuple[str, str, Formula], ...]] = field(default_factory=dict, hash=False)
    beside: str = ""
    ways: tuple[str, str] = ("", "")
    traits: tuple[tuple[str, Trait], ...] = ()
    blocks: tuple[str, ...] = ()
    lengths: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        fix(self)


def windows(made: Builder, config: Any, attends: Collection[int]) -> None:
    """Add the windows of the blocks that attend."""
    each = {block: config.window(block) for block in attends}
    made.windows(one_window(made, each.values()) or None, None, lambda block: each.get(block) is not None)
    if made.windowed:
        made.letters["n_global"] = len(attends) - len(made.windowed)  # those with a state keep no tokens


def one_window(made: Builder, each: Iterable[int | None]) -> int:
    """The width of those that are windows; 0 where there are none."""
    if len(widths := set(each) - {None}) > 1:
        raise made.fields.wrong(f"it has windows of {len(widths)} widths, and formulas take one for all")
    return next(iter(widths), None) or 0


def all_or_none(made: Builder, config: Any, *matrices: str) -> bool:
    """Whether these matrices have biases, as all have or none."""
    biased = [matrix in config.biases for matrix in matrices]
    if any(biased) and not all(biased):
        which = ", ".join(matrices)
        raise made.fields.wrong(f"it has biases in some of {which}, and formulas count them in all or none")
    return all(biased)
