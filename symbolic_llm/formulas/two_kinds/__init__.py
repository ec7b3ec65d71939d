"""Heads of two kinds

Gemma 4 attends to a window in most blocks, and in the others to the whole context with fewer and wider key/value heads,
whose keys and values come from one matrix. So a token takes other bytes and other operations in the two kinds of
blocks: what the windows save of the cache is another share than what they save of the arithmetic.
"""

ORDER = (
    "shared_key_attention_parameters",
    "router_scale_parameters",
    "local_kv_bytes_per_token",
    "global_kv_bytes_per_token",
    "twofold_kv_bytes_per_token",
    "twofold_kept_context",
    "local_attention_flops",
    "global_attention_flops",
    "twofold_attention_flops",
    "twofold_met_context",
    "twofold_prompt_attention_flops",
    "twofold_multiplied_parameters",
    "twofold_expert_multiplied_parameters",
    "twofold_parameters",
    "twofold_expert_parameters",
    "twofold_context_that_fits",
    "twofold_decode_product_flops",
    "twofold_causal_prefill_flops",
    "twofold_compute_time",
    "twofold_latency",
    "twofold_separate_latency",
    "twofold_throughput",
    "twofold_batch_crossover",
    "twofold_expert_batch_crossover",
    "twofold_critical_context",
)
