"""States that do not grow"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SEQUENCE, TOKEN, VALUE, WEIGHT
from .letter import group, sizes

_letter = group(__doc__)
_size = sizes(__doc__)

n_state = _size("n_state", ONE, "blocks that keep a state")
n_state_heads = _size(
    "n_state_heads",
    ONE,
    "heads of a block with a state",
    latex=r"n_{\text{heads}}^{\text{state}}",
    instead_of=("d_model",),
)
n_state_groups = _size(
    "n_state_groups",
    ONE,
    "groups of these heads, each of which shares keys and queries",
    latex=r"n_{\text{groups}}^{\text{state}}",
)
d_state_key = _size("d_state_key", ONE, "numbers of a key of a state", latex=r"d_{\text{key}}^{\text{state}}")
d_state_value = _size(
    "d_state_value",
    ONE,
    "numbers of a value of a state",
    latex=r"d_{\text{value}}^{\text{state}}",
    instead_of=("d_model",),
)
n_kernel = _size("n_kernel", ONE, "inputs of a convolution, the newest included")
n_conv = _size("n_conv", ONE, "blocks that are a gated short convolution, with no other state")
d_conv = _size(
    "d_conv",
    ONE,
    "channels of a block's convolution: where heads have states, numbers of keys, queries and values",
    instead_of=("d_model",),
)
n_products = _letter("n_products", ONE, "products of a token with a state: 3 of a delta rule, 2 of Mamba-2", whole=True)
n_bytes_state = _letter("n_bytes_state", BYTE / VALUE, "bytes of one number of a state", engine=True)
m_state = _letter("m_state", BYTE / SEQUENCE, "bytes all blocks with a state keep of a sequence")
m_conv = _letter("m_conv", BYTE / SEQUENCE, "bytes all blocks that are a convolution keep of a sequence")
C_state = _letter("C_state", FLOP / TOKEN, "operations of a token's products with the states")
P_state = _letter("P_state", WEIGHT, "weights of the matrices of a block with a state")
P_taps = _letter("P_taps", WEIGHT, "weights of a block's convolution")
P_state_norm = _letter("P_state_norm", WEIGHT, "weights of the norm of a block with a state", latex=r"P_{\text{norm}}")
