"""Compressed runs of tokens"""

from __future__ import annotations

from ..units import BYTE, ONE, SEQUENCE, TOKEN, WEIGHT
from .letter import group

_letter = group(__doc__)

n_csa = _letter(
    "n_csa", ONE, "blocks with compressed sparse attention", latex=r"n_{\text{CSA}}", whole=True, engine=True
)
n_hca = _letter(
    "n_hca", ONE, "blocks with heavily compressed attention", latex=r"n_{\text{HCA}}", whole=True, engine=True
)
r_csa = _letter(
    "r_csa",
    TOKEN / SEQUENCE,
    "tokens of a run that compressed sparse attention keeps one entry of",
    latex=r"r_{\text{CSA}}",
    whole=True,
    engine=True,
)
r_hca = _letter(
    "r_hca",
    TOKEN / SEQUENCE,
    "tokens of a run that heavily compressed attention keeps one entry of",
    latex=r"r_{\text{HCA}}",
    whole=True,
    engine=True,
)
n_output_groups = _letter(
    "n_output_groups",
    ONE,
    "groups of heads whose output is brought to a short vector each",
    latex=r"n_{\text{groups}}^{\text{out}}",
    whole=True,
    aliases=("o_groups",),
    engine=True,
)
d_output = _letter(
    "d_output",
    ONE,
    "width of the short vector of a group of heads",
    latex=r"d_{\text{out}}",
    whole=True,
    aliases=("o_lora_rank",),
    engine=True,
)
n_streams = _letter(
    "n_streams",
    ONE,
    "residual streams",
    whole=True,
    aliases=("hc_mult", "altup_num_inputs"),
    engine=True,
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
