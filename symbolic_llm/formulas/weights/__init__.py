"""Weights as a whole

What all parts of a decoder store, and what a pass reads of that. Where parts are in formats of their own, or experts
are picked, these are sums over the parts.
"""

ORDER = (
    "stored_parameters",
    "weights_read",
    "prefill_weights_read",
    "weight_bytes",
    "weight_bytes_read",
    "prompt_weight_bytes_read",
)
