"""Operations

Nearly all arithmetic of a decoder is multiplying a weight by a number and adding the product to a sum: two
operations for each weight and token. What is left (attention, softmax, norms, activation) is counted exactly here
too, so that "2P per token" can be given the error bound it is usually quoted without.
"""

ORDER = (
    "matrix_vector_flops",
    "matrix_matrix_flops",
    "flops_per_token",
    "context_flops",
    "prompt_context_flops",
    "causal_prompt_context_flops",
    "decode_flops",
    "prefill_flops",
)
