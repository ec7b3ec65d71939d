"""Serving"""

from __future__ import annotations

from ..units import BYTE, SEQUENCE, TOKEN
from .letter import group

_letter = group(__doc__)

M_reserve = _letter(
    "M_reserve", r"M_{\text{reserve}}", BYTE, "bytes that stay free of weights and caches", engine="reserve"
)
m_act = _letter(
    "m_act", r"m_{\text{act}}", BYTE / TOKEN, "bytes of activations of a token in a pass", engine="activations"
)
B_read = _letter("B_read", r"B_{\text{read}}", SEQUENCE, "sequences whose bytes are read within the target", whole=True)
B_compute = _letter(
    "B_compute", r"B_{\text{compute}}", SEQUENCE, "sequences whose arithmetic is done within the target", whole=True
)
B_largest = _letter(
    "B_largest", r"B_{\text{largest}}", SEQUENCE, "largest batch that fits and meets its target", whole=True
)
