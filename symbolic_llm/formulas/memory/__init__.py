"""Memory

What is held at once, what fits beside it, and what has to cross the memory bus for one decoding step. Held and
moved are different quantities: the weights are held once and read again for every step.
"""

ORDER = (
    "footprint",
    "memory_left",
    "tokens_that_fit",
    "sequences_that_fit",
    "footprint_beside_reserve",
    "sequences_beside_reserve",
    "capacity",
    "context_that_fits",
    "largest_context",
    "decode_traffic",
    "loading_time",
    "product_bytes",
)
