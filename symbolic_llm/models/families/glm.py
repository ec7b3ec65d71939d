"""GLM-4: rotations of a part of each head, from its second release on two norms more; GLM-4.5 with experts"""

from __future__ import annotations

from ..family_words import BEYOND, ROTATED, ROUTING, Builder, Family, Fields, experts, first_blocks, gated


def _glm(fields: Fields, block_norms: int) -> Builder:
    biases = fields.flag("attention_bias", True)
    return gated(fields, n_kv_heads=2, d_head=128, biases=biases, output_biases=False, block_norms=block_norms)


def _glm4_moe(fields: Fields) -> Builder:
    names, n_shared = ("n_routed_experts", "num_local_experts"), fields.whole("n_shared_experts", 1, least=0)
    mlp = experts(128, 8, 1408, names=names, plain=first_blocks(fields, 1), n_shared=n_shared)
    biases, norms = fields.flag("attention_bias", False), fields.flag("use_qk_norm", False)
    return gated(fields, n_kv_heads=8, biases=biases, output_biases=False, qk_norms=norms, mlp=mlp)


FAMILIES = (
    Family("glm", "GlmForCausalLM", lambda fields: _glm(fields, 2), ignored=ROTATED),
    Family("glm4", "Glm4ForCausalLM", lambda fields: _glm(fields, 4), ignored=ROTATED),
    Family("glm4_moe", "Glm4MoeForCausalLM", _glm4_moe, ignored=ROTATED | ROUTING | BEYOND),
)
