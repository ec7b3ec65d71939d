"""Gated linear recurrences"""

from __future__ import annotations

from ..units import BYTE, ONE, SEQUENCE
from .letter import group

_letter = group(__doc__)

n_lru = _letter("n_lru", ONE, "blocks that are a gated linear recurrence", whole=True, engine=True)
d_lru = _letter("d_lru", ONE, "channels of a gated linear recurrence", whole=True, engine=True, instead_of=("d_model",))
m_lru = _letter("m_lru", BYTE / SEQUENCE, "bytes all gated linear recurrences keep of a sequence")
