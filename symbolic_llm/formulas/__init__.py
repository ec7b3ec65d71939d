"""The formulas, one file each; a folder is a chapter

`CHAPTERS` is the order in which a reader meets them. A chapter that is not named here comes last.
"""

CHAPTERS = (
    "parameters",
    "quantization",
    "kv_cache",
    "memory",
    "compute",
    "attention",
    "latency",
    "batching",
    "chunked_prefill",
    "speculation",
    "apart",
    "cost",
    "decoders",
    "experts",
    "latent_attention",
    "sparse_attention",
    "compressed_attention",
    "states",
    "two_kinds",
    "devices",
)
