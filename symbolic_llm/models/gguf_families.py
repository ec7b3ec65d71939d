"""Architectures of GGUF files as families: which field of a config.json each value of the metadata is

A file says what its config.json said, in other words. So it is put back into these words and read by the family, and
there is one reader of shapes. What a file does not say, its tensors show: whether there are biases, norms of queries,
or a second matrix for the output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import listed, shown
from .gguf_header import Header

_COMMON = {
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "max_position_embeddings": "context_length",
}
_PICKED = {"num_experts": "expert_count", "num_experts_per_tok": "expert_used_count"}
_MOE = {**_PICKED, "moe_intermediate_size": "expert_feed_forward_length"}
_WINDOW = {"sliding_window": "attention.sliding_window"}
_SHARED = {"shared_expert_intermediate_size": "expert_shared_feed_forward_length"}
_DENSE_FIRST = {"first_k_dense_replace": "leading_dense_block_count", "n_shared_experts": "expert_shared_count"}
_DELTA = {
    "linear_conv_kernel_dim": "ssm.conv_kernel",
    "linear_key_head_dim": "ssm.state_size",
    "linear_num_key_heads": "ssm.group_count",
    "linear_num_value_heads": "ssm.time_step_rank",
    "full_attention_interval": "full_attention_interval",
}
_INDEX = {
    "index_n_heads": "attention.indexer.head_count",
    "index_head_dim": "attention.indexer.key_length",
    "index_topk": "attention.indexer.top_k",
}


@dataclass(frozen=True)
class Metadata:
    """The header of a file under its architecture.

    Attributes:
        header: what the file says.
        name: its architecture, which begins the names of its values.
        n_blocks: blocks of the model; those behind them predict further tokens.
    """

    header: Header
    name: str
    n_blocks: int

    def __getitem__(self, key: str) -> int:
        found = self.whole(key)
        if found is None:
            raise self.header.wrong(f"{self.name}.{key} is missing")
        return found

    def whole(self, key: str) -> int | None:
        """Whole number of a value; None where there is none."""
        return self.header.whole(f"{self.name}.{key}")

    def entries(self, key: str) -> list[Any]:
        """A value for each block; empty where there is none."""
        return self.header.entries(f"{self.name}.{key}", self.n_blocks)

    @property
    def state_width(self) -> int:
        """Width of a head of states."""
        return self["ssm.inner_size"] // (self["ssm.time_step_rank"] or 1)

    def attending(self, kinds: tuple[str, str]) -> dict[str, Any]:
        """Fields of a model whose blocks attend or not: the kind of each, of these two, and its key/value heads."""
        heads = self.entries("attention.head_count_kv")
        return {"layer_types": [kinds[not one] for one in heads], "num_key_value_heads": max(heads, default=0) or 1}

    def has(self, endings: str | tuple[str, ...]) -> bool:
        """Whether a tensor of the model has a name with this ending, or one of these."""
        return any(name.endswith(endings) for name in self.header.tensors)


@dataclass(frozen=True)
class Architecture:
    """An architecture of llama.cpp.

    Attributes:
        model_type: of the config that says the same.
        keys: its fields beyond the common ones, by the values of the metadata.
        tensors: switches that are on where a tensor's name has this ending, or one of these.
        head: the field for the width of a head of states; "" where there are none.
        without: common fields that its family does not know.
        more: fields that follow from the metadata and the tensors.
    """

    model_type: str
    keys: Mapping[str, str] = field(default_factory=dict)
    tensors: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    head: str = ""
    without: tuple[str, ...] = ()
    more: Callable[[Metadata], dict[str, Any]] = lambda _: {}


_BIASES: Mapping[str, str | tuple[str, ...]] = {"attention_bias": (".attn_q.bias", ".attn_qkv.bias")}
_QK_NORMS = {**_BIASES, "use_qk_norm": ".attn_q_norm.weight"}
_USE_BIAS = {"use_bias": ".attn_q.bias"}
_SHORT, _SHORT_BIASES = {"conv_L_cache": "shortconv.l_cache"}, {"conv_bias": ".shortconv.conv.bias"}
_CONVOLVES = {"mamba_conv_bias": ".ssm_conv1d.bias"}
_OF_DELTA = "linear_value_head_dim"


def _llama(said: Metadata) -> dict[str, Any]:
    if not said.whole("expert_count"):
        return {name: said.has(ending) for name, ending in {**_BIASES, "mlp_bias": ".ffn_gate.bias"}.items()}
    return {"model_type": "mixtral", **{name: said[key] for name, key in _PICKED.items()}}


def _olmo2(said: Metadata) -> dict[str, Any]:
    window = said.whole("attention.sliding_window")
    return {"model_type": "olmo3", "sliding_window": window} if window else {}


def _latent(said: Metadata) -> dict[str, Any]:
    rope = said["rope.dimension_count"]
    key = said.whole("attention.key_length_mla") or said["attention.key_length"]
    value = said.whole("attention.value_length_mla") or said["attention.value_length"]
    return {
        "q_lora_rank": said.whole("attention.q_lora_rank"),
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": key - rope,
        "v_head_dim": value,
    }


def _kinds_of_mamba(said: Metadata) -> dict[str, Any]:
    """The kind of each block of Nemotron-H: attention has heads, an MLP a width, and states have neither."""
    heads, widths = said.entries("attention.head_count_kv"), said.entries("feed_forward_length")
    experts = "moe" if said.has(".ffn_up_exps.weight") else "mlp"
    kinds = ["attention" if h else experts if w else "mamba" for h, w in zip(heads, widths, strict=False)]
    return {
        "layers_block_type": kinds,
        "num_key_value_heads": max(heads, default=0) or 1,
        "intermediate_size": max(widths, default=0) or 1,
    }


def _kinds_of_granite(said: Metadata) -> dict[str, Any]:
    shared = said.whole("expert_shared_feed_forward_length") or said["feed_forward_length"]
    return {
        **said.attending(("attention", "mamba")),
        "shared_intermediate_size": shared,
        "num_local_experts": said.whole("expert_count") or 0,
        "num_experts_per_tok": said.whole("expert_used_count") or 0,
    }


def _kinds_of_lfm2(said: Metadata) -> dict[str, Any]:
    return {**said.attending(("full_attention", "conv")), "block_auto_adjust_ff_dim": False}


def _llama4(said: Metadata) -> dict[str, Any]:
    """Llama 4 says of its MLPs what others say of their experts, and the other way round."""
    return {
        "intermediate_size": said["expert_feed_forward_length"],
        "intermediate_size_mlp": said["feed_forward_length"],
    }


def _hunyuan_moe(said: Metadata) -> dict[str, Any]:
    shared, width = said.whole("expert_shared_feed_forward_length") or 0, said["expert_feed_forward_length"] or 1
    if shared % width:
        raise said.header.wrong(f"its shared experts are {shared} wide, which is not so many of {width}")
    return {"num_shared_expert": shared // width}


_ROUTED = {
    "n_routed_experts": "expert_count",
    "num_experts_per_tok": "expert_used_count",
    "moe_intermediate_size": "expert_feed_forward_length",
}
_DEEPSEEK = {"kv_lora_rank": "attention.kv_lora_rank", **_ROUTED, **_DENSE_FIRST}
_MAMBA = {
    "mamba_d_conv": "ssm.conv_kernel",
    "mamba_d_state": "ssm.state_size",
    "mamba_n_groups": "ssm.group_count",
    "mamba_n_heads": "ssm.time_step_rank",
}
_MULTI_HEAD = ("num_key_value_heads", "head_dim")  # of latent attention they say what a kernel sees

ARCHITECTURES = {
    "llama": Architecture("llama", more=_llama),
    "mistral3": Architecture("ministral3", _WINDOW),
    "qwen2": Architecture("qwen2"),
    "qwen2moe": Architecture("qwen2_moe", {**_MOE, **_SHARED}),
    "qwen2vl": Architecture("qwen2_vl_text"),
    "qwen3": Architecture("qwen3", tensors=_BIASES),
    "qwen3moe": Architecture("qwen3_moe", _MOE, tensors=_BIASES),
    "qwen3vl": Architecture("qwen3_vl_text", tensors=_BIASES),
    "qwen3vlmoe": Architecture("qwen3_vl_moe_text", _MOE, tensors=_BIASES),
    "qwen3next": Architecture("qwen3_next", {**_DELTA, **_MOE, **_SHARED}, head=_OF_DELTA),
    "qwen35": Architecture("qwen3_5_text", _DELTA, head=_OF_DELTA),
    "qwen35moe": Architecture("qwen3_5_moe_text", {**_DELTA, **_MOE, **_SHARED}, head=_OF_DELTA),
    "gemma": Architecture("gemma"),
    "gemma2": Architecture("gemma2", _WINDOW),
    "gemma3": Architecture("gemma3_text", _WINDOW),
    "phi2": Architecture("phi", without=("head_dim",)),
    "phi3": Architecture("phi3", _WINDOW, without=("head_dim",)),
    "phimoe": Architecture("phimoe", _PICKED, {**_BIASES, "lm_head_bias": "output.bias"}, without=("head_dim",)),
    "gpt2": Architecture("gpt2", {"n_inner": "feed_forward_length"}, without=(*_MULTI_HEAD, "intermediate_size")),
    "gptneox": Architecture("gpt_neox", without=_MULTI_HEAD, tensors=_BIASES),
    "bloom": Architecture(
        "bloom",
        {"seq_length": "context_length"},
        without=(*_MULTI_HEAD, "intermediate_size", "max_position_embeddings"),
    ),
    "starcoder2": Architecture("starcoder2", _WINDOW, without=("head_dim",), tensors=_USE_BIAS),
    "stablelm": Architecture(
        "stablelm",
        tensors={"use_qkv_bias": ".attn_q.bias", "qk_layernorm": ".attn_q_norm.weight"},
        without=("head_dim",),
        more=lambda said: {"use_parallel_residual": not said.has(".ffn_norm.weight")},
    ),
    "olmo2": Architecture("olmo2", tensors=_BIASES, more=_olmo2),
    "olmoe": Architecture("olmoe", _PICKED, tensors=_BIASES),
    "command-r": Architecture("cohere", tensors=_QK_NORMS),
    "cohere2": Architecture("cohere2", _WINDOW, tensors=_BIASES),
    "deepseek2": Architecture("deepseek_v3", _DEEPSEEK, without=_MULTI_HEAD, more=_latent),
    "glm-dsa": Architecture("glm_moe_dsa", {**_DEEPSEEK, **_INDEX}, without=_MULTI_HEAD, more=_latent),
    "chatglm": Architecture("glm", tensors=_BIASES),
    "glm4": Architecture("glm4", tensors=_BIASES),
    "glm4moe": Architecture("glm4_moe", {**_ROUTED, **_DENSE_FIRST}, tensors=_QK_NORMS),
    "granite": Architecture("granite", tensors=_BIASES),
    "granitemoe": Architecture("granitemoe", _PICKED, tensors=_BIASES),
    "granitehybrid": Architecture(
        "granitemoehybrid", _MAMBA, _CONVOLVES, "mamba_d_head", without=_MULTI_HEAD, more=_kinds_of_granite
    ),
    "nemotron_h": Architecture(
        "nemotron_h",
        {
            "n_groups": "ssm.group_count",
            "mamba_num_heads": "ssm.time_step_rank",
            "ssm_state_size": "ssm.state_size",
            "conv_kernel": "ssm.conv_kernel",
        },
        _CONVOLVES,
        "mamba_head_dim",
        without=("num_key_value_heads", "intermediate_size"),
        more=_kinds_of_mamba,
    ),
    "exaone4": Architecture("exaone4", _WINDOW),
    "ernie4_5": Architecture("ernie4_5", tensors=_USE_BIAS),
    "ernie4_5-moe": Architecture(
        "ernie4_5_moe",
        {
            **_MOE,
            "moe_num_shared_experts": "expert_shared_count",
            "moe_layer_start_index": "leading_dense_block_count",
            "moe_layer_interval": "interleave_moe_layer_step",
        },
        tensors=_USE_BIAS,
    ),
    "hunyuan-moe": Architecture(
        "hunyuan_v1_moe", {**_MOE, "moe_topk": "expert_used_count"}, _BIASES, more=_hunyuan_moe
    ),
    "falcon-h1": Architecture(
        "falcon_h1",
        {"mamba_d_ssm": "ssm.inner_size", **_MAMBA},
        {**_BIASES, **_CONVOLVES, "mamba_rms_norm": ".ssm_norm.weight"},
        "mamba_d_head",
    ),
    "llama4": Architecture(
        "llama4_text",
        {
            "num_local_experts": "expert_count",
            "num_experts_per_tok": "expert_used_count",
            "interleave_moe_layer_step": "interleave_moe_layer_step",
        },
        without=("intermediate_size",),
        more=_llama4,
    ),
    "hunyuan-dense": Architecture("hunyuan_v1_dense", tensors=_BIASES),
    "smollm3": Architecture("smollm3", tensors=_BIASES),
    "gpt-oss": Architecture(
        "gpt_oss", {**_PICKED, **_WINDOW, "intermediate_size": "expert_feed_forward_length"}, tensors=_BIASES
    ),
    "lfm2": Architecture("lfm2", _SHORT, _SHORT_BIASES, without=_MULTI_HEAD, more=_kinds_of_lfm2),
    "lfm2moe": Architecture(
        "lfm2_moe",
        {**_MOE, **_SHORT, "num_dense_layers": "leading_dense_block_count"},
        _SHORT_BIASES,
        without=_MULTI_HEAD,
        more=_kinds_of_lfm2,
    ),
    "seed_oss": Architecture("seed_oss", tensors={**_BIASES, "attention_out_bias": ".attn_output.bias"}),
    "apertus": Architecture("apertus", tensors=_BIASES),
    "minimax-m2": Architecture("minimax_m2", {**_PICKED, "intermediate_size": "expert_feed_forward_length"}),
}
ARCHITECTURES["nemotron_h_moe"] = replace(
    ARCHITECTURES["nemotron_h"],
    keys={
        **ARCHITECTURES["nemotron_h"].keys,
        **_ROUTED,
        "moe_shared_expert_intermediate_size": "expert_shared_feed_forward_length",
        "moe_latent_size": "moe_latent_size",
    },
)


def config_of(header: Header) -> tuple[dict[str, Any], int]:
    """The fields of a config.json that say the same as a header, and the number of the model's blocks.

    `InvalidModel` where the architecture is not known here, or a value is no number.
    """
    name = header.values.get("general.architecture")
    if not isinstance(name, str) or name not in ARCHITECTURES:
        known = listed(sorted(ARCHITECTURES))
        raise header.wrong(f"general.architecture '{shown(name)}' is not sized from a GGUF file yet; {known} are")
    one, table = ARCHITECTURES[name], header.tensors.get("token_embd.weight")
    if table is None:
        raise header.wrong("the tensor token_embd.weight is missing")
    blocks = header.whole(f"{name}.block_count")
    n_blocks = (blocks or 0) - (header.whole(f"{name}.nextn_predict_layers") or 0)
    if not 0 < n_blocks <= len(header.tensors):
        raise header.wrong(f"{name}.block_count must be a number of blocks that has tensors, not {shown(blocks)}")
    said = Metadata(header, name, n_blocks)
    keys = {field: key for field, key in _COMMON.items() if field not in one.without} | {**one.keys}
    fields: dict[str, Any] = {field: value for field, key in keys.items() if (value := said.whole(key)) is not None}
    if "sliding_window" in keys:
        fields.setdefault("sliding_window", None)  # absent would be what the family has by default
        kinds = said.entries("attention.sliding_window_pattern")
        if len(kinds) == n_blocks > 1 and all(isinstance(kind, bool) for kind in kinds):
            fields["layer_types"] = ["sliding_attention" if kind else "full_attention" for kind in kinds]
    fields |= {name: said.has(endings) for name, endings in one.tensors.items()}
    if one.head:
        fields[one.head] = said.state_width
    return {
        "num_hidden_layers": n_blocks,
        "vocab_size": table[0][0],
        "tie_word_embeddings": "output.weight" not in header.tensors,
        **fields,
        "model_type": one.model_type,
        **one.more(said),
    }, n_blocks
