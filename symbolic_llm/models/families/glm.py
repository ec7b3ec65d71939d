"""GLM-4: rotations of a part of each head, from its second release on two norms more; GLM-4.5 with experts"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated


def _glm(fields: Fields, block_norms: int) -> Builder:
    biases = fields.flag("attention_bias", True)
    return gated(fields, n_kv_heads=2, d_head=128, biases=biases, output_biases=False, block_norms=block_norms)


def _glm4_moe(fields: Fields) -> Builder:
    def experts(made: Builder) -> None:
        n = made.letters["n_blocks"]
        sparse = max(0, n - fields.whole("first_k_dense_replace", 1, least=0))
        made.mlp_blocks(n - sparse, gated=True)
        n_experts = fields.whole("n_routed_experts", 128, also="num_local_experts")
        n_active = fields.whole("num_experts_per_tok", 8)
        d_expert, n_shared = fields.whole("moe_intermediate_size", 1408), fields.whole("n_shared_experts", 1, least=0)
        made.expert_blocks(sparse, n_experts, n_active, d_expert, n_shared)

    biases, norms = fields.flag("attention_bias", False), fields.flag("use_qk_norm", False)
    return gated(fields, n_kv_heads=8, biases=biases, output_biases=False, qk_norms=norms, mlp=experts)


_ROTATED = frozenset({"partial_rotary_factor"})
_ROUTING = frozenset({"n_group", "topk_group"})  # which experts a token may be sent to, not how many there are
_BEYOND = frozenset({"num_mtp_layers", "num_nextn_predict_layers"})  # they predict further tokens, and are kept apart

FAMILIES = (
    Family("glm", "GlmForCausalLM", lambda fields: _glm(fields, 2), ignored=_ROTATED),
    Family("glm4", "Glm4ForCausalLM", lambda fields: _glm(fields, 4), ignored=_ROTATED),
    Family("glm4_moe", "Glm4MoeForCausalLM", _glm4_moe, ignored=_ROTATED | _ROUTING | _BEYOND),
)
