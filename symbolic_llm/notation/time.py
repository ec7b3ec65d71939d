"""Time"""

from __future__ import annotations

from ..units import SECOND, TOKEN
from .letter import group

_letter = group(__doc__)

T_memory = _letter("T_memory", SECOND, "time to read the weights once")
T_compute = _letter("T_compute", SECOND, "time to do the arithmetic of one decoding step")
T_step = _letter("T_step", SECOND, "latency of one decoding step", aliases=("T",))
T_target = _letter("T_target", SECOND, "time that a decoding step may take", engine="target")
T_memory_cache = _letter(
    "T_memory_cache", SECOND, "time to read the weights and the KV cache", latex=r"T_{\text{memory}}^{\text{kv}}"
)
T_compute_cache = _letter(
    "T_compute_cache",
    SECOND,
    "time for a step's arithmetic, attention counted",
    latex=r"T_{\text{compute}}^{\text{kv}}",
)
R = _letter("R", TOKEN / SECOND, "throughput: tokens per second of the whole batch")
T_prefill = _letter("T_prefill", SECOND, "time to the end of the prompt")
T_decode = _letter("T_decode", SECOND, "time of the decoding steps of an answer")
T_output = _letter("T_output", SECOND, "time per output token after the first, on average", latex=r"T_{\text{out}}")
T_generation = _letter("T_generation", SECOND, "time of a request: prompt and answer", latex=r"T_{\text{gen}}")
