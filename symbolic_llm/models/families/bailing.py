"""Ling and Ring: experts beside shared ones; in the second release norms of queries and keys, and a dense first block

Both releases have one `model_type`; which one a model is of, and so what an absent field stands for, goes by the class
that runs it. Transformers has neither, so counted is what the authors' own classes train: a router's bias is not.
Those that mix linear attention in are refused.
"""

from __future__ import annotations

from functools import partial

from ..family_words import Builder, Family, Fields, Refused, gated

_FIRST, _SECOND = "BailingMoeForCausalLM", "BailingMoeV2ForCausalLM"


def _bailing(fields: Fields) -> Builder:
    fields.same("use_rmsnorm", True)
    fields.has_no("multi_gate")  # further routers, for what a model sees and hears
    return _second(fields) if _is_second(fields) else _first(fields)


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
        mlp=partial(_experts, n_plain=0, shape=(16, 2), d_expert=fields.whole("moe_intermediate_size"), n_shared=0),
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
        mlp=partial(
            _experts, n_plain=1, shape=(256, 8), d_expert=fields.whole("moe_intermediate_size", 512), n_shared=1
        ),
    )


def _experts(made: Builder, *, n_plain: int, shape: tuple[int, int], d_expert: int, n_shared: int) -> None:
    """Add an MLP in the first blocks and experts in the others; all numbers but the width stand for absent fields."""
    fields, n = made.fields, made.letters["n_blocks"]
    plain = min(n, fields.whole("first_k_dense_replace", n_plain, least=0))
    n_experts, n_active = fields.whole("num_experts", shape[0]), fields.whole("num_experts_per_tok", shape[1])
    fields.same("moe_shared_expert_intermediate_size", d_expert)
    made.mlp_blocks(plain, gated=True)
    made.expert_blocks(
        n - plain, n_experts, n_active, d_expert, fields.whole("num_shared_experts", n_shared, null=0, least=0)
    )


# In how many groups experts are, and from how many of these they are picked; whether a bias that no gradient reaches
# balances them; blocks that predict further tokens, and are kept apart
_SECOND_IGNORED = ("n_group", "topk_group", "moe_router_enable_expert_bias", "num_nextn_predict_layers")
# What part of a head is rotated, and whether output matrix and logits are scaled to length one
_IGNORED = frozenset({"partial_rotary_factor", "rotary_dim", "norm_head", "norm_softmax"})
_LINEAR = "no formula counts the weights and states of its linear attention blocks"

FAMILIES = (
    Family("bailing_moe", _FIRST, _bailing, also=(_SECOND,), ignored=_IGNORED),
    Refused("bailing_hybrid", _LINEAR),
    Refused("bailing_moe_linear", _LINEAR),
)
