"""KV cache

A new token attends to all tokens before it. Their keys and values do not change, so they are kept instead of computed
again. What is kept grows with every token of every sequence, and is read again for every new token.
"""

ORDER = (
    "context_bytes",
    "kv_bytes_total",
    "pages_of_a_sequence",
    "page_bytes",
    "paged_cache_bytes",
    "context_bytes_read",
    "prompt_bytes_read",
    "kv_bytes_read_while_generating",
)
