"""A matrix product"""

from __future__ import annotations

from ..units import BYTE, FLOP, SECOND
from .letter import group

_letter = group(__doc__)

D_matrix = _letter("D_matrix", BYTE, "bytes that a matrix product reads off-chip", latex=r"D_{\text{mm}}")
I_matrix = _letter("I_matrix", FLOP / BYTE, "arithmetic intensity of a matrix product", latex=r"I_{\text{mm}}")
F_matrix = _letter(
    "F_matrix", FLOP / SECOND, "arithmetic that a matrix product reaches at most", latex=r"F_{\text{mm}}"
)
T_matrix = _letter("T_matrix", SECOND, "time that a matrix product takes", latex=r"T_{\text{mm}}")
