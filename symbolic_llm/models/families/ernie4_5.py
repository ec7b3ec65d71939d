"""ERNIE 4.5: LLaMA with tied matrices; with experts, a bias for each score of a router, and shared ones beside them"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated


def _ernie4_5(fields: Fields) -> Builder:
    biases = fields.flag("use_bias", False, null=False)
    return gated(fields, tied=True, n_kv_heads=2, d_head=128, biases=biases, mlp_biases=biases)


def _ernie4_5_moe(fields: Fields) -> Builder:
    def experts(made: Builder) -> None:
        n, sparse = made.letters["n_blocks"], _sparse(fields, made.letters["n_blocks"])
        made.mlp_blocks(n - sparse, gated=True)
        n_experts = fields.whole("moe_num_experts", 64, also="num_experts")
        n_active = fields.whole("moe_k", 6, also="num_experts_per_tok")
        d_expert = fields.whole("moe_intermediate_size", 1536)
        n_shared = fields.whole("moe_num_shared_experts", 2, least=0)
        made.expert_blocks(sparse, n_experts, n_active, d_expert, n_shared)
        made.vectors("biases", "n_experts", sparse)

    fields.has_no("use_bias")
    return gated(fields, tied=True, n_kv_heads=4, biases=False, mlp=experts)


def _sparse(fields: Fields, n: int) -> int:
    """Number of blocks with experts: every so many, from a first block to a last one."""
    every, first = fields.whole("moe_layer_interval", 1), fields.whole("moe_layer_start_index", 1, least=0)
    last = fields.whole("moe_layer_end_index", -1, least=-1)
    last = n - 1 if last == -1 else last
    return sum((i + 1) % every == 0 and first <= i <= last for i in range(n))


FAMILIES = (
    Family("ernie4_5", "Ernie4_5ForCausalLM", _ernie4_5, also=("Ernie4_5_ForCausalLM",)),
    Family("ernie4_5_moe", "Ernie4_5_MoeForCausalLM", _ernie4_5_moe, ignored=frozenset({"moe_norm_min"})),
)
