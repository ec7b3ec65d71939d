"""An index that picks tokens"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SEQUENCE, TOKEN, WEIGHT
from .letter import group, sizes

_letter = group(__doc__)
_size = sizes(__doc__)

n_index = _size("n_index", ONE, "blocks with an index of their own")
n_index_heads = _size("n_index_heads", ONE, "queries of a token to an index", latex=r"n_{\text{heads}}^{\text{index}}")
d_index = _size("d_index", ONE, "numbers of a key of an index", instead_of=("d_model",))
n_picked = _letter(
    "n_picked",
    TOKEN / SEQUENCE,
    "the most tokens that an index picks",
    whole=True,
    aliases=("index_topk",),
    engine="picked",
)
N_picked = _letter("N_picked", TOKEN / SEQUENCE, "tokens that attention reads of a sequence", whole=True)
P_index = _letter("P_index", WEIGHT, "weights of the matrices of one index")
m_index = _letter("m_index", BYTE / TOKEN, "bytes of one token's keys in all indexes")
m_latent = _letter("m_latent", BYTE / TOKEN, "bytes of one token's latent vectors in all blocks")
a_index = _letter("a_index", FLOP * SEQUENCE / TOKEN**2, "FLOPs of a new token's indexes for each token of its context")
a_picked = _letter(
    "a_picked", FLOP * SEQUENCE / TOKEN**2, "attention FLOPs of a new token for each token that it picks"
)
N_fewer_bytes = _letter(
    "N_fewer_bytes", TOKEN / SEQUENCE, "context beyond which picking tokens reads less", latex=r"N_{\text{fewer bytes}}"
)
N_fewer_flops = _letter(
    "N_fewer_flops",
    TOKEN / SEQUENCE,
    "context beyond which picking tokens computes less",
    latex=r"N_{\text{fewer FLOPs}}",
)
