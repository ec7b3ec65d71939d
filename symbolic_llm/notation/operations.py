"""Operations"""

from __future__ import annotations

from ..units import FLOP, TOKEN
from .letter import group

_letter = group(__doc__)

C_vector = _letter("C_vector", r"C_{\text{mv}}", FLOP, "operations of a matrix–vector product")
C_matrix = _letter("C_matrix", r"C_{\text{mm}}", FLOP, "operations of a matrix–matrix product")
C_decode = _letter("C_decode", r"C_{\text{decode}}", FLOP, "operations of one decoding step")
C_step = _letter(
    "C_step", r"C_{\text{step}}", FLOP, "operations of one decoding step, those beside matrix products too", varies=True
)
C_prefill = _letter("C_prefill", r"C_{\text{prefill}}", FLOP, "operations of a prefill", varies=True)
C_token = _letter("C_token", r"C_{\text{token}}", FLOP / TOKEN, "operations of decoding one token")
