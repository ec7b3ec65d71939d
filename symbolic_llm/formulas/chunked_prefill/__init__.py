"""Chunked prefill

A server need not stop decoding while a new prompt comes in: it takes the prompt in chunks, each in a step that decodes
one token for every other sequence as well. The weights are read once for both. While a step waits for memory, tokens of
a prompt can use the arithmetic that would be idle; beyond that they cost what they compute. The chunk is of one prompt;
as in a prefill, each of its tokens meets the whole prompt so far, those of the chunk that come later too.
"""

ORDER = (
    "mixed_step_time",
    "separate_mixed_step_time",
    "mixed_step_bounds_below",
    "mixed_parts_bound_alike",
    "free_chunk",
    "free_chunk_with_attention",
    "memory_bound_chunks",
    "chunk_price",
    "cached_prefill_time",
)
