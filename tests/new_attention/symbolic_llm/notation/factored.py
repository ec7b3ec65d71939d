"""Attention whose heads share one vector of a token"""

from __future__ import annotations

from ..units import BYTE, ONE, TOKEN
from .letter import group, sizes

_letter = group(__doc__)
_size = sizes(__doc__)

d_narrow = _size(
    "d_narrow", ONE, "width of the vector that the queries of all heads are made of", instead_of=("d_model",)
)
m_factored = _letter(
    "m_factored", BYTE / TOKEN, "bytes of the one vector of a token in all blocks", latex=r"m_{\text{one}}"
)
