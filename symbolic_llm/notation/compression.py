"""Compressed runs of tokens"""

from __future__ import annotations

from ..units import BYTE, ONE, SEQUENCE, TOKEN, WEIGHT
from .letter import group, sizes

_letter = group(__doc__)
_size = sizes(__doc__)

n_csa = _size("n_csa", ONE, "blocks with compressed sparse attention", latex=r"n_{\text{CSA}}")
n_hca = _size("n_hca", ONE, "blocks with heavily compressed attention", latex=r"n_{\text{HCA}}")
r_csa = _size(
    "r_csa",
    TOKEN / SEQUENCE,
    "tokens of a run that compressed sparse attention keeps one entry of",
    latex=r"r_{\text{CSA}}",
)
r_hca = _size(
    "r_hca",
    TOKEN / SEQUENCE,
    "tokens of a run that heavily compressed attention keeps one entry of",
    latex=r"r_{\text{HCA}}",
)
n_output_groups = _size(
    "n_output_groups",
    ONE,
    "groups of heads whose output is brought to a short vector each",
    latex=r"n_{\text{groups}}^{\text{out}}",
    aliases=("o_groups",),
)
d_output = _size(
    "d_output", ONE, "width of the short vector of a group of heads", latex=r"d_{\text{out}}", aliases=("o_lora_rank",)
)
n_streams = _size(
    "n_streams",
    ONE,
    "residual streams",
    aliases=("hc_mult", "altup_num_inputs"),
    instead_of=("n_experts", "n_vocab", "d_model"),
)
d_streams = _letter("d_streams", ONE, "width of all residual streams, side by side", whole=True)
P_compressor = _letter("P_compressor", WEIGHT, "weights of one compressor's matrices")
P_beside = _letter("P_beside", WEIGHT, "norms, sinks and places of all blocks' compressed attention")
P_streams = _letter("P_streams", WEIGHT, "weights of the matrices that mix residual streams")
P_mixing = _letter("P_mixing", WEIGHT, "biases and scales beside these matrices")
m_waiting = _letter("m_waiting", BYTE / SEQUENCE, "bytes that the compressors of all blocks hold of a sequence")
D_waiting = _letter(
    "D_waiting", BYTE / SEQUENCE, "bytes of its unfinished runs that a step reads of a sequence, on average over a run"
)
