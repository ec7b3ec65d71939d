"""Memory"""

from __future__ import annotations

from ..units import BYTE, ONE, SEQUENCE, TOKEN
from .letter import group

_letter = group(__doc__)

m_layer = _letter("m_layer", r"m_{\text{layer}}", BYTE / TOKEN, "bytes one token holds in one layer's KV cache")
m_token = _letter(
    "m_token",
    r"m_{\text{token}}",
    BYTE / TOKEN,
    "bytes one token holds in the KV cache, over all layers",
    aliases=("kv_bytes_per_token",),
)
m_expanded = _letter(
    "m_expanded",
    r"m_{\text{expanded}}",
    BYTE / TOKEN,
    "bytes one token holds where latent attention caches keys and values of its heads",
)
m_local = _letter(
    "m_local", r"m_{\text{local}}", BYTE / TOKEN, "bytes one token holds in the caches of the blocks with a window"
)
n_page = _letter("n_page", r"n_{\text{page}}", TOKEN / SEQUENCE, "tokens of a page of the KV cache", whole=True)
n_pages = _letter("n_pages", r"n_{\text{pages}}", ONE, "pages of a sequence, the last one whole", whole=True)
m_page = _letter("m_page", r"m_{\text{page}}", BYTE / SEQUENCE, "bytes of a page, in all blocks together")
M_paged = _letter("M_paged", r"M_{\text{paged}}", BYTE, "bytes of the KV cache in pages of one size for all blocks")
M_cache = _letter("M_cache", r"M_{\text{kv}}", BYTE, "bytes of the KV cache")
M_weights = _letter("M_weights", r"M_{\text{weights}}", BYTE, "bytes of the weights")
M_footprint = _letter("M_footprint", r"M_{\text{held}}", BYTE, "bytes held: weights and KV cache")
M = _letter("M", "M", BYTE, "memory of the machine", aliases=("memory",), engine="memory")
M_left = _letter("M_left", r"M_{\text{left}}", BYTE, "bytes of memory that the weights leave")
n_fit = _letter("n_fit", r"n_{\text{fit}}", TOKEN, "tokens whose cache fits beside the weights")
B_fit = _letter(
    "B_fit", r"B_{\text{fit}}", SEQUENCE, "sequences whose cache fits beside the weights", whole=True, aliases=("B",)
)
B_target = _letter("B_target", r"B_{\text{target}}", SEQUENCE, "sequences whose step meets its target", whole=True)
D_step = _letter("D_step", r"D_{\text{step}}", BYTE, "bytes moved by one decoding step")
D_generation = _letter("D_generation", r"D_{\text{gen}}", BYTE, "cache bytes read while generating")
