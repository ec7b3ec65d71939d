"""Prefill and decode apart"""

from __future__ import annotations

from ..units import BYTE, ONE, SECOND, TOKEN
from .letter import group

_letter = group(__doc__)

R_prefill = _letter("R_prefill", TOKEN / SECOND, "prefill throughput: prompt tokens per second")
R_in = _letter(
    "R_in", TOKEN / SECOND, "prompt tokens that arrive per second", latex=r"\lambda_{\text{in}}", engine="arriving"
)
R_out = _letter(
    "R_out", TOKEN / SECOND, "tokens to be generated per second", latex=r"\lambda_{\text{out}}", engine="wanted"
)
n_apart = _letter("n_apart", ONE, "devices on average, each of which only prefills or only decodes")
W_transfer = _letter(
    "W_transfer",
    BYTE / SECOND,
    "bandwidth of the link over which a prefill's cache is handed on: often between nodes, and slower than W_link",
    engine="transfer",
)
T_handover = _letter("T_handover", SECOND, "time to hand the caches of a prefill on to the device that decodes")
