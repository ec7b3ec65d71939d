"""MiniMax M2: experts in every block, and norms over all queries and all keys of it"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, experts, gated


def _minimax_m2(fields: Fields) -> Builder:
    fields.always("use_qk_norm")
    fields.has_no("shared_intermediate_size")
    return gated(fields, n_kv_heads=8, d_head=128, biases=False, joint_norms=True, mlp=experts(256, 8))


# they predict further tokens, and are kept apart
_BEYOND = frozenset({"mtp_transformer_layers", "num_mtp_modules", "use_mtp"})

_OTHERWISE = frozenset({"partial_rotary_factor", "qk_norm_type", "rotary_dim", "use_routing_bias"})

FAMILIES = (Family("minimax_m2", "MiniMaxM2ForCausalLM", _minimax_m2, ignored=_BEYOND | _OTHERWISE),)
