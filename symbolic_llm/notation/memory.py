"""Memory"""

from __future__ import annotations

from ..units import BYTE, ONE, SEQUENCE, TOKEN
from .letter import group

_letter = group(__doc__)

m_layer = _letter("m_layer", BYTE / TOKEN, "bytes one token holds in one layer's KV cache")
m_token = _letter(
    "m_token", BYTE / TOKEN, "bytes one token holds in the KV cache, over all layers", aliases=("kv_bytes_per_token",)
)
m_expanded = _letter(
    "m_expanded", BYTE / TOKEN, "bytes one token holds where latent attention caches keys and values of its heads"
)
m_local = _letter("m_local", BYTE / TOKEN, "bytes one token holds in the caches of the blocks with a window")
n_page = _letter("n_page", TOKEN / SEQUENCE, "tokens of a page of the KV cache", whole=True)
n_pages = _letter("n_pages", ONE, "pages of a sequence, the last one whole", whole=True)
m_page = _letter("m_page", BYTE / SEQUENCE, "bytes of a page, in all blocks together")
M_paged = _letter("M_paged", BYTE, "bytes of the KV cache in pages of one size for all blocks")
M_cache = _letter("M_cache", BYTE, "bytes of the KV cache", latex=r"M_{\text{kv}}")
M_weights = _letter("M_weights", BYTE, "bytes of the weights")
M_footprint = _letter("M_footprint", BYTE, "bytes held: weights and KV cache", latex=r"M_{\text{held}}")
M = _letter("M", BYTE, "memory of the machine", aliases=("memory",), engine="memory")
M_left = _letter("M_left", BYTE, "bytes of memory that the weights leave")
n_fit = _letter("n_fit", TOKEN, "tokens whose cache fits beside the weights")
B_fit = _letter("B_fit", SEQUENCE, "sequences whose cache fits beside the weights", whole=True, aliases=("B",))
B_target = _letter("B_target", SEQUENCE, "sequences whose step meets its target", whole=True)
D_step = _letter("D_step", BYTE, "bytes moved by one decoding step")
D_generation = _letter("D_generation", BYTE, "cache bytes read while generating", latex=r"D_{\text{gen}}")
