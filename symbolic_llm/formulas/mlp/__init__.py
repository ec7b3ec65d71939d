"""MLPs

After attention each block has an MLP: two matrices, or three where a gate weighs what the first has made.
"""

ORDER = (
    "plain_mlp_parameters",
    "gated_mlp_parameters",
    "activation_parameters",
)
