"""DeepSeek V2 and V3, and Kimi K2: latent attention and experts, dense in the first blocks"""

from __future__ import annotations

from ...formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from ...formulas.latent_attention.compressed_query_norm_parameters import FORMULA as compressed_query_norm_parameters
from ...formulas.latent_attention.compressed_query_parameters import FORMULA as compressed_query_parameters
from ...formulas.latent_attention.full_query_parameters import FORMULA as full_query_parameters
from ...formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from ...formulas.latent_attention.latent_norm_parameters import FORMULA as latent_norm_parameters
from ..builder import Builder
from ..config import Fields
from ..family import Family, Refused, Wrapper


def _deepseek(fields: Fields, *, dense: int, n_experts: int, n_active: int, n_shared: int, d_expert: int) -> Builder:
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
        d_nope=fields.whole("qk_nope_head_dim", 128),
        d_value=fields.whole("v_head_dim", 128),
    )
    made.context_limit = fields.optional("max_position_embeddings")
    for name in ("attention_bias", "mlp_bias"):
        fields.has_no(name)
    # redundant in these configs; one that differs is of a model that is built in another way
    for name, value in (
        ("num_key_value_heads", n_heads),
        ("head_dim", made.letters["d_rope"]),
        ("qk_head_dim", made.letters["d_nope"] + made.letters["d_rope"]),
        ("moe_layer_freq", 1),
    ):
        fields.same(name, value)
    n = made.letters["n_blocks"]
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    made.add("attention", latent_key_value_parameters, n)
    made.vectors("norms", latent_norm_parameters, n)
    compressed = fields.optional("q_lora_rank", 1536)
    if compressed is None:
        made.add("attention", full_query_parameters, n)
    else:
        made.letters["d_query"] = compressed
        made.add("attention", compressed_query_parameters, n)
        made.vectors("norms", compressed_query_norm_parameters, n)
    # the first blocks have a plain MLP, and a model with no more than those has no other blocks
    sparse = max(0, n - fields.whole("first_k_dense_replace", dense, least=0))
    made.mlp_blocks(n - sparse, gated=True)
    shape = (
        fields.whole("n_routed_experts", n_experts, also="num_experts"),
        n_active,
        fields.whole("moe_intermediate_size", d_expert),
    )
    made.expert_blocks(sparse, *shape, fields.optional("n_shared_experts", n_shared) or 0)
    made.vectors("norms", rms_norm_parameters, 2 * n + 1)
    return made


def _deepseek_v2(fields: Fields) -> Builder:
    n_active = fields.whole("num_experts_per_tok")
    return _deepseek(fields, dense=0, n_experts=64, n_active=n_active, n_shared=2, d_expert=1407)


def _deepseek_v3(fields: Fields) -> Builder:
    n_active = fields.whole("num_experts_per_tok", 8)
    return _deepseek(fields, dense=3, n_experts=256, n_active=n_active, n_shared=1, d_expert=2048)


_ROUTING = frozenset({"n_group", "topk_group"})  # which experts a token may be sent to, not how many there are
_BEYOND = frozenset({"num_nextn_predict_layers", "num_mtp_layers"})  # they predict further tokens, and are kept apart

_V3 = Family("deepseek_v3", "DeepseekV3ForCausalLM", _deepseek_v3, ignored=_ROUTING | _BEYOND)
# the same model under a name of its own, with the same class
_KIMI = Family("kimi_k2", "DeepseekV3ForCausalLM", _deepseek_v3, ignored=_ROUTING | _BEYOND)
_PICKED = "its attention reads the tokens that an index picks, and no formula counts those"

FAMILIES = (
    Family("deepseek_v2", "DeepseekV2ForCausalLM", _deepseek_v2, ignored=_ROUTING),
    _V3,
    _KIMI,
    Wrapper("kimi_k25", "Kimi_K25ForConditionalGeneration", (_V3, _KIMI), also=("KimiK25ForConditionalGeneration",)),
    *(Refused(name, _PICKED) for name in ("deepseek_v32", "glm_moe_dsa")),
    Refused("deepseek_v4", "its blocks keep compressed runs of tokens, and no formula counts those"),
)
