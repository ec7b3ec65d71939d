"""Tiles and shared prefixes"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SEQUENCE, TOKEN
from .letter import group

_letter = group(__doc__)

b_k = _letter("b_k", r"b_{\text{kv}}", ONE, "keys of one tile", whole=True, engine="columns")
n_prefix = _letter(
    "n_prefix",
    r"n_{\text{prefix}}",
    TOKEN / SEQUENCE,
    "tokens of a prefix that all sequences of a batch have",
    whole=True,
    engine="prefix",
)
M_tile = _letter("M_tile", r"M_{\text{tile}}", BYTE, "on-chip memory that tiled attention of one head takes")
C_tiled = _letter("C_tiled", r"C_{\text{tiled}}", FLOP, "operations of tiled attention")
D_prefix = _letter("D_prefix", r"D_{\text{prefix}}", BYTE, "bytes moved by one head where a prefix is shared")
B_prefix = _letter(
    "B_prefix",
    r"B^{*}_{\text{prefix}}",
    SEQUENCE,
    "batch at which the products of a shared prefix take as long as reading it",
    aliases=("B",),
)
I_cache = _letter(
    "I_cache", r"I_{\text{cache}}", FLOP / BYTE, "arithmetic intensity of attention in a decoding step, cache read once"
)
