"""Chunked prefill"""

from __future__ import annotations

from ..units import BYTE, FLOP, ONE, SECOND, SEQUENCE, TOKEN, WEIGHT
from .letter import group

_letter = group(__doc__)

n_chunk = _letter("n_chunk", "p", TOKEN, "prompt tokens that one step processes", whole=True, engine="chunk")
N_prompt = _letter(
    "N_prompt", r"N_{\text{prompt}}", TOKEN / SEQUENCE, "prompt tokens up to the end of the chunk", whole=True
)
n_free = _letter("n_free", "p^{*}", TOKEN, "chunk at which arithmetic takes as long as reading", shown="p*")
T_mixed = _letter("T_mixed", r"T_{\text{mixed}}", SECOND, "time of a mixed step, which decodes and processes a chunk")
T_mixed_device = _letter(
    "T_mixed_device",
    r"T_{\text{mixed}}^{\text{device}}",
    SECOND,
    "time of a mixed step on devices that share every layer",
)
T_mixed_parts = _letter(
    "T_mixed_parts",
    r"T_{\text{mixed}}^{\text{parts}}",
    SECOND,
    "time of a mixed step whose attention waits until its matrices are done",
)
T_mixed_parts_device = _letter(
    "T_mixed_parts_device",
    r"T_{\text{mixed}}^{\text{parts, device}}",
    SECOND,
    "time of such a mixed step, part by part, on devices that share every layer",
)
C_chunk = _letter(
    "C_chunk", r"C_{\text{chunk}}", FLOP / TOKEN, "operations of a chunk's token with its prompt so far", varies=True
)
D_chunk = _letter(
    "D_chunk",
    r"D_{\text{chunk}}",
    BYTE / SEQUENCE,
    "bytes of its caches and states that a chunk moves for its prompt",
    varies=True,
)
C_chunk_device = _letter(
    "C_chunk_device",
    r"C_{\text{chunk}}^{\text{device}}",
    FLOP / TOKEN,
    "operations of a chunk's token with what a device keeps, on average",
    varies=True,
)
D_chunk_device = _letter(
    "D_chunk_device",
    r"D_{\text{chunk}}^{\text{device}}",
    BYTE / SEQUENCE,
    "bytes of its prompt that a device moves for a chunk, on average",
    varies=True,
)
n_distinct_mixed = _letter(
    "n_distinct_mixed", r"E_{\text{mixed}}", ONE, "experts of a block that a mixed step is expected to use", varies=True
)
P_mixed = _letter(
    "P_mixed", r"P_{\text{mixed}}", WEIGHT, "weights that a mixed step reads to multiply them", varies=True
)
D_weights_mixed = _letter(
    "D_weights_mixed",
    r"D_{\text{weights}}^{\text{mixed}}",
    BYTE,
    "bytes of the weights that a mixed step reads",
    varies=True,
)
n_distinct_chunk = _letter(
    "n_distinct_chunk",
    r"E_{\text{chunk}}",
    ONE,
    "experts of a block that a pass over chunks alone is expected to use",
    varies=True,
)
P_chunk = _letter(
    "P_chunk", r"P_{\text{chunk}}", WEIGHT, "weights that a pass over chunks alone reads to multiply them", varies=True
)
D_weights_chunk = _letter(
    "D_weights_chunk",
    r"D_{\text{weights}}^{\text{chunk}}",
    BYTE,
    "bytes of the weights that a pass over chunks alone reads",
    varies=True,
)
T_chunk = _letter(
    "T_chunk",
    r"T_{\text{chunk}}",
    SECOND,
    "time of a pass over chunks alone: the rest of prompts that are cached so far",
)
T_chunk_device = _letter(
    "T_chunk_device",
    r"T_{\text{chunk}}^{\text{device}}",
    SECOND,
    "time of a pass over chunks alone, on devices that share every layer",
)
T_chunk_parts = _letter(
    "T_chunk_parts",
    r"T_{\text{chunk}}^{\text{parts}}",
    SECOND,
    "time of a pass over chunks alone whose attention waits until its matrices are done",
)
T_chunk_parts_device = _letter(
    "T_chunk_parts_device",
    r"T_{\text{chunk}}^{\text{parts, device}}",
    SECOND,
    "time of such a pass over chunks, part by part, on devices that share every layer",
)
T_added = _letter("T_added", r"T_{\text{added}}", SECOND / TOKEN, "time that one more token of a chunk adds")
