"""Batching

The weights are read once for a whole batch, the arithmetic is done for each sequence. So there is a batch below
which the machine waits for memory and above which it waits for its arithmetic. With the reads of the KV cache
counted, that batch depends on the context, and beyond a critical context it does not exist.
"""

ORDER = (
    "ridge_point",
    "product_intensity",
    "attainable_flops",
    "smooth_attainable_flops",
    "batch_crossover",
    "memory_bound_batches",
    "token_crossover",
    "precision_invariance",
    "weight_quantization_gain",
    "full_quantization_gain",
    "latency_linearity",
    "batch_crossover_with_cache",
    "memory_bound_batches_with_cache",
    "critical_context",
    "crossover_existence",
    "memory_bound_contexts",
)
