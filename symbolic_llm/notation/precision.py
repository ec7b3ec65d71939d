"""Precision and overhead"""

from __future__ import annotations

from ..units import BIT, BLOCK, BYTE, ONE, SECOND, WEIGHT
from .letter import group

_letter = group(__doc__)

n_superblock = _letter(
    "n_superblock",
    WEIGHT / BLOCK,
    "weights of a block of blocks, that share more bits",
    latex=r"n_{\text{super}}",
    whole=True,
)
n_shared = _letter("n_shared", BIT / BLOCK, "bits that a block of blocks shares", whole=True, engine="shared_bits")
P_high = _letter("P_high", WEIGHT, "weights that are stored at another precision", whole=True)
n_bytes_mean = _letter("n_bytes_mean", BYTE / WEIGHT, "bytes of one stored weight, on average")
T_overhead = _letter(
    "T_overhead",
    SECOND,
    "overhead: time of a step that neither bytes nor operations account for",
    latex=r"T_{0}",
    engine="overhead",
)
T_read = _letter("T_read", SECOND, "time of a step that reads the weights after an overhead")
T_measured = _letter("T_measured", SECOND, "time of a step as it was measured")
G = _letter("G", ONE, "gain: how many times faster a step gets with other bytes for each weight")
G_limit = _letter(
    "G_limit", ONE, "gain with next to no bytes for each weight", latex=r"G_{0}", limit_of=("G", "n_bytes_2")
)
U_memory = _letter(
    "U_memory",
    ONE,
    "memory bandwidth utilisation: share of it that a step made use of",
    latex=r"\text{MBU}",
    share=True,
    aliases=("MBU",),
)
U_compute = _letter(
    "U_compute",
    ONE,
    "model FLOPs utilisation: share of peak arithmetic in use",
    latex=r"\text{MFU}",
    share=True,
    aliases=("MFU",),
)
