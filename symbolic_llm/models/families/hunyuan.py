"""Hunyuan: LLaMA with norms of queries and keys; with experts, one of them is shared"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated


def _hunyuan_v1_dense(fields: Fields) -> Builder:
    fields.same("norm_type", "rms")
    return gated(fields, qk_norms=True)


def _hunyuan_v1_moe(fields: Fields) -> Builder:
    n_active, n_shared = _alike(fields, "moe_topk", 1), _alike(fields, "num_shared_expert", 1)
    d_expert = _alike(fields, "moe_intermediate_size", fields.whole("intermediate_size"))

    def experts(made: Builder) -> None:
        n_experts = fields.whole("num_experts", 1, also="num_local_experts")
        made.expert_blocks(made.letters["n_blocks"], n_experts, n_active, made.letters["d_ff"], 1)

    fields.same("norm_type", "rms")
    fields.always("use_mixed_mlp_moe")
    fields.same("num_experts_per_tok", n_active)
    made = gated(fields, qk_norms=True, mlp=experts)
    # its class has experts of one width, and one of them shared
    for name, found, value in (
        ("moe_intermediate_size", d_expert, made.letters["d_ff"]),
        ("num_shared_expert", n_shared, 1),
    ):
        if found != value:
            raise fields.wrong(f"{name} must be {value} in a model of this kind, not {found}")
    return made


def _alike(fields: Fields, name: str, default: int) -> int:
    """Number that a field gives, once or in a list with the same number for each layer."""
    if isinstance(fields.free(name), list):
        listed = fields.items(name, int)
        if not listed or set(listed) != {listed[0]}:
            raise fields.wrong(f"{name} must list the same number for each layer")
        fields.put(name, listed[0])
    return fields.whole(name, default, null=default)


# what switches that are off would share out
_IDLE = frozenset({"cla_share_factor", "num_media_embeds", "dense_list", "class_num", "org_vocab_size"})

FAMILIES = (
    Family("hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM", _hunyuan_v1_dense, ignored=_IDLE),
    Family("hunyuan_v1_moe", "HunYuanMoEV1ForCausalLM", _hunyuan_v1_moe, ignored=_IDLE),
)
