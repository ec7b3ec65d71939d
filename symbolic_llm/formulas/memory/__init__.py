"""Memory

What is held at once, what fits beside it, and what has to cross the memory bus for one decoding step. Held and
moved are different quantities: the weights are held once and read again for every step.
"""

ORDER = (
    "stored_parameters",
    "weight_bytes",
    "footprint",
    "tokens_that_fit",
    "sequences_that_fit",
    "capacity",
    "decode_traffic",
)
