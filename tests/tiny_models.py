"""The decoder of the engine that a config.json describes, for the families that it runs

Families that the engine loads are read by its own reader; the others are written out here, a second time and from
what their models are, not from what the formulas' reader makes of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reference_engine import Config
from reference_engine.altup import Alternating
from reference_engine.attention.compressed import Compression, Kind
from reference_engine.attention.index import Index
from reference_engine.attention.latent import Latent
from reference_engine.files import hub
from reference_engine.formats import F16
from reference_engine.recurrent.convolution import Convolution
from reference_engine.recurrent.states import States
from reference_engine.routing import Routing
from reference_engine.streams import Streams

Fields = dict[str, Any]
ALL = ("query", "key", "value", "output", "up", "down")


def engine_of(fields: Fields) -> Config:
    """The config of the decoder that the engine runs for a config.json."""
    kind = fields["model_type"]
    made = _FAMILIES.get(kind) or _HYBRIDS.get(kind) or PICKING.get(kind) or COMPRESSING.get(kind)
    return made(fields) if made else hub.read_config(hub.Values("config.json", fields), F16)


def _gated(fields: Fields, **switches: Any) -> Config:
    """RMS norms, rotary positions and a gated MLP."""
    usual = {
        "d_model": fields["hidden_size"],
        "n_kv_heads": fields["num_key_value_heads"],
        "d_ff": fields["intermediate_size"],
        "norm": "rms",
        "activation": "silu",
        "gated": True,
        "positions": "rotary",
        "tied": fields["tie_word_embeddings"],
    }
    shape = fields["num_hidden_layers"], fields["num_attention_heads"], fields["head_dim"], fields["vocab_size"]
    return Config(*shape, **(usual | switches))


def _gemma(fields: Fields) -> Config:
    return _gated(fields, activation="gelu_tanh")


def _gemma2(fields: Fields) -> Config:
    return _gated(fields, activation="gelu_tanh", post_norm=True, windows=(fields["sliding_window"], None))


def _gemma3(fields: Fields) -> Config:
    windows = (fields["sliding_window"],) * (fields["sliding_window_pattern"] - 1) + (None,)
    return _gated(fields, activation="gelu_tanh", post_norm=True, qk_norm=True, windows=windows)


def _gemma4(fields: Fields) -> Config:
    n, every = fields["num_hidden_layers"], 6
    types = fields["layer_types"] or ["full" if i % every == every - 1 else "sliding" for i in range(n)]
    full = [types[i].startswith("full") or i == n - 1 for i in range(n)]
    experts = {"beside": True, **_experts(fields | {"num_experts_per_tok": fields["top_k_experts"]}, "num_experts", 0)}
    experts["d_expert"] = fields["moe_intermediate_size"]
    return _gated(
        fields,
        activation="gelu_tanh",
        post_norm=True,
        qk_norm=True,
        windows=tuple(None if one else fields["sliding_window"] for one in full),
        n_kv_full=fields["num_global_key_value_heads"] or 0 if fields["attention_k_eq_v"] else 0,
        d_head_full=fields["global_head_dim"],
        keys_as_values=fields["attention_k_eq_v"],
        n_sharing=fields["num_kv_shared_layers"],
        sharing_width=fields["intermediate_size"] * (1 + fields["use_double_wide_mlp"]),
        d_block=fields["hidden_size_per_layer_input"],
        n_vocab_block=fields["vocab_size"] + 2,
        **(experts if fields["enable_moe_block"] else {}),
    )


def _gemma3n(fields: Fields) -> Config:
    n, every = fields["num_hidden_layers"], 5
    types = fields["layer_types"] or ["full" if i % every == every - 1 else "sliding" for i in range(n)]
    width = fields["intermediate_size"]
    return _gated(
        fields | {"intermediate_size": width[0] if isinstance(width, list) else width},
        activation="gelu_tanh",
        post_norm=True,
        qk_norm=True,
        windows=tuple(None if one.startswith("full") else fields["sliding_window"] for one in types),
        n_sharing=fields["num_kv_shared_layers"],
        d_block=fields["hidden_size_per_layer_input"],
        n_vocab_block=fields["vocab_size_per_layer_input"],
        alternating=Alternating(fields["altup_num_inputs"], fields["laurel_rank"]),
    )


def _phi3(fields: Fields) -> Config:
    return _gated(fields, windows=(fields["sliding_window"],))


def _qwen3_moe(fields: Fields) -> Config:
    every, plain = fields["decoder_sparse_step"], fields["mlp_only_layers"]
    return _gated(
        fields,
        qk_norm=True,
        windows=(fields["sliding_window"],),
        n_experts=fields["num_experts"],
        n_active=fields["num_experts_per_tok"],
        d_expert=fields["moe_intermediate_size"],
        sparse=tuple(i not in plain and i % every == every - 1 for i in range(fields["num_hidden_layers"])),
    )


def _deepseek(fields: Fields) -> Config:
    heads = {"num_key_value_heads": fields["num_attention_heads"], "head_dim": fields["qk_nope_head_dim"]}
    return _gated(
        fields | heads,
        attention=Latent(fields["kv_lora_rank"], fields["qk_rope_head_dim"], fields["q_lora_rank"] or 0),
        d_value=fields["v_head_dim"],
        n_experts=fields["n_routed_experts"],
        n_active=fields["num_experts_per_tok"],
        d_expert=fields["moe_intermediate_size"],
        n_shared=fields["n_shared_experts"] or 0,
        sparse=tuple(i >= fields["first_k_dense_replace"] for i in range(fields["num_hidden_layers"])),
    )


def _picking(fields: Fields) -> Config:
    """A decoder with an index that picks tokens: all blocks have one of their own, unless the config lists them."""
    types = fields.get("indexer_types") or ["full"] * fields["num_hidden_layers"]
    index = Index(
        fields["index_n_heads"],
        fields["index_head_dim"],
        fields["index_topk"],
        tuple(one == "full" for one in types),
        "halves" if fields["model_type"] == "deepseek_v32" else "neighbours",
    )
    made = _deepseek(fields)
    assert isinstance(made.attention, Latent)
    return replace(made, attention=replace(made.attention, index=index), rope_pairs="neighbours")


_KINDS: dict[str, Kind] = {
    "sliding_attention": "window",
    "compressed_sparse_attention": "sparse",
    "heavily_compressed_attention": "heavy",
}


def _compressing(fields: Fields) -> Config:
    """A window in every block, and entries of runs in those that the config lists."""
    n, hashed = fields["num_hidden_layers"], fields["num_hash_layers"]
    return Config(
        n,
        fields["num_attention_heads"],
        fields["head_dim"],
        fields["vocab_size"],
        d_model=fields["hidden_size"],
        n_kv_heads=1,
        norm="rms",
        norm_epsilon=fields["rms_norm_eps"],
        activation="silu",
        gated=True,
        mlp_limit=fields["swiglu_limit"],
        positions="rotary",
        rope_pairs="neighbours",
        windows=(fields["sliding_window"],),
        tied=fields["tie_word_embeddings"],
        attention=Compression(
            tuple(_KINDS[kind] for kind in fields["layer_types"]),
            fields["compress_rate_csa"],
            fields["compress_rate_hca"],
            fields["index_n_heads"],
            fields["index_head_dim"],
            fields["index_topk"],
            fields["o_groups"],
            fields["o_lora_rank"],
            fields["q_lora_rank"],
            fields["qk_rope_head_dim"],
        ),
        streams=Streams(fields["hc_mult"], fields["hc_sinkhorn_iters"]),
        routing=Routing("root_softplus", 1.5, tuple(i < hashed for i in range(n))),
        n_shared=1,
        **_experts(fields, "n_routed_experts", fields["moe_intermediate_size"]),
    )


def _plain(fields: Fields, **switches: Any) -> Config:
    """Layer norms, an MLP without a gate, and heads that share the model's width."""
    n_heads, d_model = fields["num_attention_heads"], fields["hidden_size"]
    return Config(
        fields["num_hidden_layers"], n_heads, d_model // n_heads, fields["vocab_size"], norm="layer", **switches
    )


