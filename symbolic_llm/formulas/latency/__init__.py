"""Latency

A machine does F operations and moves W bytes a second. Where it overlaps the two, a pass takes as long as the
longer of them. These are laws of a model machine: no overhead, no contention, every byte at full bandwidth. Real
machines stay below; by how much is a measurement, not algebra.
"""

ORDER = (
    "product_time",
    "memory_time",
    "compute_time",
    "latency",
    "latency_with_cache",
    "separate_latency",
    "step_bounds_below",
    "parts_bound_alike",
    "step_bounds_above",
    "batch_read_in_time",
    "batch_computed_in_time",
    "batch_within_target",
    "largest_batch",
    "batch_limits",
    "throughput",
    "throughput_with_cache",
    "prefill_time",
    "prefill_time_with_attention",
    "separate_prefill_time",
    "generation_time",
    "decode_time_with_cache",
    "time_per_output_token",
    "request_time",
    "read_time_with_overhead",
    "quantization_gain",
    "quantization_gain_bound",
    "quantization_gain_limit",
    "memory_bandwidth_utilization",
    "model_flops_utilization",
)
