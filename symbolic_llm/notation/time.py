"""Time"""

from __future__ import annotations

from ..units import SECOND, TOKEN
from .letter import group

_letter = group(__doc__)

T_memory = _letter("T_memory", r"T_{\text{memory}}", SECOND, "time to read the weights once")
T_compute = _letter("T_compute", r"T_{\text{compute}}", SECOND, "time to do the arithmetic of one decoding step")
T_step = _letter("T_step", r"T_{\text{step}}", SECOND, "latency of one decoding step", aliases=("T",))
T_target = _letter("T_target", r"T_{\text{target}}", SECOND, "time that a decoding step may take", engine="target")
T_memory_cache = _letter(
    "T_memory_cache", r"T_{\text{memory}}^{\text{kv}}", SECOND, "time to read the weights and the KV cache"
)
T_compute_cache = _letter(
    "T_compute_cache", r"T_{\text{compute}}^{\text{kv}}", SECOND, "time for a step's arithmetic, attention counted"
)
R = _letter("R", "R", TOKEN / SECOND, "throughput: tokens per second of the whole batch")
T_prefill = _letter("T_prefill", r"T_{\text{prefill}}", SECOND, "time to the end of the prompt")
T_decode = _letter("T_decode", r"T_{\text{decode}}", SECOND, "time of the decoding steps of an answer")
T_output = _letter("T_output", r"T_{\text{out}}", SECOND, "time per output token after the first, on average")
T_generation = _letter("T_generation", r"T_{\text{gen}}", SECOND, "time of a request: prompt and answer")
