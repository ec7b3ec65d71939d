"""Chunked prefill"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SECOND, SEQUENCE, TOKEN, WEIGHT
from .letter import group

_letter = group(__doc__)

n_chunk = _letter("n_chunk", TOKEN, "prompt tokens that one step processes", latex="p", whole=True, engine="chunk")
N_prompt = _letter(
    "N_prompt", TOKEN / SEQUENCE, "prompt tokens up to the end of the chunk", whole=True, at_least=n_chunk
)
n_free = _letter("n_free", TOKEN, "chunk at which arithmetic takes as long as reading", latex="p^{*}", shown="p*")
T_mixed = _letter("T_mixed", SECOND, "time of a mixed step, which decodes and processes a chunk")
T_mixed_device = _letter("T_mixed_device", SECOND, "time of a mixed step on devices that share every layer")
T_mixed_parts = _letter(
    "T_mixed_parts", SECOND, "time of a mixed step whose attention waits until its matrices are done"
)
T_mixed_parts_device = _letter(
    "T_mixed_parts_device", SECOND, "time of such a mixed step, part by part, on devices that share every layer"
)
C_chunk = _letter("C_chunk", FLOP / TOKEN, "operations of a chunk's token with its prompt so far", varies=True)
D_chunk = _letter(
    "D_chunk", BYTE / SEQUENCE, "bytes of its caches and states that a chunk moves for its prompt", varies=True
)
C_chunk_device = _letter(
    "C_chunk_device", FLOP / TOKEN, "operations of a chunk's token with what a device keeps, on average", varies=True
)
D_chunk_device = _letter(
    "D_chunk_device", BYTE / SEQUENCE, "bytes of its prompt that a device moves for a chunk, on average", varies=True
)
n_distinct_mixed = _letter(
    "n_distinct_mixed",
    ONE,
    "experts of a block that a mixed step is expected to use",
    latex=r"E_{\text{mixed}}",
    varies=True,
)
P_mixed = _letter("P_mixed", WEIGHT, "weights that a mixed step reads to multiply them", varies=True)
D_weights_mixed = _letter("D_weights_mixed", BYTE, "bytes of the weights that a mixed step reads", varies=True)
n_distinct_chunk = _letter(
    "n_distinct_chunk",
    ONE,
    "experts of a block that a pass over chunks alone is expected to use",
    latex=r"E_{\text{chunk}}",
    varies=True,
)
P_chunk = _letter("P_chunk", WEIGHT, "weights that a pass over chunks alone reads to multiply them", varies=True)
D_weights_chunk = _letter(
    "D_weights_chunk", BYTE, "bytes of the weights that a pass over chunks alone reads", varies=True
)
T_chunk = _letter("T_chunk", SECOND, "time of a pass over chunks alone: the rest of prompts that are cached so far")
T_chunk_device = _letter(
    "T_chunk_device", SECOND, "time of a pass over chunks alone, on devices that share every layer"
)
T_chunk_parts = _letter(
    "T_chunk_parts", SECOND, "time of a pass over chunks alone whose attention waits until its matrices are done"
)
T_chunk_parts_device = _letter(
    "T_chunk_parts_device", SECOND, "time of such a pass over chunks, part by part, on devices that share every layer"
)
T_added = _letter("T_added", SECOND / TOKEN, "time that one more token of a chunk adds")
