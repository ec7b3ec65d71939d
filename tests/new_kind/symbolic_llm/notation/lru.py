"""Gated linear recurrences"""

from __future__ import annotations

from ..units import BYTE, ONE, SEQUENCE
from .letter import group, sizes

_letter = group(__doc__)
_size = sizes(__doc__)

n_lru = _size("n_lru", ONE, "blocks that are a gated linear recurrence")
d_lru = _size("d_lru", ONE, "channels of a gated linear recurrence", instead_of=("d_model",))
m_lru = _letter("m_lru", BYTE / SEQUENCE, "bytes all gated linear recurrences keep of a sequence")
