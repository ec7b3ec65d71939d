"""Several devices

A model too large for one device, or too slow on one, is shared out: every layer over devices that work on it together
(tensor parallel), the layers in stages (pipeline parallel), the experts, or the batch (data parallel). What devices
have to tell each other goes over links that are slower than memory, and each message takes its time to set out.
"""

ORDER = (
    "kv_heads_per_device",
    "least_kv_heads",
    "cache_bytes_per_device",
    "context_bytes_per_device",
    "context_bytes_read_per_device",
    "context_flops_per_device",
    "weights_per_device",
    "weights_read_per_device",
    "weights_held_per_device",
    "footprint_per_device",
    "sequences_on_devices",
    "attention_weights_not_shared",
    "data_parallel_crossover",
    "all_reduces",
    "all_reduce_bytes",
    "all_reduce_time",
    "tensor_parallel_latency",
    "separate_tensor_parallel_latency",
    "tensor_parallel_throughput",
    "one_more_device",
    "fastest_devices",
    "prompt_bytes_per_device",
    "prompt_context_flops_per_device",
    "prefill_flops_per_device",
    "tensor_parallel_prefill_time",
    "separate_tensor_parallel_prefill_time",
    "hop_time",
    "pipeline_time",
    "pipeline_throughput",
    "pipeline_bubble",
    "all_to_all_bytes",
)
