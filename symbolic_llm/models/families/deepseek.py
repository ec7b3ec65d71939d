"""DeepSeek V2, V3 and V3.2, Kimi K2, GLM-4.7-Flash and GLM-5: latent attention and experts, dense in the first blocks

V3.2 and GLM-5 have an index that picks the tokens attention reads; in GLM-5.2 some blocks read what the last picked.
"""

from __future__ import annotations

from ..attention.latent import attend, index
from ..family_words import BEYOND, REQUIRED, ROUTING, Builder, Family, Fields, Wrapper, experts, first_blocks

_NAMES = ("n_routed_experts", "num_local_experts", "num_experts")  # of the field that says how many there are


def _attending(fields: Fields, d_nope: int = 128, d_value: int = 128, *, picks: bool = False) -> Builder:
    """Builder with all but attention and what comes after it; the numbers stand for absent fields.

    Where an index picks tokens, `head_dim` is not read; elsewhere it has to repeat the width of the rotated part.
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
    width = made.letters["d_nope"] + made.letters["d_rope"]
    if not picks:
        fields.same("head_dim", made.letters["d_rope"])
    fields.repeats(num_key_value_heads=n_heads, qk_head_dim=width, moe_layer_freq=1)
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    return made


def _mlps(made: Builder, *shape: int, plain: int, n_shared: int) -> Builder:
    """Add MLPs in `plain` blocks, experts in the others, and the norms of all blocks; returns the builder."""
    experts(*shape, names=_NAMES, plain=plain, n_shared=n_shared)(made)
    made.vectors("norms", "d_model", 2 * made.letters["n_blocks"] + 1)
    return made


def _deepseek(fields: Fields, *shape: int, plain: int, n_shared: int) -> Builder:
    made = _attending(fields)
    attend(made, fields.optional("q_lora_rank", 1536))
    shared = fields.optional("n_shared_experts", n_shared) or 0
    return _mlps(made, *shape, plain=first_blocks(fields, plain), n_shared=shared)


def _deepseek_v2(fields: Fields) -> Builder:
    return _deepseek(fields, 64, REQUIRED, 1407, plain=0, n_shared=2)


def _deepseek_v3(fields: Fields) -> Builder:
    return _deepseek(fields, 256, 8, 2048, plain=3, n_shared=1)


def _glm4_moe_lite(fields: Fields) -> Builder:
    made = _attending(fields, d_nope=192, d_value=256)
    attend(made, fields.optional("q_lora_rank", 768))
    types = fields.kinds("mlp_layer_types", made.letters["n_blocks"], {"dense", "sparse"})
    plain = 1 if types is None else types.count("dense")
    fields.same("first_k_dense_replace", plain)  # which its class does not ask
    return _mlps(made, 64, 4, 1536, plain=plain, n_shared=fields.whole("n_shared_experts", 1, least=0))


def _picking(fields: Fields, *, d_nope: int, d_value: int, d_query: int, n_index_heads: int) -> Builder:
    """Builder with all parts but the indexes, with an index counted in every block until the family says otherwise."""
    made = _attending(fields, d_nope, d_value, picks=True)
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
    first = first_blocks(fields, 3)
    plain = first if types is None else types.count("dense")
    return _mlps(made, 256, 8, 2048, plain=plain, n_shared=fields.whole("n_shared_experts", 1, least=0))


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


_V3 = Family("deepseek_v3", "DeepseekV3ForCausalLM", _deepseek_v3, ignored=ROUTING | BEYOND)
# the same model under a name of its own, with the same class
_KIMI = Family("kimi_k2", "DeepseekV3ForCausalLM", _deepseek_v3, ignored=ROUTING | BEYOND)
# of what its class does not read: it sets the first to the rotated part itself
_UNREAD = frozenset({"head_dim", "index_share_for_mtp_iteration"})
_IGNORED = ROUTING | BEYOND | _UNREAD

FAMILIES = (
    Family("deepseek_v2", "DeepseekV2ForCausalLM", _deepseek_v2, ignored=ROUTING),
    _V3,
    _KIMI,
    Wrapper("kimi_k25", "Kimi_K25ForConditionalGeneration", (_V3, _KIMI), also=("KimiK25ForConditionalGeneration",)),
    Family("glm4_moe_lite", "Glm4MoeLiteForCausalLM", _glm4_moe_lite, ignored=ROUTING | BEYOND),
    Family("deepseek_v32", "DeepseekV32ForCausalLM", _deepseek_v32, ignored=_IGNORED),
    Family("glm_moe_dsa", "GlmMoeDsaForCausalLM", _glm_moe_dsa, ignored=_IGNORED),
)
