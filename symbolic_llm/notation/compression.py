"""Compressed runs of tokens"""

from __future__ import annotations

from ..units import BYTE, ONE, SEQUENCE, TOKEN, WEIGHT
from .letter import group

_letter = group(__doc__)

n_csa = _letter("n_csa", r"n_{\text{CSA}}", ONE, "blocks with compressed sparse attention", whole=True, engine=True)
n_hca = _letter("n_hca", r"n_{\text{HCA}}", ONE, "blocks with heavily compressed attention", whole=True, engine=True)
r_csa = _letter(
    "r_csa",
    r"r_{\text{CSA}}",
    TOKEN / SEQUENCE,
    "tokens of a run that compressed sparse attention keeps one entry of",
    whole=True,
    engine=True,
)
r_hca = _letter(
    "r_hca",
    r"r_{\text{HCA}}",
    TOKEN / SEQUENCE,
    "tokens of a run that heavily compressed attention keeps one entry of",
    whole=True,
    engine=True,
)
n_output_groups = _letter(
    "n_output_groups",
    r"n_{\text{groups}}^{\text{out}}",
    ONE,
    "groups of heads whose output is brought to a short vector each",
    whole=True,
    aliases=("o_groups",),
    engine=True,
)
d_output = _letter(
    "d_output",
    r"d_{\text{out}}",
    ONE,
    "width of the short vector of a group of heads",
    whole=True,
    aliases=("o_lora_rank",),
    engine=True,
)
n_streams = _letter(
    "n_streams",
    r"n_{\text{streams}}",
    ONE,
    "residual streams",
    whole=True,
    aliases=("hc_mult", "altup_num_inputs"),
    engine=True,
    instead_of=("n_experts", "n_vocab", "d_model"),
)
d_streams = _letter("d_streams", r"d_{\text{streams}}", ONE, "width of all residual streams, side by side", whole=True)
P_compressor = _letter("P_compressor", r"P_{\text{compressor}}", WEIGHT, "weights of one compressor's matrices")
P_beside = _letter(
    "P_beside", r"P_{\text{beside}}", WEIGHT, "norms, sinks and places of all blocks' compressed attention"
)
P_streams = _letter("P_streams", r"P_{\text{streams}}", WEIGHT, "weights of the matrices that mix residual streams")
P_mixing = _letter("P_mixing", r"P_{\text{mixing}}", WEIGHT, "biases and scales beside these matrices")
m_waiting = _letter(
    "m_waiting", r"m_{\text{waiting}}", BYTE / SEQUENCE, "bytes that the compressors of all blocks hold of a sequence"
)
D_waiting = _letter(
    "D_waiting",
    r"D_{\text{waiting}}",
    BYTE / SEQUENCE,
    "bytes of its unfinished runs that a step reads of a sequence, on average over a run",
)
