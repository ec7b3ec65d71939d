"""States that do not grow

Some models have attention in a few blocks only. The others keep a state of a sequence, one matrix for each head, and
the last inputs of a short convolution: gated delta rules in Qwen3-Next, Mamba-2 in Nemotron-H. However long the
sequence is, they keep no more, and read no more.
"""

ORDER = (
    "delta_matrix_parameters",
    "delta_vector_parameters",
    "mamba_matrix_parameters",
    "mamba_vector_parameters",
    "convolution_parameters",
    "convolution_biases",
    "state_bytes_per_block",
    "state_bytes",
    "hybrid_kv_bytes_per_token",
    "hybrid_context_bytes",
    "hybrid_context_traffic",
    "hybrid_prompt_traffic",
    "hybrid_attention_flops_per_context_token",
    "state_product_flops",
    "hybrid_context_flops",
    "hybrid_prompt_flops",
    "hybrid_multiplied_parameters",
    "hybrid_expert_multiplied_parameters",
    "hybrid_parameters",
    "hybrid_expert_parameters",
    "hybrid_context_that_fits",
    "hybrid_decode_time",
    "hybrid_time_per_output_token",
    "hybrid_request_time",
    "hybrid_critical_context",
)
