"""Real decoders

The decoders that people run differ from the block of the articles: groups of heads share keys and values, the MLP has
three matrices and a width of its own, norms have weights, the output matrix is not the embedding. A model is the sum of
its parts; a few sums are written out here.
"""

ORDER = (
    "llama_multiplied_parameters",
    "llama_parameters",
    "gpt2_multiplied_parameters",
    "gpt2_parameters",
    "llama_decode_flops",
    "qwen3_decode_flops",
    "gpt2_decode_flops",
)
