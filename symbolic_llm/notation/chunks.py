"""Chunked prefill"""

from __future__ import annotations

from ..units import SECOND, SEQUENCE, TOKEN
from .letter import declare as letter

n_chunk = letter("n_chunk", "p", TOKEN, "tokens of a prompt that one step takes in", whole=True, engine="chunk")
N_prompt = letter(
    "N_prompt", r"N_{\text{prompt}}", TOKEN / SEQUENCE, "tokens of that prompt up to the end of the chunk", whole=True
)
n_free = letter("n_free", "p^{*}", TOKEN, "chunk at which arithmetic takes as long as reading", shown="p*")
T_mixed = letter("T_mixed", r"T_{\text{mixed}}", SECOND, "time of a step that decodes and takes in a chunk")
T_added = letter("T_added", r"T_{\text{added}}", SECOND / TOKEN, "time that one more token of a chunk adds")
