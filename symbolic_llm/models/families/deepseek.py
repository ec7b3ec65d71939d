"""DeepSeek V2, V3 and V3.2, Kimi K2, GLM-4.7-Flash and GLM-5: latent attention and experts, dense in the first blocks

V3.2 and GLM-5 have an index that picks the tokens attention reads; in GLM-5.2 some blocks read what the last picked.
"""

from __future__ import annotations

from ..attention.latent import attend, index
from ..family_words import Builder, Family, Fields, Wrapper


def _attending(fields: Fields, d_nope: int = 128, d_value: int = 128, d_head: str = "head_dim") -> Builder:
    """Builder with all but attention and what comes after it; the numbers stand for absent fields.

    `d_head` names a field that has to repeat the width of the rotated part; "" for none.
    """
    n_heads = fields.whole("num_attention_heads")
    made = Builder(
        fields,
        n_blocks=fields.layers("num_hidden_layers"),
        d_model=fields.whole("hidden_size"),
        n_heads=n_heads,
        n_vocab=fields.whole("vocab_size"),
        d_ff=fields.whole("intermediate_size"),
        d_latent=fields.whole("kv_lora_rank", 512),
        d_rope=fields.whole("qk_rope_head_dim", 64),
        d_nope=fields.whole("qk_nope_head_dim", d_nope),
        d_value=fields.whole("v_head_dim", d_value),
    )
    made.context_limit = fields.optional("max_position_embeddings")
    fields.has_no("attention_bias", "mlp_bias")
    # redundant in these configs; one that differs is of a model that is built in another way
    for name, value in (
        ("num_key_value_heads", n_heads),
        (d_head, made.letters["d_rope"]),
        ("qk_head_dim", made.letters["d_nope"] + made.letters["d_rope"]),
        ("moe_layer_freq", 1),
    ):
        if name:
            fields.same(name, value)
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    return made


def _mlps(made: Builder, plain: int, shape: tuple[int, int, int], n_shared: int) -> None:
    """Add MLPs in `plain` blocks, experts in the others, and the norms of all blocks."""
    n = made.letters["n_blocks"]
    made.mlp_blocks(plain, gated=True)
    made.expert_blocks(n - plain, *shape, n_shared)
    made.vectors("norms", "d_model", 2 * n + 1)


def _first(fields: Fields, n: int, dense: int) -> int:
    """Number of first blocks with a plain MLP, at most all n; `dense` stands for an absent field."""
    return min(n, fields.whole("first_k_dense_replace", dense, least=0))


def _experts(fields: Fields, n_experts: int, n_active: int, d_expert: int) -> tuple[int, int, int]:
    n = fields.whole("n_routed_experts", n_experts, also=("num_local_experts", "num_experts"))
    return n, n_active, fields.whole("moe_intermediate_size", d_expert)


def _deepseek(fields: Fields, *, dense: int, n_experts: int, n_active: int, n_shared: int, d_expert: int) -> Builder:
    made = _attending(fields)
    attend(made, fields.optional("q_lora_rank", 1536))
    shape, shared = _experts(fields, n_experts, n_active, d_expert), fields.optional("n_shared_experts", n_shared) or 0
    _mlps(made, _first(fields, made.letters["n_blocks"], dense), shape, shared)
    return made


def _deepseek_v2(fields: Fields) -> Builder:
    n_active = fields.whole("num_experts_per_tok")
    return _deepseek(fields, dense=0, n_experts=64, n_active=n_active, n_shared=2, d_expert=1407)


def _deepseek_v3(fields: Fields) -> Builder:
    n_active = fields.whole("num_experts_per_tok", 8)
    return _deepseek(fields, dense=3, n_experts=256, n_active=n_active, n_shared=1, d_expert=2048)


def _glm4_moe_lite(fields: Fields) -> Builder:
    made = _attending(fields, d_nope=192, d_value=256)
    attend(made, fields.optional("q_lora_rank", 768))
    types = fields.kinds("mlp_layer_types", made.letters["n_blocks"], {"dense", "sparse"})
    plain = 1 if types is None else types.count("dense")
    fields.same("first_k_dense_replace", plain)  # which its class does not ask
    shape = _experts(fields, 64, fields.whole("num_experts_per_tok", 4), 1536)
    _mlps(made, plain, shape, fields.whole("n_shared_experts", 1, least=0))
    return made


