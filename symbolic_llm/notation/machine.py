"""The machine"""

from __future__ import annotations

from ..units import BYTE, FLOP, SECOND
from .letter import group

_letter = group(__doc__)

F = _letter("F", FLOP / SECOND, "peak arithmetic of the machine", aliases=("flops", "n_flops"), engine="flops")
F_2 = _letter(
    "F_2", FLOP / SECOND, "peak arithmetic of the machine, at another precision", latex="F'", engine="flops_2"
)
W = _letter("W", BYTE / SECOND, "memory bandwidth of the machine", aliases=("bandwidth",), engine="bandwidth")
I_ridge = _letter("I_ridge", FLOP / BYTE, "ridge point of the machine, its ops:byte ratio")
