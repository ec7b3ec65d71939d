"""Tiles and shared prefixes"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SEQUENCE, TOKEN
from .letter import group

_letter = group(__doc__)

b_k = _letter("b_k", ONE, "keys of one tile", latex=r"b_{\text{kv}}", whole=True, engine="columns")
n_prefix = _letter(
    "n_prefix", TOKEN / SEQUENCE, "tokens of a prefix that all sequences of a batch have", whole=True, engine="prefix"
)
M_tile = _letter("M_tile", BYTE, "on-chip memory that tiled attention of one head takes")
C_tiled = _letter("C_tiled", FLOP, "operations of tiled attention")
D_prefix = _letter("D_prefix", BYTE, "bytes moved by one head where a prefix is shared")
B_prefix = _letter(
    "B_prefix",
    SEQUENCE,
    "batch at which the products of a shared prefix take as long as reading it",
    latex=r"B^{*}_{\text{prefix}}",
    aliases=("B",),
)
I_cache = _letter("I_cache", FLOP / BYTE, "arithmetic intensity of attention in a decoding step, cache read once")
