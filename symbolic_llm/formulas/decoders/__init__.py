"""Real decoders

The decoders that people run differ from the block of the articles: groups of heads share keys and values, the MLP has
three matrices and a width of its own, norms have weights, the output matrix is not the embedding. Each part has a
formula here; a model is their sum, and the block of the articles a special case.
"""

ORDER = (
    "grouped_attention_parameters",
    "query_output_parameters",
    "query_key_value_biases",
    "attention_gate_parameters",
    "plain_mlp_parameters",
    "gated_mlp_parameters",
    "activation_parameters",
    "vector_parameters",
    "joint_query_key_norm_parameters",
    "projection_parameters",
    "llama_multiplied_parameters",
    "llama_parameters",
    "gpt2_multiplied_parameters",
    "gpt2_parameters",
    "schematic_parameters",
    "llama_decode_flops",
    "llama_prefill_flops",
    "qwen3_decode_flops",
    "qwen3_prefill_flops",
    "gpt2_decode_flops",
    "gpt2_prefill_flops",
)
