"""The families: what each `model_type` of a config.json means

One function for each family reads its fields, with the defaults that transformers has for absent ones, and lists the
parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import unknown_name
from ..formulas.decoders.layer_norm_parameters import FORMULA as layer_norm_parameters
from ..formulas.decoders.position_parameters import FORMULA as position_parameters
from ..formulas.decoders.projection_parameters import FORMULA as projection_parameters
from ..formulas.decoders.rms_norm_parameters import FORMULA as rms_norm_parameters
from ..formulas.decoders.vocabulary_biases import FORMULA as vocabulary_biases
from ..formulas.latent_attention.compressed_query_norm_parameters import FORMULA as compressed_query_norm_parameters
from ..formulas.latent_attention.compressed_query_parameters import FORMULA as compressed_query_parameters
from ..formulas.latent_attention.full_query_parameters import FORMULA as full_query_parameters
from ..formulas.latent_attention.latent_key_value_parameters import FORMULA as latent_key_value_parameters
from ..formulas.latent_attention.latent_norm_parameters import FORMULA as latent_norm_parameters
from .builder import Builder, grouped, shapes, shared
from .config import Fields


def _gated(
    fields: Fields,
    *,
    tied: bool = False,
    n_kv_heads: int | None = None,
    d_head: int | None = None,
    biases: bool | None = None,
    output_biases: bool | None = None,
    mlp_biases: bool = False,
    block_norms: int = 2,
    qk_norms: bool = False,
    mlp: Callable[[Builder], None] | None = None,
) -> Builder:
    """RMSNorm, grouped heads, rotary positions and a gated MLP: LLaMA and those that came after it."""
    made = shapes(fields, n_kv_heads=n_kv_heads, d_head=d_head)
    n = made.letters["n_blocks"]
    all_biases = fields.flag("attention_bias", False) if biases is None else biases
    made.letters["d_ff"] = fields.whole("intermediate_size")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", tied))
    made.attention_blocks(
        biases=all_biases, output_biases=all_biases if output_biases is None else output_biases, norms=qk_norms
    )
    if mlp is None:
        made.mlp_blocks(n, gated=True, biases=mlp_biases)
    else:
        mlp(made)
    made.vectors("norms", rms_norm_parameters, block_norms * n + 1)
    return made


def _llama(fields: Fields) -> Builder:
    return _gated(fields, mlp_biases=fields.flag("mlp_bias", False))


def _mistral(fields: Fields) -> Builder:
    made = _gated(fields, n_kv_heads=8, biases=False)
    made.windows(fields.optional("sliding_window", 4096), fields.items("layer_types", str), lambda _: True)
    return made


def _mixtral(fields: Fields) -> Builder:
    def experts(made: Builder) -> None:
        shape = (fields.whole("num_local_experts", 8), fields.whole("num_experts_per_tok", 2))
        made.expert_blocks(made.letters["n_blocks"], *shape, made.letters["d_ff"])

    made = _gated(fields, n_kv_heads=8, biases=False, mlp=experts)
    made.windows(fields.optional("sliding_window"), fields.items("layer_types", str), lambda _: True)
    return made


def _qwen_windows(made: Builder, fields: Fields) -> Builder:
    if fields.flag("use_sliding_window", False):
        full = fields.whole("max_window_layers", 28, least=0)
        made.windows(fields.optional("sliding_window", 4096), fields.items("layer_types", str), lambda i: i >= full)
    return made


def _qwen2(fields: Fields) -> Builder:
    return _qwen_windows(_gated(fields, n_kv_heads=32, biases=True, output_biases=False), fields)


def _qwen3(fields: Fields) -> Builder:
    return _qwen_windows(_gated(fields, n_kv_heads=32, d_head=128, qk_norms=True), fields)


def _qwen3_moe(fields: Fields) -> Builder:
    def experts(made: Builder) -> None:
        n, every = made.letters["n_blocks"], fields.whole("decoder_sparse_step", 1)
        dense = set(fields.items("mlp_only_layers", int) or ())
        sparse = sum(i not in dense and (i + 1) % every == 0 for i in range(n))
        n_experts = fields.whole("num_experts", fields.whole("num_local_experts", 128))
        made.mlp_blocks(n - sparse, gated=True)
        shape = (fields.whole("num_experts_per_tok", 8), fields.whole("moe_intermediate_size", 768))
        made.expert_blocks(sparse, n_experts, *shape)

    return _qwen_windows(_gated(fields, n_kv_heads=4, qk_norms=True, mlp=experts), fields)


def _gemma(fields: Fields) -> Builder:
    return _gated(fields, tied=True, n_kv_heads=16, d_head=256)


def _gemma2(fields: Fields) -> Builder:
    made = _gated(fields, tied=True, n_kv_heads=4, d_head=256, block_norms=4)
    made.windows(fields.optional("sliding_window", 4096), fields.items("layer_types", str), lambda i: i % 2 == 0)
    return made


def _gemma3(fields: Fields) -> Builder:
    made = _gated(fields, tied=True, n_kv_heads=4, d_head=256, block_norms=4, qk_norms=True)
    every = fields.whole("sliding_window_pattern", fields.whole("_sliding_window_pattern", 6))
    types = fields.items("layer_types", str)
    made.windows(fields.optional("sliding_window", 4096), types, lambda i: (i + 1) % every != 0)
    return made


def _phi3(fields: Fields) -> Builder:
    made = _gated(fields, biases=False)
    made.windows(fields.optional("sliding_window"), None, lambda _: True)
    return made


def _gpt2_shapes(fields: Fields) -> Builder:
    d_model, n_heads = fields.whole("n_embd"), fields.whole("n_head")
    return Builder(
        fields,
        n_blocks=fields.layers("n_layer"),
        d_model=d_model,
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_head=shared(fields, d_model, n_heads, "n_embd"),
        n_vocab=fields.whole("vocab_size"),
        d_ff=fields.whole("n_inner", 4 * d_model),
    )


def _gpt2(fields: Fields) -> Builder:
    made = _gpt2_shapes(fields)
    n = made.letters["n_blocks"]
    made.letters["n_positions"] = fields.whole("n_positions", 1024)
    made.vocabulary(tied=fields.flag("tie_word_embeddings", True))
    made.vectors("positions", position_parameters)
    made.attention_blocks(biases=True, output_biases=True)
    made.mlp_blocks(n, gated=False, biases=True)
    made.vectors("norms", layer_norm_parameters, 2 * n + 1)
    return made


def _gptj(fields: Fields) -> Builder:
    made = _gpt2_shapes(fields)
    n = made.letters["n_blocks"]
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    made.vectors("biases", vocabulary_biases)
    made.attention_blocks()
    made.mlp_blocks(n, gated=False, biases=True)
    made.vectors("norms", layer_norm_parameters, n + 1)  # attention and MLP are parallel and share one
    return made


def _gpt_neox(fields: Fields) -> Builder:
    made = shapes(fields)
    n, biases = made.letters["n_blocks"], fields.flag("attention_bias", True)
    made.letters["d_ff"] = fields.whole("intermediate_size")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    made.attention_blocks(biases=biases, output_biases=biases)
    made.mlp_blocks(n, gated=False, biases=True)
    made.vectors("norms", layer_norm_parameters, 2 * n + 1)
    return made


def _opt(fields: Fields) -> Builder:
    made = shapes(fields)
    n, d_model, biases = made.letters["n_blocks"], made.letters["d_model"], fields.flag("enable_bias", True)
    made.letters["d_ff"] = fields.whole("ffn_dim")
    made.letters["n_positions"] = fields.whole("max_position_embeddings", 2048) + 2  # two rows in front are padding
    narrow = fields.whole("word_embed_proj_dim", d_model)
    if narrow == d_model:
        made.vocabulary(tied=fields.flag("tie_word_embeddings", True))
    else:
        made.letters["d_embedding"] = narrow
        made.vocabulary(tied=fields.flag("tie_word_embeddings", True), width="d_embedding")
        made.add("embedding", projection_parameters)
    made.vectors("positions", position_parameters)
    made.attention_blocks(biases=biases, output_biases=biases)
    made.mlp_blocks(n, gated=False, biases=biases)
    if fields.flag("layer_norm_elementwise_affine", True):
        first = fields.flag("do_layer_norm_before", True)
        last = first and not fields.flag("_remove_final_layer_norm", False)
        made.vectors("norms", layer_norm_parameters, 2 * n + last)
    return made


def _falcon(fields: Fields) -> Builder:
    made = shapes(fields)
    n, n_heads, d_model = (made.letters[name] for name in ("n_blocks", "n_heads", "d_model"))
    new, biases = fields.flag("new_decoder_architecture", False), fields.flag("bias", False)
    if new:
        made.letters["n_kv_heads"] = grouped(fields, n_heads, fields.whole("num_kv_heads", n_heads))
    else:
        made.letters["n_kv_heads"] = 1 if fields.flag("multi_query", True) else n_heads
    made.letters["d_ff"] = fields.whole("ffn_hidden_size", 4 * d_model)
    made.vocabulary(tied=fields.flag("tie_word_embeddings", True))
    made.attention_blocks(biases=biases, output_biases=biases)
    made.mlp_blocks(n, gated=False, biases=biases)
    norms = fields.whole("num_ln_in_parallel_attn", 2) if new else 1
    if not new and not fields.flag("parallel_attn", True):
        norms = 2
    made.vectors("norms", layer_norm_parameters, norms * n + 1)
    return made


def _deepseek(fields: Fields, *, dense: int, n_experts: int, n_active: int, n_shared: int, d_expert: int) -> Builder:
    """Latent attention and experts, dense in the first blocks."""
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
    if fields.flag("attention_bias", False):
        raise fields.wrong("attention_bias of latent attention is not known to this package")
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
    first, every = fields.whole("first_k_dense_replace", dense, least=0), fields.whole("moe_layer_freq", 1)
    sparse = sum(i >= first and i % every == 0 for i in range(n))
    made.mlp_blocks(n - sparse, gated=True)
    shape = (fields.whole("n_routed_experts", n_experts), fields.whole("num_experts_per_tok", n_active))
    beside = fields.optional("n_shared_experts", n_shared)
    made.expert_blocks(sparse, *shape, fields.whole("moe_intermediate_size", d_expert), beside or 0)
    made.vectors("norms", rms_norm_parameters, 2 * n + 1)
    return made


def _deepseek_v2(fields: Fields) -> Builder:
    return _deepseek(fields, dense=0, n_experts=64, n_active=6, n_shared=2, d_expert=1407)


def _deepseek_v3(fields: Fields) -> Builder:
    return _deepseek(fields, dense=3, n_experts=256, n_active=8, n_shared=1, d_expert=2048)


FAMILIES: dict[str, Callable[[Fields], Builder]] = {
    "llama": _llama,
    "mistral": _mistral,
    "mixtral": _mixtral,
    "qwen2": _qwen2,
    "qwen3": _qwen3,
    "qwen3_moe": _qwen3_moe,
    "gemma": _gemma,
    "gemma2": _gemma2,
    "gemma3_text": _gemma3,
    "phi3": _phi3,
    "gpt2": _gpt2,
    "gptj": _gptj,
    "gpt_neox": _gpt_neox,
    "opt": _opt,
    "falcon": _falcon,
    "deepseek_v2": _deepseek_v2,
    "deepseek_v3": _deepseek_v3,
}


def build(fields: Fields) -> dict[str, Any]:
    """What a config says of a model, as the arguments of `Model`."""
    family = fields.word("model_type")
    if family not in FAMILIES:
        raise fields.wrong(str(unknown_name("model_type", family, FAMILIES)).removesuffix("."))
    made = FAMILIES[family](fields)
    return {
        "family": family,
        "letters": made.letters,
        "parts": tuple(made.parts),
    }
