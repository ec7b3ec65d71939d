"""Ling and Ring: experts beside shared ones; in the second release norms of queries and keys, and a dense first block

Both releases have one `model_type`; which one a model is of, and so what an absent field stands for, goes by the class
that runs it. Transformers has neither, so counted is what the authors' own classes train: a router's bias is not.
Those that mix linear attention in are refused.
"""

from __future__ import annotations

from ..family_words import REQUIRED, ROTATED, Builder, Family, Fields, Refused, experts, first_blocks, gated

_FIRST, _SECOND = "BailingMoeForCausalLM", "BailingMoeV2ForCausalLM"
_NAMES = ("num_experts",)  # of the field that says how many there are


def _bailing(fields: Fields) -> Builder:
    fields.same("use_rmsnorm", True)
    fields.has_no("multi_gate")  # further routers, for what a model sees and hears
    made = _second(fields) if _is_second(fields) else _first(fields)
    fields.same("moe_shared_expert_intermediate_size", fields.whole("moe_intermediate_size", 512))
    return made


def _is_second(fields: Fields) -> bool:
    """Whether the class of the second release runs the model; where none is named, that of the first does."""
    code = fields.table("auto_map").get("AutoModelForCausalLM")
    named = {*(fields.items("architectures", str) or ()), code.rpartition(".")[2] if isinstance(code, str) else ""}
    if {_FIRST, _SECOND} <= named:
        raise fields.wrong(f"it names {_FIRST} and {_SECOND}, which have different numbers of weights")
    return _SECOND in named


def _first(fields: Fields) -> Builder:
    fields.has_no("use_sliding_window")
    fields.optional("sliding_window", 4096)  # a field of its class, which asks nowhere for it
    return gated(
        fields,
        n_kv_heads=fields.whole("num_key_value_heads"),
        biases=fields.flag("use_qkv_bias", False),
        output_biases=fields.flag("use_bias", True),
        mlp=experts(16, 2, REQUIRED, names=_NAMES, plain=first_blocks(fields, 0), n_shared=_n_shared(fields, 0)),
    )


def _second(fields: Fields) -> Builder:
    for name in _SECOND_IGNORED:
        fields.pass_over(name)
    fields.put("head_dim", fields.optional("head_dim", 128))  # null is a share of the model's width
    return gated(
        fields,
        n_kv_heads=fields.whole("num_key_value_heads", 4),
        biases=fields.flag("use_qkv_bias", False),
        output_biases=fields.flag("use_bias", False),
        qk_norms=fields.flag("use_qk_norm", True),
        mlp=experts(256, 8, 512, names=_NAMES, plain=first_blocks(fields, 1), n_shared=_n_shared(fields, 1)),
    )


def _n_shared(fields: Fields, default: int) -> int:
    return fields.whole("num_shared_experts", default, null=0, least=0)


# In how many groups experts are, and from how many of these they are picked; whether a bias that no gradient reaches
# balances them; blocks that predict further tokens, and are kept apart
_SECOND_IGNORED = ("n_group", "topk_group", "moe_router_enable_expert_bias", "num_nextn_predict_layers")
# What part of a head is rotated, and whether output matrix and logits are scaled to length one
_IGNORED = ROTATED | {"rotary_dim", "norm_head", "norm_softmax"}
_LINEAR = "no formula counts the weights and states of its linear attention blocks"

FAMILIES = (
    Family("bailing_moe", _FIRST, _bailing, also=(_SECOND,), ignored=_IGNORED),
    Refused("bailing_hybrid", _LINEAR),
    Refused("bailing_moe_linear", _LINEAR),
)
