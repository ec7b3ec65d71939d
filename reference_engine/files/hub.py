"""Model directories: the configuration in config.json

Absent values have the defaults of transformers. Whatever the engine does not run is refused, and so is whatever it
does not know and may change results.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import pi
from pathlib import Path

import numpy as np

from ..config import Config
from ..formats import Format
from .tensors import ModelFileError, Values, regular

LARGEST_JSON = 2**24  # bytes; an index of some ten thousand tensors has two million
HEADS, EXPERTS = 2**14, 2**12  # more than any model has; what is looped over is bounded before it is believed

ACTIVATIONS = {
    "silu": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}


@dataclass(frozen=True)
class Kind:
    """Defaults of a `model_type`, for values that config.json leaves out.

    Attributes:
        architecture: the class that has these weights and runs them so.
        n_kv_heads: key/value heads; as many as heads if 0.
        d_head: width of a head; its share of the model's if 0.
        window: tokens of the window; none if 0.
        epsilon: of the norms.
        theta: base of the rotary wavelengths.
    """

    architecture: str
    n_kv_heads: int = 0
    d_head: int = 0
    window: int = 0
    epsilon: float = 1e-6
    theta: float = 10_000.0


KINDS = {
    "llama": Kind("LlamaForCausalLM"),
    "mistral": Kind("MistralForCausalLM", n_kv_heads=8, window=4096),
    "mixtral": Kind("MixtralForCausalLM", n_kv_heads=8, epsilon=1e-5, theta=1e6),
    "qwen2": Kind("Qwen2ForCausalLM", n_kv_heads=32, window=4096),
    "qwen3": Kind("Qwen3ForCausalLM", n_kv_heads=32, d_head=128, window=4096),
    "gpt2": Kind("GPT2LMHeadModel", epsilon=1e-5),
}

# A name with such a word may change results; token ids, dropouts and what wrote the file have none.
_TELLING = frozenset(
    {
        "activation", "alibi", "architecture", "bias", "biases", "bidirectional", "block", "blocks", "cap", "causal",
        "clip", "cross", "dim", "draft", "expert", "experts", "group", "groups", "head", "heads", "interleave",
        "interleaved", "kv", "layer", "layernorm", "layers", "logit", "logits", "lora", "mlp", "moe", "mtp",
        "multiplier", "n", "nextn", "norm", "norms", "num", "parallel", "quantization", "query", "rank", "rope",
        "rotary", "scalar", "scale", "scaling", "share", "shared", "sink", "size", "sizes", "sliding", "softcap",
        "softcapping", "ssm", "state", "tie", "tied", "window", "windows",
    }
)  # fmt: skip
_HARMLESS = frozenset(
    {
        "_num_labels", "chunk_size_feed_forward", "context_window_size", "encoder_no_repeat_ngram_size", "ep_size",
        "experts_implementation", "max_batch_size", "max_window_layers", "n_ctx", "no_repeat_ngram_size",
        "num_beam_groups", "num_beams", "num_labels", "num_return_sequences", "output_router_logits",
        "prefill_chunk_size", "reorder_and_upcast_attn", "tensor_parallel_shards", "tensor_parallel_size",
        "tie_encoder_decoder",
    }
)  # fmt: skip


# Names of other libraries for what the description has already, and switches of what a family always has or has not.
_RESTATED = {
    "n_blocks": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "d_model": ("hidden_size", "n_embd", "n_embed", "d_model", "dim", "model_dim"),
    "n_heads": ("num_attention_heads", "n_head", "n_heads", "num_heads", "num_query_heads"),
    "n_kv_heads": (
        "num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "num_query_groups", "multi_query_group_num",
    ),
    "d_head": ("head_dim", "attention_head_dim", "attention_head_size", "d_head", "head_size", "kv_channels"),
    "d_ff": ("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "d_ff"),
    "n_vocab": ("vocab_size", "n_vocab", "padded_vocab_size"),
    "n_experts": ("num_experts", "num_local_experts", "n_routed_experts", "n_experts", "moe_num_experts"),
    "n_active": (
        "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_router_topk", "moe_topk",
        "num_selected_experts", "top_k_experts",
    ),
    "d_expert": ("moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size"),
    "windows": ("sliding_window_size", "window_size"),
    "qk_norm": ("use_qk_norm", "qk_norm", "qk_layernorm", "use_qk_layernorm"),
    "gated": ("use_gated_activation", "gated_mlp", "use_gated_mlp", "use_glu", "use_swiglu"),
    "tied": ("tie_embeddings", "tied_embeddings", "tie_word_embedding", "share_embedding", "use_embedding_sharing"),
    "query": ("qkv_bias", "use_qkv_bias", "attention_qkv_bias", "add_qkv_bias"),
    "output": ("attention_out_bias", "attention_output_bias"),
    "down": ("mlp_bias", "use_mlp_bias"),
    "logits": ("lm_head_bias",),
}  # fmt: skip


def read_json(path: Path) -> Values:
    """The names and values of a JSON file."""
    try:
        if regular(path).st_size > LARGEST_JSON:
            raise ModelFileError(f"{path.name} is larger than {LARGEST_JSON} bytes")
        return Values(path.name, json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ModelFileError(f"{str(path)[-200:]} cannot be read: {error.strerror}") from None
    except RecursionError:
        raise ModelFileError(f"{path.name} is nested too deep") from None
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"{path.name} is not JSON: {error}") from None


def read_config(values: Values, cache: Format) -> Config:
    """Configuration of the decoder that config.json describes; refused where the engine does not run it."""
    name = values.one_of("model_type", {name: name for name in KINDS})
    kind = KINDS[name]
    for architecture in values.words("architectures"):
        if architecture != kind.architecture:
            raise ModelFileError(
                f"{values.where}: for {name} the engine supports {kind.architecture}, not {architecture:.60}"
            )
    # a model that brings code of its own computes what that code says, and not what its fields say
    classes = [key for key in values.section("auto_map").names if str(key).startswith("AutoModel")]
    if classes:
        values.section("auto_map").must_be(classes[0], "")
    if not values.flag("is_causal", True):
        raise ModelFileError(f"{values.where}: the engine does not support is_causal False")
    config = _gpt2(values, cache, kind) if name == "gpt2" else _llama(values, cache, name, kind)
    _refuse_contradictions(values, config)
    values.refuse_others(lambda key: key not in _HARMLESS and not _TELLING.isdisjoint(re.split("[^a-z]+", key.lower())))
    return config


def _refuse_contradictions(values: Values, config: Config) -> None:
    """Refuse fields that contradict those that were read; false and 0 contradict as any other value does."""
    # where there are no experts none has a width, whatever width an expert would have
    numbers = {
        "windows": max(window or 0 for window in config.windows),
        "d_expert": config.d_expert * bool(config.n_experts),
    }
    for what, names in _RESTATED.items():
        is_so = numbers[what] if what in numbers else getattr(config, what, what in config.biases)
        for name in names:
            # a number of nothing contradicts none: what is said of experts where there are none is looked at below
            if name not in values.asked and (is_so or is_so is False):
                values.must_be(name, is_so)


def _llama(values: Values, cache: Format, name: str, kind: Kind) -> Config:
    d_model, n_heads = values.whole("hidden_size"), values.whole("num_attention_heads", most=HEADS)
    n_blocks = values.whole("num_hidden_layers", most=HEADS)
    d_head = _head_width(values, d_model, n_heads, kind)
    biases: tuple[str, ...] = ("query", "key", "value") if name == "qwen2" else ()
    if name in ("llama", "qwen3") and values.flag("attention_bias", False):
        biases = ("query", "key", "value", "output")
    if name == "llama" and values.flag("mlp_bias", False):
        biases += ("gate", "up", "down")
    theta, factors = _rope(values, d_head, kind)
    experts = values.whole("num_local_experts", 8, most=EXPERTS) if name == "mixtral" else 0
    return Config(
        n_blocks,
        n_heads,
        d_head,
        values.whole("vocab_size"),
        cache=cache,
        d_model=d_model,
        n_kv_heads=values.whole("num_key_value_heads", kind.n_kv_heads or n_heads, null=n_heads, most=HEADS),
        d_ff=values.whole("intermediate_size"),
        norm="rms",
        norm_epsilon=values.number("rms_norm_eps", kind.epsilon),
        activation=values.one_of("hidden_act", ACTIVATIONS, "silu"),
        gated=True,
        biases=biases,
        positions="rotary",
        rope_theta=theta,
        rope_factors=factors,
        qk_norm=name == "qwen3",
        tied=values.flag("tie_word_embeddings", False),
        n_experts=experts,
        n_active=values.whole("num_experts_per_tok", 2, most=EXPERTS) if experts else 0,
        windows=_windows(values, name, kind, n_blocks),
        context_length=values.whole("max_position_embeddings", 0, null=0),
    )


def _head_width(values: Values, d_model: int, n_heads: int, kind: Kind) -> int:
    share = d_model // n_heads if d_model % n_heads == 0 else None
    null = None if kind.d_head else share
    width = values.whole("head_dim", kind.d_head or share, null=null, most=HEADS)
    if width > HEADS:
        raise ModelFileError(f"{values.where}: heads are {width} wide")
    return width


def _rope(values: Values, d_head: int, kind: Kind) -> tuple[float, tuple[float, ...]]:
    """Base of the rotary wavelengths, and the divisor of each frequency; no divisors without scaling."""
    sections = [values.section(name) for name in ("rope_parameters", "rope_scaling") if values.has(name)]
    if len([section for section in sections if section.all]) > 1:
        raise ModelFileError(
            f"{values.where} has both rope_parameters and rope_scaling, which may contradict each other; keep one"
        )
    section = next((section for section in sections if section.all), values.section("rope_scaling"))
    outside = values.number("rope_theta", kind.theta)
    theta = section.number("rope_theta", outside)
    if values.has("rope_theta") and theta != outside:
        raise ModelFileError(f"{values.where} has two values of rope_theta")
    for where in (values, section):
        where.must_be("partial_rotary_factor", 1, 1.0)
    scaling = section.word("rope_type", section.word("type", "default"))
    if section.word("type", scaling) != scaling:
        raise ModelFileError(f"{section.where} has two types")
    if scaling not in ("default", "linear", "llama3"):
        raise ModelFileError(f"{section.where}: the engine does not know the rotary scaling {scaling!r:.40}")
    factors: tuple[float, ...] = ()
    if scaling == "linear":
        factors = (section.number("factor"),) * (d_head // 2)
    elif scaling == "llama3":
        factors = _stretched(values, section, theta, d_head)
    section.refuse_others(lambda _: True)
    return theta, factors


def _stretched(values: Values, section: Values, theta: float, d_head: int) -> tuple[float, ...]:
    """Divisor of each rotary frequency in llama3's scaling: from 1 for fast rotations to `factor` for slow ones."""
    factor = section.number("factor")
    low, high = section.number("low_freq_factor"), section.number("high_freq_factor")
    original = section.whole("original_max_position_embeddings")
    # it may stand outside of the section as well, but not with another value
    values.must_be("original_max_position_embeddings", original)
    if not (theta > 0 and factor > 0 and low < high):
        raise ModelFileError(f"{section.where}: the factors contradict each other")
    turns = original * theta ** (-np.arange(0, d_head, 2) / d_head) / (2 * pi)  # of each pair, within that context
    kept = np.clip((turns - low) / (high - low), 0, 1)
    return tuple((1 / ((1 - kept) / factor + kept)).tolist())


