"""Latent attention

DeepSeek's multi-head latent attention keeps one compressed vector for each token in place of the keys and values of all
heads, and beside it a few numbers that carry the position. Queries may be compressed too.
"""

ORDER = (
    "latent_key_value_parameters",
    "full_query_parameters",
    "compressed_query_parameters",
    "latent_kv_bytes_per_token",
    "expanded_kv_bytes_per_token",
    "latent_attention_flops_per_context_token",
    "latent_prompt_attention_flops",
    "expanded_decode_flops",
)
