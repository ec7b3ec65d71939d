"""Heads

Attention of a block: queries of all heads, keys and values that groups of heads share, and a matrix that leads back.
The keys and values of a token are kept, and each new token meets them.

Some decoders have heads of two kinds. Gemma 4 attends to a window in most blocks, and in the others to the whole
context with fewer and wider key/value heads, whose keys and values come from one matrix. In its small ones the last
blocks attend to what the last block of their kind before them keeps, so they have matrices for queries and output
alone. In MiMo-V2-Flash values are narrower than keys: what is kept of a token is a sum of both.
"""

ORDER = (
    "grouped_attention_parameters",
    "query_output_parameters",
    "two_width_attention_parameters",
    "shared_key_attention_parameters",
    "attention_gate_parameters",
    "kv_bytes_per_token_and_layer",
    "kv_bytes_per_token",
    "multi_head_kv_bytes_per_token",
    "attention_flops_per_context_token",
    "multi_head_attention_flops_per_context_token",
    "prompt_attention_flops",
)
