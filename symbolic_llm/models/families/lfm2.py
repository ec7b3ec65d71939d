"""LFM2: a gated short convolution in most blocks, attention in the others, and a gated MLP or experts in all"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, experts, first_blocks, shapes
from ..recurrent.convolution import convolve

_KINDS = ("conv", "full_attention")


def _attending(fields: Fields, n: int) -> int:
    """Number of blocks that attend: by layer_types, else by the listed numbers of blocks, else all."""
    types, numbers = fields.kinds("layer_types", n, _KINDS), fields.items("full_attn_idxs", int)
    if types is None:
        return n if numbers is None else len({*numbers} & {*range(n)})
    attends = [i for i, kind in enumerate(types) if kind == "full_attention"]
    if numbers is not None and sorted({*numbers}) != attends:
        raise fields.wrong("layer_types and full_attn_idxs list different blocks")
    return len(attends)


def _mixing(fields: Fields) -> Builder:
    """Builder with all parts but MLPs and experts."""
    made = shapes(fields, n_kv_heads=8)
    n, d_model = made.letters["n_blocks"], made.letters["d_model"]
    for name in ("block_dim", "conv_dim", "conv_dim_out"):  # of older files; its class has one width
        fields.same(name, d_model)
    fields.always("block_use_swiglu")
    tied = fields.flag("tie_word_embeddings", True)
    made.vocabulary(tied=fields.flag("tie_embedding", tied))  # an older name, which its class lets go first
    attends, kernel, biases = _attending(fields, n), fields.whole("conv_L_cache", 3), fields.flag("conv_bias", False)
    convolve(made, attends, n - attends, width=d_model, kernel=kernel, biases=biases)
    made.attention_blocks(norms=True, n=attends)
    made.vectors("norms", "d_model", 2 * n + 1)
    return made


def _width(fields: Fields) -> int:
    """The width of an MLP: what the config says, or two thirds of that, stretched and rounded up to a multiple."""
    usual = fields.whole("intermediate_size", 12288)
    width = fields.whole("block_ff_dim", usual)  # an older name, which its class lets go first
    adjusts, stretched = fields.flag("block_auto_adjust_ff_dim", True), fields.number("block_ffn_dim_multiplier", 1.0)
    multiple = fields.whole("block_multiple_of", 256)
    if not adjusts:
        return width
    if not (adjusted := int(stretched * (2 * width // 3))):
        raise fields.wrong("block_auto_adjust_ff_dim leaves its MLPs no width")
    return multiple * -(-adjusted // multiple)


def _lfm2(fields: Fields) -> Builder:
    made = _mixing(fields)
    made.letters["d_ff"] = _width(fields)
    made.mlp_blocks(made.letters["n_blocks"], gated=True)
    return made


def _lfm2_moe(fields: Fields) -> Builder:
    if fields.items("layer_types", str) is None:
        raise fields.wrong("the field layer_types is missing")
    made = _mixing(fields)
    made.letters["d_ff"] = fields.whole("intermediate_size", 7168)
    plain = first_blocks(fields, 2, "num_dense_layers")
    experts(32, 4, 1792, names=("num_experts",), plain=plain)(made)
    return made


# how weights were drawn, and how far norms round; of a bias of experts only who is picked depends
_IGNORED = frozenset(
    {
        "block_mlp_init_scale", "block_norm_eps", "block_out_init_scale", "block_use_xavier_init",
        "conv_use_xavier_init",
    }
)  # fmt: skip

FAMILIES = (
    Family("lfm2", "Lfm2ForCausalLM", _lfm2, ignored=_IGNORED),
    Family("lfm2_moe", "Lfm2MoeForCausalLM", _lfm2_moe, ignored=_IGNORED | {"use_expert_bias"}),
)
