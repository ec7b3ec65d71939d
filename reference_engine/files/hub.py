"""Model directories: config.json and safetensors files, with the names that model hubs use"""

from __future__ import annotations

import json
from functools import partial
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from ..config import Config
from ..formats import NAMED, Format
from .tensors import ModelFileError, Place, Tensor, Values

LARGEST_JSON = 2**24  # bytes; an index of some ten thousand tensors has two million
HEADS, EXPERTS = 2**14, 2**12  # more than any model has; what is looped over is bounded before it is believed

ACTIVATIONS = {
    "silu": "silu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
}

Places = dict[str, tuple[Place, ...]]

_LAYER, _MOE = "model.layers.{}.", "model.layers.{}.block_sparse_moe."
_FUSED = partial(Place, suffix="", entry=True)  # all experts of a layer in one tensor, the newer custom
_FUSED_UP, _FUSED_DOWN = "model.layers.{0}.mlp.experts.gate_up_proj", "model.layers.{0}.mlp.experts.down_proj"
LLAMA: Places = {
    "embedding": (Place("model.embed_tokens"),),
    "blocks.{}.norm_1": (Place(_LAYER + "input_layernorm"),),
    "blocks.{}.query": (Place(_LAYER + "self_attn.q_proj"),),
    "blocks.{}.key": (Place(_LAYER + "self_attn.k_proj"),),
    "blocks.{}.value": (Place(_LAYER + "self_attn.v_proj"),),
    "blocks.{}.output": (Place(_LAYER + "self_attn.o_proj"),),
    "blocks.{}.query_norm": (Place(_LAYER + "self_attn.q_norm"),),
    "blocks.{}.key_norm": (Place(_LAYER + "self_attn.k_norm"),),
    "blocks.{}.norm_2": (Place(_LAYER + "post_attention_layernorm"),),
    "blocks.{}.gate": (Place(_LAYER + "mlp.gate_proj"),),
    "blocks.{}.up": (Place(_LAYER + "mlp.up_proj"),),
    "blocks.{}.down": (Place(_LAYER + "mlp.down_proj"),),
    "blocks.{}.router": (Place(_MOE + "gate"), Place(_LAYER + "mlp.gate")),
    "blocks.{}.experts.{}.gate": (
        Place(_MOE + "experts.{}.w1"),
        _FUSED(_FUSED_UP, part=(0, 2)),
    ),
    "blocks.{}.experts.{}.up": (Place(_MOE + "experts.{}.w3"), _FUSED(_FUSED_UP, part=(1, 2))),
    "blocks.{}.experts.{}.down": (Place(_MOE + "experts.{}.w2"), _FUSED(_FUSED_DOWN)),
    "norm": (Place("model.norm"),),
    "output": (Place("lm_head"),),
}
GPT2: Places = {
    "embedding": (Place("wte"),),
    "positions": (Place("wpe"),),
    "blocks.{}.norm_1": (Place("h.{}.ln_1"),),
    "blocks.{}.query": (Place("h.{}.attn.c_attn", part=(0, 3), turned=True),),
    "blocks.{}.key": (Place("h.{}.attn.c_attn", part=(1, 3), turned=True),),
    "blocks.{}.value": (Place("h.{}.attn.c_attn", part=(2, 3), turned=True),),
    "blocks.{}.output": (Place("h.{}.attn.c_proj", turned=True),),
    "blocks.{}.norm_2": (Place("h.{}.ln_2"),),
    "blocks.{}.up": (Place("h.{}.mlp.c_fc", turned=True),),
    "blocks.{}.down": (Place("h.{}.mlp.c_proj", turned=True),),
    "norm": (Place("ln_f"),),
    "output": (Place("lm_head"),),
}
SPARE = (".rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias", "lm_head.weight")  # masks, tables, a tied output


def read_json(path: Path) -> Values:
    """The names and values of a JSON file."""
    try:
        if path.stat().st_size > LARGEST_JSON:
            raise ModelFileError(f"{path.name} is larger than {LARGEST_JSON} bytes")
        return Values(path.name, json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}") from None
    except RecursionError:
        raise ModelFileError(f"{path.name} is nested too deep") from None
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"{path.name} is no JSON: {error}") from None


def read_config(values: Values, cache: Format) -> Config:
    """What config.json describes."""
    kinds = {name: name for name in ("llama", "mistral", "mixtral", "qwen2", "qwen3", "gpt2")}
    kind = values.one_of("model_type", kinds)
    return _gpt2(values, cache) if kind == "gpt2" else _llama(values, cache, kind)


def _llama(values: Values, cache: Format, kind: str) -> Config:
    d_model, n_heads = values.whole("hidden_size"), values.whole("num_attention_heads", most=HEADS)
    n_blocks, d_head = values.whole("num_hidden_layers", most=HEADS), d_model // n_heads
    d_head = values.whole("head_dim", d_head or None, most=HEADS)
    if d_head > HEADS:
        raise ModelFileError(f"{values.where}: heads are {d_head} wide")
    biases: tuple[str, ...] = ("query", "key", "value") if kind == "qwen2" else ()
    if values.flag("attention_bias", False):
        biases = ("query", "key", "value", "output")
    if values.flag("mlp_bias", False):
        biases += ("gate", "up", "down")
    theta, factors = _rope(values, d_head)
    experts = values.whole("num_local_experts", most=EXPERTS) if kind == "mixtral" else 0
    return Config(
        n_blocks,
        n_heads,
        d_head,
        values.whole("vocab_size"),
        cache=cache,
        d_model=d_model,
        n_kv_heads=values.whole("num_key_value_heads", n_heads, most=HEADS),
        d_ff=values.whole("intermediate_size"),
        norm="rms",
        norm_epsilon=values.number("rms_norm_eps", 1e-6),
        activation=values.one_of("hidden_act", ACTIVATIONS, "silu"),
        gated=True,
        biases=biases,
        positions="rotary",
        rope_theta=theta,
        rope_factors=factors,
        qk_norm=kind == "qwen3",
        tied=values.flag("tie_word_embeddings", False),
        n_experts=experts,
        n_active=values.whole("num_experts_per_tok", 2, most=EXPERTS) if experts else 0,
        windows=_windows(values, kind, n_blocks),
    )


