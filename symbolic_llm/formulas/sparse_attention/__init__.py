"""Sparse attention

An index keeps one short key of each token beside its latent vector. It meets all of them and picks some two thousand
tokens; attention reads the latent vectors of these alone. What is kept grows by the keys, what is read of a long
context falls. DeepSeek-V3.2 has it in every block; GLM-5.2 has blocks between that read what the last index picked.
"""

ORDER = (
    "index_parameters",
    "index_bytes_per_token",
    "cached_latent_bytes_per_token",
    "picked_context",
    "index_flops_per_context_token",
    "attention_flops_per_picked_token",
    "fewer_bytes_context",
    "fewer_flops_context",
    "picking_reads_less",
)
