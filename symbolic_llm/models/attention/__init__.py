"""Kinds of attention, a module each: keys and values of heads, latent vectors, compressed runs of tokens

A module here defines a `KIND`: its parts, what it keeps, its operations, and what devices share of it. Bytes,
operations, rows of reports and the partition of weights follow from that, so a new kind is a new module.
"""

from __future__ import annotations

from collections.abc import Collection

from ..modules import modules_of
from .kind import AttentionKind

KINDS: tuple[AttentionKind, ...] = tuple(module.KIND for module in modules_of(__name__, __path__, but="kind"))
_OF_HEADS = next(kind for kind in KINDS if not kind.tells)


def kind_of(letters: Collection[str]) -> AttentionKind:
    """The kind of attention of a model, by the names of its letters; keys and values of heads where none tells."""
    return next((kind for kind in KINDS if kind.tells in letters), _OF_HEADS)
