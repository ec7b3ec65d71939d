"""Formulas and chapters that have another name now, or that others have taken in

Pages and papers link to a formula by its name and to a chapter by its address, so an old one goes on saying which is
meant.
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

_IN_THE_CONTEXT = ("context_that_fits", "critical_context")

# What is a sum over the parts of a decoder: its kinds, by the one that is written out, and the sums of what is kept
_WHOLES = {
    "llama": ("hybrid", "latent", "sparse", "twofold"),
    "mixtral": ("compressed", "hybrid_expert", "latent_expert", "moe", "sparse_expert", "twofold_expert"),
}
_KEPT = {
    "attention_flops_per_context_token": (
        *("global_attention_flops", "hybrid_attention_flops_per_context_token", "twofold_attention_flops"),
    ),
    "context_bytes": ("compressed_context_bytes", "hybrid_context_bytes"),
    "context_bytes_read": ("hybrid_context_traffic", "sparse_attention_bytes"),
    "context_flops": ("hybrid_context_flops", "sparse_attention_flops"),
    "context_that_fits": ("hybrid_context_that_fits",),
    "critical_context": ("hybrid_critical_context",),
    "decode_time_with_cache": ("hybrid_decode_time",),
    "request_time": ("hybrid_request_time",),
    "time_per_output_token": ("hybrid_time_per_output_token",),
    "kv_bytes_per_token": tuple(
        f"{kind}_kv_bytes_per_token" for kind in ("compressed", "global", "hybrid", "sparse", "twofold")
    ),
    "prompt_bytes_read": ("hybrid_prompt_traffic",),
    "prompt_context_flops": ("hybrid_prompt_flops",),
}

# What is as many vectors of some width
_VECTORS = (
    *("attention_output_biases", "attention_sink_parameters", "compressed_query_norm_parameters"),
    "convolution_biases",
    *("delta_vector_parameters", "gated_mlp_biases", "index_norm_parameters", "latent_norm_parameters"),
    *("layer_norm_parameters", "mamba_head_parameters", "mamba_vector_parameters", "mlp_biases"),
    *("query_key_norm_parameters", "rms_norm_parameters", "router_biases", "router_scale_parameters"),
    "vocabulary_biases",
)

# The name of today, by each that was
RENAMED: Mapping[str, str] = MappingProxyType(
    {f"{kind}_{law}": _LAWS[law] for kind, laws in _OF_ONE_KIND.items() for law in laws}
    | {
        f"{kind}_{what}": f"{plain}_{what}"
        for plain, kinds in _WHOLES.items()
        for kind in kinds
        for what in ("parameters", "multiplied_parameters")
    }
    | {f"{which}{law}": law for law in _IN_THE_CONTEXT for which in ("windowed_", "all_windowed_")}
    | {name: plain for plain, names in _KEPT.items() for name in names}
    | dict.fromkeys(_VECTORS, "vector_parameters")
    | {
        "compressed_kept_context": "context_bytes",
        "latent_down_parameters": "latent_key_value_parameters",
        "mixed_step_bounds_above": "step_bounds_above",
        "query_down_parameters": "compressed_query_parameters",
        "tokens_per_expert": "sequences_per_expert",
        "expert_weights_held_per_device": "weights_held_per_device",
        "expert_weights_per_device": "weights_per_device",
        "key_value_weights_per_device": "weights_per_device",
        "latent_attention_weights_not_shared": "attention_weights_not_shared",
        "latent_cache_bytes_per_device": "cache_bytes_per_device",
        "latent_weights_per_device": "weights_per_device",
        "prompt_weights_read_per_device": "weights_read_per_device",
        "qwen3_parameters": "llama_parameters",
        "shared_moe_multiplied_parameters": "mixtral_multiplied_parameters",
        "hybrid_cache_bytes": "kv_bytes_total",
        "hybrid_kept_context": "context_bytes",
        "hybrid_prefill_product_flops": "prefill_product_flops",
        "hybrid_prefill_time": "prefill_time_with_attention",
        "kept_context": "context_bytes",
        "twofold_causal_prefill_flops": "causal_prompt_context_flops",
        "twofold_context_that_fits": "context_that_fits",
        "twofold_critical_context": "critical_context",
        "twofold_expert_batch_crossover": "expert_batch_crossover",
        "twofold_kept_context": "windowed_context_bytes",
        "twofold_met_context": "context_flops",
        "twofold_prompt_attention_flops": "prompt_attention_flops",
        "windowed_causal_prefill_flops": "causal_prompt_context_flops",
        "windowed_decode_time_with_cache": "decode_time_with_cache",
        "windowed_kept_context": "windowed_context_bytes",
        "windowed_kv_bytes_read_while_generating": "kv_bytes_read_while_generating",
        "windowed_request_time": "request_time",
        "windowed_time_per_output_token": "time_per_output_token",
        "local_attention_flops": "attention_flops_per_context_token",
        "position_parameters": "embedding_parameters",
        "prompt_all_reduce_bytes": "all_reduce_bytes",
        "prompt_all_reduce_time": "all_reduce_time",
        **{f"{family}_prefill_flops": "prefill_flops" for family in ("gpt2", "llama", "mixtral", "qwen3")},
        "schematic_parameters": "total_parameters",
        "scaled_attention_flops": "textbook_attention_flops",
        "shared_gate_parameters": "vector_parameters",
        "state_bytes_per_block": "state_bytes",
        "windowed_context_flops": "context_flops",
        "all_windowed_largest_context": "largest_context",
        "causal_prefill_flops": "causal_prompt_context_flops",
        "cheapest_batch": "batch_within_target",
        "data_parallel_cache_bytes": "kv_bytes_total",
        "data_parallel_reads_less": "data_parallel_crossover",
        "decode_attention_intensity_limit": "decode_attention_intensity",
        "drafts_too_slow": "one_more_drafted_token",
        "grouped_cache_intensity": "cache_intensity",
        "largest_load": "balanced_load",
        "last_logits_prefill_flops": "prefill_product_flops",
        "memory_bound_attention": "cache_intensity",
        "output_cost_ratio": "output_cost_ratio_with_cache",
        "pipeline_latency": "pipeline_time",
        "prefill_to_decode_ratio": "devices_apart",
        "shared_prefix_saving": "shared_prefix_bytes",
        "tiling_saving": "tiling_break_even",
        "window_saving": "windowed_context_bytes",
    }
)

# The pages that say today what a page said that was, by its path
DIVIDED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"book/models-that-bend.md": ("book/experts.md", "book/windows-and-latents.md", "book/states-and-indexes.md")}
)
