"""Attention

One head, a sequence of N tokens, vectors of d numbers: S = Q·Kᵀ, A = softmax(S), O = A·V (articles write P for A, which
counts weights here). The textbook algorithm writes the N × N matrices S and A to memory and reads them back; counted
line by line, that is most of what it moves. Here N and d are plain counts of rows and columns.
"""

ORDER = (
    "textbook_attention_bytes",
    "textbook_attention_flops",
    "attention_intensity",
    "attention_intensity_limit",
    "decode_attention_bytes",
    "decode_attention_flops",
    "decode_attention_intensity",
    "stable_softmax_flops",
    "stable_attention_flops",
    "scaled_attention_bytes",
    "tiled_attention_bytes",
    "tiled_attention_flops",
    "tile_bytes",
    "tiled_attention_traffic",
    "tiling_break_even",
    "cache_intensity",
    "shared_prefix_bytes",
    "shared_prefix_crossover",
)