def _rope(values: Values, d_head: int) -> tuple[float, tuple[float, ...]]:
    """Base of the rotary wavelengths, and what each frequency is divided by."""
    section = values.section("rope_parameters" if values.has("rope_parameters") else "rope_scaling")
    theta = section.number("rope_theta", values.number("rope_theta", 10_000.0))
    kind = section.word("rope_type", section.word("type", "default"))
    if kind == "default":
        return theta, ()
    if kind not in ("linear", "llama3"):
        raise ModelFileError(f"{section.where}: the engine does not know the rotary scaling {kind!r:.40}")
    factor = section.number("factor")
    if kind == "linear":
        return theta, (factor,) * (d_head // 2)
    low, high = section.number("low_freq_factor"), section.number("high_freq_factor")
    original = section.whole("original_max_position_embeddings")
    if not (theta > 0 and factor > 0 and low < high):
        raise ModelFileError(f"{section.where}: the factors contradict each other")
    turns = original * theta ** (-np.arange(0, d_head, 2) / d_head) / (2 * pi)  # of each pair, within that context
    kept = np.clip((turns - low) / (high - low), 0, 1)
    return theta, tuple((1 / ((1 - kept) / factor + kept)).tolist())


def _windows(values: Values, kind: str, n_blocks: int) -> tuple[int | None, ...]:
    if not values.has("sliding_window") or not values.flag("use_sliding_window", kind in ("mistral", "mixtral")):
        return (None,)
    window = values.whole("sliding_window")
    if kind in ("mistral", "mixtral"):
        return (window,)
    full = min(n_blocks, values.whole("max_window_layers", n_blocks))
    return (None,) * full + (window,) * (n_blocks - full)


def _gpt2(values: Values, cache: Format) -> Config:
    d_model, n_heads = values.whole("n_embd"), values.whole("n_head", most=HEADS)
    if d_model % n_heads:
        raise ModelFileError(f"{values.where}: n_embd {d_model} does not divide into {n_heads} heads")
    for name, usual in (("scale_attn_weights", True), ("scale_attn_by_inverse_layer_idx", False)):
        if values.flag(name, usual) != usual:
            raise ModelFileError(f"{values.where}: the engine does not know a GPT-2 with {name} {not usual}")
    return Config(
        values.whole("n_layer", most=HEADS),
        n_heads,
        d_model // n_heads,
        values.whole("vocab_size"),
        cache=cache,
        d_model=d_model,
        d_ff=values.whole("n_inner", 4 * d_model),
        norm="layer",
        norm_epsilon=values.number("layer_norm_epsilon", 1e-5),
        activation=values.one_of("activation_function", ACTIVATIONS, "gelu_new"),
        biases=("query", "key", "value", "output", "up", "down"),
        positions="learned",
        n_positions=values.whole("n_positions"),
        tied=values.flag("tie_word_embeddings", True),
    )


def places_of(config: Config) -> Places:
    """Where the weights lie."""
    return GPT2 if config.positions == "learned" else LLAMA


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """All tensors of a folder, mapped."""
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return read_safetensors(folder / "model.safetensors")
    shards = read_json(index).section("weight_map")
    files = {shards.word(name) for name in shards.names}
    tensors: dict[str, Tensor] = {}
    for file in sorted(files):
        if not file.isprintable() or Path(file).name != file:
            raise ModelFileError(f"{index.name}: {file!r:.60} is no file of this folder")
        tensors |= read_safetensors(folder / file)
    missing = [name for name in shards.names if name not in tensors]
    if missing:
        raise ModelFileError(f"{index.name}: the tensor {missing[0]} is in none of the files")
    return tensors


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The tensors of one file, mapped. The library checks the header; the numbers are then viewed where they lie."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise ImportError("to load model directories, install the package safetensors") from None
    try:
        with safe_open(path, framework="numpy"):
            pass
        data = np.asarray(np.memmap(path, np.uint8, mode="r"))
        start = 8 + int.from_bytes(data[:8].tobytes(), "little")
        header: Any = json.loads(data[8:start].tobytes())
    except (OSError, SafetensorError, ValueError, RecursionError) as error:
        if isinstance(error, FileNotFoundError):
            raise ModelFileError(f"there is no {path.name} in {path.parent}") from None
        raise ModelFileError(f"{path.name} is no safetensors file: {error}") from None
    header.pop("__metadata__", None)
    return {name: _tensor(path.name, name, entry, data[start:]) for name, entry in header.items()}


def _tensor(file: str, name: str, entry: Any, data: Any) -> Tensor:
    format = NAMED.get(entry["dtype"])
    if format is None:
        raise ModelFileError(f"{file}: the tensor {name!r:.80} holds {entry['dtype']}, which the engine does not read")
    first, last = entry["data_offsets"]
    return Tensor(data[first:last].view(format.dtype).reshape(entry["shape"]), format)
