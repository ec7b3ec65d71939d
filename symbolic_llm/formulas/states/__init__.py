"""States that do not grow

Some models have attention in a few blocks only. The others keep a state of a sequence, one matrix for each head, and
the last inputs of a short convolution: gated delta rules in Qwen3-Next, Mamba-2 in Nemotron-H. In LFM2 they are such a
convolution between two gates, and keep its last inputs alone. However long the sequence is, they keep no more, and read
no more.
"""

ORDER = (
    "delta_matrix_parameters",
    "mamba_matrix_parameters",
    "state_norm_parameters",
    "gated_convolution_parameters",
    "convolution_parameters",
    "state_bytes",
    "state_product_flops",
    "convolution_bytes",
)