def _gpt_oss(fields: Fields) -> Config:
    return _gated(
        fields,
        biases=("query", "key", "value", "output", "gate", "up", "down", "router"),
        sinks=True,
        windows=(fields["sliding_window"], None),
        **_experts(fields, "num_local_experts", fields["intermediate_size"]),
    )


def _qwen2_moe(fields: Fields) -> Config:
    every, plain = fields["decoder_sparse_step"], fields["mlp_only_layers"]
    return _gated(
        fields,
        biases=("query", "key", "value"),
        n_shared=1,
        d_shared=fields["shared_expert_intermediate_size"],
        shared_gate=True,
        sparse=tuple(i not in plain and i % every == every - 1 for i in range(fields["num_hidden_layers"])),
        **_experts(fields, "num_experts", fields["moe_intermediate_size"]),
    )


def _qwen3_next(fields: Fields) -> Config:
    every = fields["full_attention_interval"]
    states = States(
        "delta",
        fields["linear_num_value_heads"],
        fields["linear_num_key_heads"],
        fields["linear_key_head_dim"],
        fields["linear_value_head_dim"],
        fields["linear_conv_kernel_dim"],
        blocks=(True,) * (every - 1) + (False,),
    )
    return _gated(fields, qk_norm=True, attention_gate=True, states=states)