def _windows(values: Values, name: str, kind: Kind, n_blocks: int) -> tuple[int | None, ...]:
    """The window of each block: of all, of the later ones of a Qwen, or of those that are listed."""
    if name == "llama":
        return (None,)
    qwen, window = name.startswith("qwen"), values.whole("sliding_window", kind.window, null=0)
    # Qwen counts from below: so many blocks see everything, those above them a window
    full = values.whole("max_window_layers", 28, least=0) if qwen else 0
    switched = values.flag("use_sliding_window", not qwen)
    if window and not switched and not qwen:
        raise ModelFileError(f"{values.where}: use_sliding_window is false, but {name} always uses its sliding_window")
    window = window if switched else 0
    types = values.words("layer_types") if name != "mixtral" else []
    listed = name != "mixtral" and values.has("layer_types")
    if listed and (len(types) != n_blocks or not set(types) <= {"full_attention", "sliding_attention"}):
        raise ModelFileError(
            f"{values.where}: layer_types must list full_attention or sliding_attention for each layer"
        )
    if "sliding_attention" in types and not window:
        raise ModelFileError(f"{values.where}: layer_types lists sliding_attention, but no window is given")
    if not window or not (listed or qwen):
        return (window or None,)
    there = [kind == "sliding_attention" for kind in types] or [i >= full for i in range(n_blocks)]
    return tuple(window if windowed else None for windowed in there)


