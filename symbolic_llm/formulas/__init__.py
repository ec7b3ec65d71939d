"""The formulas, one file each; a folder is a chapter

A decoder is a sum of parts, so there are three storeys. Parts are what a decoder is made of: what each weighs, keeps,
moves and computes. Sums say the same of whole decoders. Laws say, in the letters of sums, how long a machine takes and
what it holds. `STOREYS` is the order in which a reader meets them; a chapter that is not named here comes last.
"""

STOREYS = {
    "Parts": (
        *("embedding", "heads", "windows", "latent_attention", "sparse_attention", "compressed_attention", "states"),
        *("mlp", "experts", "vectors"),
    ),
    "Sums": ("parameters", "decoders", "weights", "quantization", "kv_cache", "compute"),
    "Laws": (
        *(
            "latency",
            "batching",
            "memory",
            "chunked_prefill",
            "speculation",
            "disaggregation",
            "server_load",
            "cost",
            "devices",
            "offloading",
            "attention",
        ),
    ),
}
INTRODUCTIONS = {
    "Parts": "What a decoder is made of: what each part weighs, keeps and moves of a sequence, and computes.",
    "Sums": "What parts add up to, in decoders that are written out whole and in any other.",
    "Laws": "How long a machine takes and what fits on it, in the letters of sums: said once, for every decoder.",
}
CHAPTERS = tuple(chapter for chapters in STOREYS.values() for chapter in chapters)
