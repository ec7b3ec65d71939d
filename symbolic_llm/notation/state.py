"""States that do not grow"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SEQUENCE, TOKEN, VALUE, WEIGHT
from .letter import group

_letter = group(__doc__)

n_state = _letter("n_state", r"n_{\text{state}}", ONE, "blocks that keep a state", whole=True, engine=True)
n_state_heads = _letter(
    "n_state_heads",
    r"n_{\text{heads}}^{\text{state}}",
    ONE,
    "heads of a block with a state",
    whole=True,
    engine=True,
    instead_of=("d_model",),
)
n_state_groups = _letter(
    "n_state_groups",
    r"n_{\text{groups}}^{\text{state}}",
    ONE,
    "groups of these heads, each of which shares keys and queries",
    whole=True,
    engine=True,
)
d_state_key = _letter(
    "d_state_key", r"d_{\text{key}}^{\text{state}}", ONE, "numbers of a key of a state", whole=True, engine=True
)
d_state_value = _letter(
    "d_state_value",
    r"d_{\text{value}}^{\text{state}}",
    ONE,
    "numbers of a value of a state",
    whole=True,
    engine=True,
    instead_of=("d_model",),
)
n_kernel = _letter(
    "n_kernel", r"n_{\text{kernel}}", ONE, "inputs of a convolution, the newest included", whole=True, engine=True
)
n_conv = _letter(
    "n_conv", r"n_{\text{conv}}", ONE, "blocks that are a gated short convolution, with no other state", whole=True,
    engine=True,
)  # fmt: skip
d_conv = _letter(
    "d_conv", r"d_{\text{conv}}", ONE,
    "channels of a block's convolution: where heads have states, numbers of keys, queries and values", whole=True,
    engine=True, instead_of=("d_model",))  # fmt: skip
n_products = _letter(
    "n_products", r"n_{\text{products}}", ONE, "products of a token with a state: 3 of a delta rule, 2 of Mamba-2",
    whole=True,
)  # fmt: skip
n_bytes_state = _letter(
    "n_bytes_state", r"n_{\text{bytes}}^{\text{state}}", BYTE / VALUE, "bytes of one number of a state", engine=True
)
m_state = _letter("m_state", r"m_{\text{state}}", BYTE / SEQUENCE, "bytes all blocks with a state keep of a sequence")
m_conv = _letter(
    "m_conv", r"m_{\text{conv}}", BYTE / SEQUENCE, "bytes all blocks that are a convolution keep of a sequence"
)
C_state = _letter("C_state", r"C_{\text{state}}", FLOP / TOKEN, "operations of a token's products with the states")
P_state = _letter("P_state", r"P_{\text{state}}", WEIGHT, "weights of the matrices of a block with a state")
P_taps = _letter("P_taps", r"P_{\text{taps}}", WEIGHT, "weights of a block's convolution")
P_state_norm = _letter("P_state_norm", r"P_{\text{norm}}", WEIGHT, "weights of the norm of a block with a state")
