"""A matrix product"""

from __future__ import annotations

from ..units import BYTE, FLOP, SECOND
from .letter import group

_letter = group(__doc__)

D_matrix = _letter("D_matrix", r"D_{\text{mm}}", BYTE, "bytes that a matrix product reads off-chip")
I_matrix = _letter("I_matrix", r"I_{\text{mm}}", FLOP / BYTE, "arithmetic intensity of a matrix product")
F_matrix = _letter("F_matrix", r"F_{\text{mm}}", FLOP / SECOND, "arithmetic that a matrix product reaches at most")
T_matrix = _letter("T_matrix", r"T_{\text{mm}}", SECOND, "time that a matrix product takes")
