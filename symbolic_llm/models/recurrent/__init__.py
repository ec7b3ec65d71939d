"""Kinds of blocks that keep something of one size of a sequence, in the place of attention, a module each

A module here defines a `KIND`: its parts, what it keeps, its operations, and what devices share of it. Bytes,
operations, rows of reports and the partition of weights follow from that, so a new kind is a new module.
"""

from __future__ import annotations

from ..modules import modules_of
from .kind import RecurrentKind

KINDS: tuple[RecurrentKind, ...] = tuple(module.KIND for module in modules_of(__name__, __path__, but="kind"))
BLOCK_LETTERS = frozenset(kind.blocks for kind in KINDS)  # the letters that count blocks of some kind
