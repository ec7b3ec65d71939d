"""Storage"""

from __future__ import annotations

from ..units import BIT, BLOCK, BYTE, VALUE, WEIGHT
from .letter import group

_letter = group(__doc__)

n_bits = _letter("n_bits", BIT / WEIGHT, "bits of one quantised weight", whole=True, engine="bits")
n_block = _letter("n_block", WEIGHT / BLOCK, "weights that share one scale", whole=True, engine="block")
n_scale = _letter("n_scale", BIT / BLOCK, "bits of a block's scale", whole=True, engine="scale_bits")
n_bytes = _letter("n_bytes", BYTE / WEIGHT, "bytes of one stored weight", engine=True)
n_bytes_2 = _letter(
    "n_bytes_2",
    BYTE / WEIGHT,
    "bytes of one stored weight, at another precision",
    latex=r"n'_{\text{bytes}}",
    engine=True,
)
n_bytes_kv = _letter(
    "n_bytes_kv", BYTE / VALUE, "bytes of one number in the KV cache", aliases=("n_bytes",), engine=True
)
n_bytes_act = _letter("n_bytes_act", BYTE / VALUE, "bytes of one activation", aliases=("n_bytes",), engine=True)