def _gpt2(values: Values, cache: Format, kind: Kind) -> Config:
    d_model, n_heads = values.whole("n_embd"), values.whole("n_head", most=HEADS)
    if d_model % n_heads:
        raise ModelFileError(f"{values.where}: n_embd {d_model} cannot be divided into {n_heads} heads")
    for name, usual in (
        ("scale_attn_weights", True),
        ("scale_attn_by_inverse_layer_idx", False),
        ("add_cross_attention", False),
    ):
        if values.flag(name, usual) != usual:
            raise ModelFileError(f"{values.where}: the engine does not support a GPT-2 with {name} {not usual}")
    return Config(
        values.whole("n_layer", most=HEADS),
        n_heads,
        d_model // n_heads,
        values.whole("vocab_size"),
        cache=cache,
        d_model=d_model,
        d_ff=values.whole("n_inner", 4 * d_model, null=4 * d_model),
        norm="layer",
        norm_epsilon=values.number("layer_norm_epsilon", kind.epsilon),
        activation=values.one_of("activation_function", ACTIVATIONS, "gelu_new"),
        biases=("query", "key", "value", "output", "up", "down"),
        positions="learned",
        n_positions=values.whole("n_positions", 1024),
        context_length=values.whole("n_positions", 1024),
        tied=values.flag("tie_word_embeddings", True),
    )
