"""Routing"""

from __future__ import annotations

from ..units import ONE, SEQUENCE
from .letter import group, sizes

_letter = group(__doc__)
_size = sizes(__doc__)

n_shared_experts = _size(
    "n_shared_experts",
    ONE,
    "shared experts: experts of a block that every token is sent to",
    latex=r"E_{\text{shared}}",
)
U_experts = _letter(
    "U_experts", ONE, "share of a block's experts that a batch is expected to use", latex=r"u_{E}", share=True
)
B_expert = _letter("B_expert", SEQUENCE, "sequences whose token an expert gets, on average")
n_load = _letter("n_load", SEQUENCE, "sequences whose token an expert may get", whole=True, engine="load")
