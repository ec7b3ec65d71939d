"""A head of attention"""

from __future__ import annotations

from ..units import BYTE, FLOP
from .letter import group

_letter = group(__doc__)

D_textbook = _letter("D_textbook", BYTE, "bytes moved by textbook attention", latex=r"D_{\text{head}}")
C_textbook = _letter("C_textbook", FLOP, "operations of textbook attention", latex=r"C_{\text{head}}")
I_textbook = _letter("I_textbook", FLOP / BYTE, "arithmetic intensity of textbook attention", latex=r"I_{\text{head}}")
_MEANING = "arithmetic intensity of textbook attention for long sequences"
I_limit = _letter("I_limit", FLOP / BYTE, _MEANING, latex=r"I_{\infty}", limit_of=("I_textbook", "N"))
D_query = _letter("D_query", BYTE, "bytes moved by textbook attention for one query")
C_query = _letter("C_query", FLOP, "operations of textbook attention for one query")
I_query = _letter("I_query", FLOP / BYTE, "arithmetic intensity of attention for one query")
C_stable = _letter("C_stable", FLOP, "operations of attention with the stable softmax")
C_softmax = _letter("C_softmax", FLOP, "operations of a numerically stable softmax")
D_scaled = _letter("D_scaled", BYTE, "bytes moved when the scaling is a pass of its own")
D_tiled = _letter("D_tiled", BYTE, "bytes moved by tiled attention")
