"""Mixture of experts

Of many MLPs a router picks a few for each token. What is stored grows with all of them, what is computed with those
that are picked, and what is read with those that the batch picks between them.
"""

ORDER = (
    "router_parameters",
    "expert_parameters",
    "mixtral_multiplied_parameters",
    "mixtral_parameters",
    "distinct_experts",
    "share_of_experts_used",
    "prefill_distinct_experts",
    "expert_weights_read",
    "expert_prefill_weights_read",
    "all_expert_weights_read",
    "all_expert_weight_bytes_read",
    "sequences_per_expert",
    "balanced_load",
    "mixtral_decode_flops",
)
