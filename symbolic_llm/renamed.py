"""Formulas that have another name now, or that one for all decoders has taken in

Pages and papers link to a formula by its name, so an old name goes on saying which one is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_LAWS = {
    "batch_crossover": "batch_crossover_with_cache",
    "compute_time": "compute_time_with_attention",
    "decode_product_flops": "decode_product_flops",
    "latency": "latency_with_cache",
    "memory_time": "memory_time_with_cache",
    "separate_latency": "separate_latency",
    "throughput": "throughput_with_cache",
}
_OF_ONE_KIND = {
    "hybrid": tuple(_LAWS),
    "twofold": tuple(name for name in _LAWS if name != "memory_time"),
    "sparse": tuple(name for name in _LAWS if name != "batch_crossover"),
}

# The name of today, by each that was
RENAMED: Mapping[str, str] = MappingProxyType(
    {f"{kind}_{law}": _LAWS[law] for kind, laws in _OF_ONE_KIND.items() for law in laws}
    | {
        "compressed_kept_context": "compressed_context_bytes",
        "hybrid_cache_bytes": "kv_bytes_total",
        "hybrid_kept_context": "hybrid_context_bytes",
        "hybrid_prefill_product_flops": "prefill_product_flops",
        "hybrid_prefill_time": "prefill_time_with_attention",
        "kept_context": "context_bytes",
        "twofold_causal_prefill_flops": "windowed_causal_prefill_flops",
        "twofold_context_that_fits": "windowed_context_that_fits",
        "twofold_critical_context": "windowed_critical_context",
        "twofold_expert_batch_crossover": "expert_batch_crossover",
        "twofold_kept_context": "windowed_context_bytes",
        "twofold_met_context": "windowed_context_flops",
        "twofold_prompt_attention_flops": "prompt_attention_flops",
        "windowed_kept_context": "windowed_context_bytes",
    }
)
