"""A head of attention"""

from __future__ import annotations

from ..units import BYTE, FLOP
from .letter import group

_letter = group(__doc__)

D_textbook = _letter("D_textbook", r"D_{\text{head}}", BYTE, "bytes moved by textbook attention")
C_textbook = _letter("C_textbook", r"C_{\text{head}}", FLOP, "operations of textbook attention")
I_textbook = _letter("I_textbook", r"I_{\text{head}}", FLOP / BYTE, "arithmetic intensity of textbook attention")
_MEANING = "arithmetic intensity of textbook attention for long sequences"
I_limit = _letter("I_limit", r"I_{\infty}", FLOP / BYTE, _MEANING, limit_of=("I_textbook", "N"))
D_query = _letter("D_query", r"D_{\text{query}}", BYTE, "bytes moved by textbook attention for one query")
C_query = _letter("C_query", r"C_{\text{query}}", FLOP, "operations of textbook attention for one query")
I_query = _letter("I_query", r"I_{\text{query}}", FLOP / BYTE, "arithmetic intensity of attention for one query")
C_stable = _letter("C_stable", r"C_{\text{stable}}", FLOP, "operations of attention with the stable softmax")
C_softmax = _letter("C_softmax", r"C_{\text{softmax}}", FLOP, "operations of a numerically stable softmax")
D_scaled = _letter("D_scaled", r"D_{\text{scaled}}", BYTE, "bytes moved when the scaling is a pass of its own")
D_tiled = _letter("D_tiled", r"D_{\text{tiled}}", BYTE, "bytes moved by tiled attention")
