"""Several devices"""

from __future__ import annotations

from ..units import BYTE, ONE
from .letter import declare as letter

n_tensor = letter(
    "n_tensor",
    "t",
    ONE,
    "devices that share every layer: tensor parallel",
    whole=True,
    aliases=("t", "tp", "tensor"),
    engine="devices",
)
D_reduce = letter(
    "D_reduce", r"D_{\text{reduce}}", BYTE, "bytes a device sends in the all-reduces of a decoding step, in the mean"
)
