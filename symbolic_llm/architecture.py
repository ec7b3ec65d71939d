"""Traits of decoders, which decide which formula counts a quantity

Every decoder has one trait of each axis. A formula that holds for some decoders only names the traits it is for; a
model picks, for each quantity that architectures compute differently, the formula whose traits it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Trait(Enum):
    """A way in which a decoder is built, with its axis and the words that say so of a model."""

    DENSE = "experts", "no experts"
    EXPERTS = "experts", "experts"
    FULL = "blocks", "no windows"
    MIXED = "blocks", "windows in some blocks"
    WINDOWED = "blocks", "windows in all blocks"
    HYBRID = "blocks", "a state instead of a cache in some blocks"
    TWOFOLD = "blocks", "windows in some blocks, and heads of another kind in the others"
    BORROWING = "blocks", "blocks that read the caches of other blocks"
    PICKED = "blocks", "an index that picks the tokens to attend to"
    COMPRESSED = "blocks", "compressed runs of tokens as well as a window"
    GROUPED = "heads", "keys and values per head or group of heads"
    LATENT = "heads", "latent attention"
    UNEQUAL = "heads", "heads of two kinds"
    NARROW = "heads", "values of a different width than keys"
    SHARED = "heads", "one vector per token that is key and value for all heads"

    def __init__(self, axis: str, words: str) -> None:
        self.axis, self.words = axis, words


Traits = frozenset[Trait]

AXES = tuple(frozenset(one for one in Trait if one.axis == axis) for axis in ("experts", "blocks", "heads"))
STATELESS = (Trait.FULL, Trait.MIXED, Trait.WINDOWED)  # every block has a cache, as many bytes of a token, reads all
WITH_WINDOWS = (Trait.MIXED, Trait.WINDOWED, Trait.TWOFOLD)  # some blocks, or all, forget what lies beyond a window
CACHED = (*STATELESS, Trait.TWOFOLD)  # every block has a cache, and reads all of it
UNPICKED = (*CACHED, Trait.HYBRID, Trait.BORROWING)  # whoever attends does so to all that is kept
_UNLIKE = {  # those without
    Trait.HYBRID: "no states",
    Trait.PICKED: "no index",
    Trait.COMPRESSED: "no compressed runs",
    Trait.BORROWING: "caches of their own",
    Trait.TWOFOLD: "heads of one kind",
}
PLAIN: Traits = frozenset({Trait.DENSE, Trait.FULL, Trait.GROUPED})  # what is meant where no model is named


def lacking(needed: Traits, traits: Traits) -> Traits:
    """The needed traits of the axes on which a decoder with these traits has none of them."""
    return frozenset[Trait]().union(*(needed & axis for axis in AXES if needed & axis and not needed & axis & traits))


def narrowed(one: Traits, other: Traits) -> Traits:
    """Traits that are needed by both together; `ValueError` if no decoder has them."""
    found: set[Trait] = set()
    for axis in AXES:
        mine, theirs = one & axis, other & axis
        both = mine & theirs if mine and theirs else mine | theirs
        if not both and mine:
            raise ValueError(f"no decoder has both {said(mine)} and {said(theirs)}")
        found |= both
    return frozenset(found)


def models_with(traits: Traits) -> str:
    """The models that have these traits, in words: "models with experts and with no windows"; "" for all models."""
    parts = [f"with {said(traits & axis)}" for axis in AXES if traits & axis]
    return f"models {' and '.join(parts)}" if parts else ""


def said(traits: Iterable[Trait]) -> str:
    """Traits in words, in the order of their declaration."""
    given = set(traits)
    others = [words for trait, words in _UNLIKE.items() if trait not in given]
    if given >= set(STATELESS) and others:
        return " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
    return " or ".join(trait.words for trait in Trait if trait in given)
