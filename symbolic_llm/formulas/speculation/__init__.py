"""Speculative decoding

A small model drafts tokens one after the other, and the large one verifies them in one pass, which reads its weights
once for all. What is generated stays the same. A pass over a draft is a larger batch: as long as reading takes longer
than arithmetic, its tokens come for free, and that is all that can be gained.
"""

ORDER = (
    "speculative_tokens",
    "verification_time",
    "free_verification",
    "speculative_speedup",
    "one_more_drafted_token",
    "compute_bound_drafts",
)