def _picking(fields: Fields, *, d_nope: int, d_value: int, d_query: int, n_index_heads: int) -> Builder:
    """Builder with all parts but the indexes, with an index counted in every block until the family says otherwise."""
    made = _attending(fields, d_nope, d_value, d_head="")
    attend(made, fields.whole("q_lora_rank", d_query))
    n = made.letters["n_blocks"]
    made.letters |= {
        "n_index": n,
        "n_index_heads": fields.whole("index_n_heads", n_index_heads),
        "d_index": fields.whole("index_head_dim", 128),
        "n_picked": fields.whole("index_topk", 2048),
    }
    if made.letters["d_index"] < made.letters["d_rope"]:
        raise fields.wrong(f"index_head_dim must be at least qk_rope_head_dim, {made.letters['d_rope']}")
    fields.kinds("layer_types", n, {"deepseek_sparse_attention", "indexed_attention"})  # two names of one kind
    types = fields.kinds("mlp_layer_types", n, {"dense", "sparse"})
    first = _first(fields, n, 3)
    shape = _experts(fields, 256, fields.whole("num_experts_per_tok", 8), 2048)
    _mlps(made, first if types is None else types.count("dense"), shape, fields.whole("n_shared_experts", 1, least=0))
    return made


def _deepseek_v32(fields: Fields) -> Builder:
    made = _picking(fields, d_nope=128, d_value=128, d_query=1536, n_index_heads=64)
    fields.has_no("indexer_types", "index_topk_pattern")  # its class gives every block an index, whatever stands there
    fields.same("index_topk_freq", 1)
    index(made, made.letters["n_blocks"])
    return made


def _glm_moe_dsa(fields: Fields) -> Builder:
    made = _picking(fields, d_nope=192, d_value=256, d_query=2048, n_index_heads=32)
    n = made.letters["n_blocks"]
    types = fields.kinds("indexer_types", n, {"full", "shared"})
    words, pattern = {"F": "full", "S": "shared"}, fields.signs("index_topk_pattern")
    every, offset = fields.whole("index_topk_freq", 1, least=0), fields.whole("index_skip_topk_offset", 2, least=0)
    if types is None and pattern is not None:
        spelt = [words.get(one, one) for one in pattern]
        types = fields.kinds("index_topk_pattern", n, {"full", "shared"}, spelt)
    if types is None:
        types = ["shared" if max(0, i - offset + 1) % max(every, 1) else "full" for i in range(n)]
    if types[0] != "full":
        raise fields.wrong("the first layer must have an index of its own in a model of this kind")
    index(made, types.count("full"))
    return made


_ROUTING = frozenset({"n_group", "topk_group"})  # which experts a token may be sent to, not how many there are
_BEYOND = frozenset({"num_nextn_predict_layers", "num_mtp_layers"})  # they predict further tokens, and are kept apart

_V3 = Family("deepseek_v3", "DeepseekV3ForCausalLM", _deepseek_v3, ignored=_ROUTING | _BEYOND)
# the same model under a name of its own, with the same class
_KIMI = Family("kimi_k2", "DeepseekV3ForCausalLM", _deepseek_v3, ignored=_ROUTING | _BEYOND)
# of what its class does not read: it sets the first to the rotated part itself
_UNREAD = frozenset({"head_dim", "index_share_for_mtp_iteration"})
_IGNORED = _ROUTING | _BEYOND | _UNREAD

FAMILIES = (
    Family("deepseek_v2", "DeepseekV2ForCausalLM", _deepseek_v2, ignored=_ROUTING),
    _V3,
    _KIMI,
    Wrapper("kimi_k25", "Kimi_K25ForConditionalGeneration", (_V3, _KIMI), also=("KimiK25ForConditionalGeneration",)),
    Family("glm4_moe_lite", "Glm4MoeLiteForCausalLM", _glm4_moe_lite, ignored=_ROUTING | _BEYOND),
    Family("deepseek_v32", "DeepseekV32ForCausalLM", _deepseek_v32, ignored=_IGNORED),
    Family("glm_moe_dsa", "GlmMoeDsaForCausalLM", _glm_moe_dsa, ignored=_IGNORED),
)