def _lfm2(fields: Fields) -> Config:
    """Of older files and of newer ones: what says the same twice is that of the older ones where both say it."""
    n, d_model = fields["num_hidden_layers"], fields["hidden_size"]
    types = fields.get("layer_types")
    blocks = tuple(kind == "conv" for kind in types or ())
    if not types:
        blocks = tuple(i not in fields.get("full_attn_idxs", range(n)) for i in range(n))
    states = Convolution(d_model, fields.get("conv_L_cache", 3), fields.get("conv_bias", False), blocks)
    usual = {"head_dim": d_model // fields["num_attention_heads"], "num_key_value_heads": 8}
    usual |= {"tie_word_embeddings": True, "intermediate_size": 12288}
    older = {"tie_word_embeddings": "tie_embedding", "intermediate_size": "block_ff_dim"}
    fields = usual | fields | {new: fields[old] for new, old in older.items() if old in fields}
    experts: dict[str, Any] = {}
    if fields["model_type"] == "lfm2_moe":
        plain = fields.get("num_dense_layers", 2)
        experts = _experts(fields, "num_experts", fields.get("moe_intermediate_size", 1792))
        experts["sparse"] = tuple(i >= plain for i in range(n))
    elif fields.get("block_auto_adjust_ff_dim", True):
        multiple = fields.get("block_multiple_of", 256)
        width = int(fields.get("block_ffn_dim_multiplier", 1.0) * int(2 * fields["intermediate_size"] / 3))
        fields["intermediate_size"] = (width + multiple - 1) // multiple * multiple
    return _gated(fields, qk_norm=True, states=states if any(blocks) else None, **experts)


def _mimo(fields: Fields) -> Config:
    """Twice the key/value heads and sinks where a window is, and values of a width of their own."""
    kinds, n_kv = [one == "sliding_attention" for one in fields["layer_types"]], fields["num_key_value_heads"]
    return _gated(
        fields | {"num_key_value_heads": 2 * n_kv if any(kinds) else n_kv},
        n_kv_full=n_kv,
        d_value=fields["v_head_dim"],
        sinks=any(kinds),
        windowed_sinks=any(kinds),
        windows=tuple(fields["sliding_window"] if windowed else None for windowed in kinds),
        sparse=tuple(one == "sparse" for one in fields["mlp_layer_types"]),
        **_experts(fields, "n_routed_experts", fields["moe_intermediate_size"]),
    )


def _minimax(fields: Fields) -> Config:
    return _gated(fields, joint_norms=True, **_experts(fields, "num_local_experts", fields["intermediate_size"]))


def _experts(fields: Fields, name: str, width: int) -> dict[str, Any]:
    return {"n_experts": fields[name], "n_active": fields["num_experts_per_tok"], "d_expert": width}


def _olmoe(fields: Fields) -> Config:
    experts = _experts(fields, "num_experts", fields["intermediate_size"])
    width = fields["hidden_size"] // fields["num_attention_heads"]
    return _gated(
        fields | {"head_dim": width}, joint_norms=True, biases=_attending(fields["attention_bias"]), **experts
    )


def _apertus(fields: Fields) -> Config:
    return _gated(fields, gated=False, activation="xielu", qk_norm=True, biases=_attending(fields["attention_bias"]))


def _seed_oss(fields: Fields) -> Config:
    return _gated(
        fields,
        biases=(
            *(("query", "key", "value") if fields["attention_bias"] else ()),
            *(("output",) if fields["attention_out_bias"] else ()),
            *(("gate", "up", "down") if fields["mlp_bias"] else ()),
        ),
    )


def _hunyuan(fields: Fields) -> Config:
    return _gated(fields, qk_norm=True, biases=_attending(fields["attention_bias"]))


def _hunyuan_moe(fields: Fields) -> Config:
    width = fields["intermediate_size"]
    experts = _experts(fields | {"num_experts_per_tok": fields["moe_topk"]}, "num_experts", width)
    return _gated(fields, qk_norm=True, n_shared=1, **experts)


def _ernie(fields: Fields) -> Config:
    return _gated(fields, biases=(*ALL, "gate") if fields["use_bias"] else ())


def _ernie_moe(fields: Fields) -> Config:
    first, every = fields["moe_layer_start_index"], fields["moe_layer_interval"]
    return _gated(
        fields,
        biases=("router",),
        n_shared=fields["moe_num_shared_experts"],
        sparse=tuple(i >= first and i % every == every - 1 for i in range(fields["num_hidden_layers"])),
        **_experts(
            fields | {"num_experts_per_tok": fields["moe_k"]}, "moe_num_experts", fields["moe_intermediate_size"]
        ),
    )


def _bailing(fields: Fields) -> Config:
    """Biases of the three apart from that after attention, as Ling has; norms in the second release alone."""
    return _gated(
        fields,
        qk_norm="architectures" in fields and fields["use_qk_norm"],
        biases=(
            *(("query", "key", "value") if fields["use_qkv_bias"] else ()),
            *(("output",) if fields["use_bias"] else ()),
        ),
        n_shared=fields["num_shared_experts"] or 0,
        sparse=tuple(i >= fields["first_k_dense_replace"] for i in range(fields["num_hidden_layers"])),
        **_experts(fields, "num_experts", fields["moe_intermediate_size"]),
    )


def _phimoe(fields: Fields) -> Config:
    return _gated(
        fields,
        norm="layer",
        biases=_attending(fields["attention_bias"]),
        output_bias=fields["lm_head_bias"],
        windows=(fields["sliding_window"],),
        **_experts(fields, "num_local_experts", fields["intermediate_size"]),
    )


def _attending(biases: bool) -> tuple[str, ...]:
    return ("query", "key", "value", "output") if biases else ()


def _glm4(fields: Fields) -> Config:
    return _gated(fields, post_norm=True, biases=("query", "key", "value") if fields["attention_bias"] else ())


def _starcoder2(fields: Fields) -> Config:
    return _gated(
        fields,
        norm="layer",
        gated=False,
        biases=ALL if fields["use_bias"] else (),
        windows=(fields["sliding_window"],),
    )


def _falcon(fields: Fields) -> Config:
    new = fields["new_decoder_architecture"]
    return _plain(
        fields,
        n_kv_heads=fields["num_kv_heads"] if new or not fields["multi_query"] else 1,
        d_ff=fields["ffn_hidden_size"] or 4 * fields["hidden_size"],
        biases=ALL if fields["bias"] else (),
        positions="rotary",
        parallel=fields["parallel_attn"] and not new,  # the new ones have a norm for each of the two
    )


def _opt(fields: Fields) -> Config:
    return _plain(
        fields,
        d_ff=fields["ffn_dim"],
        activation="relu",
        biases=ALL if fields["enable_bias"] else (),
        positions="learned",
        n_positions=fields["max_position_embeddings"] + 2,
        d_embedding=fields["word_embed_proj_dim"],
    )


def _gpt_neox(fields: Fields) -> Config:
    biases = ALL if fields["attention_bias"] else ("up", "down")
    return _plain(fields, d_ff=fields["intermediate_size"], biases=biases, positions="rotary", tied=False)


def _gptj(fields: Fields) -> Config:
    shape = {"num_hidden_layers": fields["n_layer"], "num_attention_heads": fields["n_head"]}
    return _plain(
        shape | {"hidden_size": fields["n_embd"], "vocab_size": fields["vocab_size"]},
        d_ff=fields["n_inner"] or 4 * fields["n_embd"],
        biases=("up", "down"),
        positions="rotary",
        parallel=True,
        tied=False,
        output_bias=True,
    )


_FAMILIES: dict[str, Callable[[Fields], Config]] = {
    "gemma": _gemma,
    "gemma2": _gemma2,
    "gemma3_text": _gemma3,
    "gemma3n_text": _gemma3n,
    "gemma4_text": _gemma4,
    "glm4": _glm4,
    "gpt_oss": _gpt_oss,
    "mimo_v2_flash": _mimo,
    "minimax_m2": _minimax,
    "phi3": _phi3,
    "qwen2_moe": _qwen2_moe,
    "starcoder2": _starcoder2,
    "qwen3_moe": _qwen3_moe,
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "apertus": _apertus,
    "bailing_moe": _bailing,
    "glm4_moe_lite": _deepseek,
    "olmoe": _olmoe,
    "seed_oss": _seed_oss,
    "hunyuan_v1_dense": _hunyuan,
    "hunyuan_v1_moe": _hunyuan_moe,
    "ernie4_5": _ernie,
    "ernie4_5_moe": _ernie_moe,
    "phimoe": _phimoe,
    "falcon": _falcon,
    "opt": _opt,
    "gpt_neox": _gpt_neox,
    "gptj": _gptj,
}

# Models with states are drawn for tests of their own; these are for the conformance suite, and for what letters mean.
_HYBRIDS: dict[str, Callable[[Fields], Config]] = {"qwen3_next": _qwen3_next, "lfm2": _lfm2, "lfm2_moe": _lfm2}
# And so are those with an index that picks tokens, of whose prompts no formula says anything.
PICKING: dict[str, Callable[[Fields], Config]] = dict.fromkeys(("deepseek_v32", "glm_moe_dsa"), _picking)
# As well as those that keep compressed runs, of which operations are counted nowhere.
COMPRESSING: dict[str, Callable[[Fields], Config]] = {"deepseek_v4": _compressing}

RUN = (*hub.KINDS, *_FAMILIES)  # what is drawn and run; what cannot be is held against other software's counts only
