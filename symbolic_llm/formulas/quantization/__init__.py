"""Quantisation

A quantised weight is a small code. Codes alone lose the magnitude, so a block of neighbouring weights shares one scale,
and the scale costs bits too: "4-bit" weights take more than half a byte.
"""

ORDER = (
    "bytes_per_weight",
    "q4_bytes_per_weight",
    "nested_bytes_per_weight",
    "mixed_weight_bytes",
    "mean_bytes_per_weight",
)
