"""Prefill and decode apart"""

from __future__ import annotations

from ..units import BYTE, ONE, SECOND, TOKEN
from .letter import group

_letter = group(__doc__)

R_prefill = _letter("R_prefill", r"R_{\text{prefill}}", TOKEN / SECOND, "prefill throughput: prompt tokens per second")
R_in = _letter(
    "R_in", r"\lambda_{\text{in}}", TOKEN / SECOND, "prompt tokens that arrive per second", engine="arriving"
)
R_out = _letter("R_out", r"\lambda_{\text{out}}", TOKEN / SECOND, "tokens to be generated per second", engine="wanted")
n_apart = _letter(
    "n_apart", r"n_{\text{apart}}", ONE, "devices on average, each of which only prefills or only decodes"
)
W_transfer = _letter(
    "W_transfer",
    r"W_{\text{transfer}}",
    BYTE / SECOND,
    "bandwidth of the link over which a prefill's cache is handed on: often between nodes, and slower than W_link",
    engine="transfer",
)
T_handover = _letter(
    "T_handover", r"T_{\text{handover}}", SECOND, "time to hand the caches of a prefill on to the device that decodes"
)
