"""Operations"""

from __future__ import annotations

from ..units import FLOP, TOKEN
from .letter import group

_letter = group(__doc__)

C_vector = _letter("C_vector", FLOP, "operations of a matrix–vector product", latex=r"C_{\text{mv}}")
C_matrix = _letter("C_matrix", FLOP, "operations of a matrix–matrix product", latex=r"C_{\text{mm}}")
C_decode = _letter("C_decode", FLOP, "operations of one decoding step")
C_step = _letter("C_step", FLOP, "operations of one decoding step, those beside matrix products too", varies=True)
C_prefill = _letter("C_prefill", FLOP, "operations of a prefill", varies=True)
C_token = _letter("C_token", FLOP / TOKEN, "operations of decoding one token")
