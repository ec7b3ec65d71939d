"""Serving"""

from __future__ import annotations

from ..units import BYTE, SECOND, SEQUENCE, TOKEN
from .letter import group

_letter = group(__doc__)

M_reserve = _letter("M_reserve", BYTE, "bytes that stay free of weights and caches", engine="reserve")
m_act = _letter("m_act", BYTE / TOKEN, "bytes of activations of a token in a pass", engine="activations")
B_read = _letter("B_read", SEQUENCE, "sequences whose bytes are read within the target", whole=True)
B_compute = _letter("B_compute", SEQUENCE, "sequences whose arithmetic is done within the target", whole=True)
B_largest = _letter("B_largest", SEQUENCE, "largest batch that fits and meets its target", whole=True)
W_storage = _letter(
    "W_storage", BYTE / SECOND, "bandwidth of the disk or network from which weights are loaded", engine="storage"
)
T_load = _letter("T_load", SECOND, "time to load the weights from storage into memory")
