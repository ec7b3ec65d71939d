"""Writes kv.json from the catalogue: what each case's model weighs, keeps and computes, exactly

    python conformance/make.py

Real models are those of the presets; tiny ones are small enough for the tests to run them whole and compare with `==`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

from symbolic_llm import Model, presets
from symbolic_llm.files import write
from symbolic_llm.notation import C_prompt
from symbolic_llm.quantity import evaluated

PATH = Path(__file__).parent / "kv.json"
VERSION = 3
QUANTITIES = {
    "parameters": "Weights that are stored. An output matrix that is the embedding counts once.",
    "multiplied_parameters": "Weights that a token is multiplied with in a pass: of experts those it is sent to; no "
    "norms and no biases, and an embedding only where it is the output matrix.",
    "weight_bytes": "Bytes of all stored weights, each of `bits` bits.",
    "kv_bytes": "Bytes of the cache that `batch` sequences of `context` tokens hold, each number of "
    "`bits` bits. A layer with a window keeps no more tokens than its window; latent "
    "attention keeps a latent vector and a rotary key for each token and layer; a layer with a state keeps none.",
    "state_bytes": "Bytes of what layers with a state hold of `batch` sequences, however long they are: the "
    "states, in the bits that the config says or 32, and the inputs before the newest that their convolutions "
    "look back on, of `bits` bits.",
    "decode_flops": "FLOPs of the matrix products of a decoding step of `batch` sequences, the new token "
    "being the last of `context`, two for a multiply-add: projections, attention over what is "
    "kept, experts, router, output matrix. Latent attention is absorbed. A state is met once by each token: what "
    "a delta rule recalls from it, what is written into it and what is read from it; no convolutions.",
    "prefill_flops": "FLOPs of the matrix products of a pass over `batch` prompts of `context` tokens: logits "
    "of every token, every score of a square, though a mask or a window hides some. Latent "
    "attention is expanded. States are met by one token after the other, not in chunks.",
    "last_logits_prefill_flops": "The same with logits of the last token of each prompt only.",
    "effective_bits": "Bits of a weight in blocks of `n_block` codes of `n_bits` bits that share a scale of "
    "`n_scale` bits.",
}
_FORMULAS = {
    "parameters": "P_total",
    "multiplied_parameters": "P",
    "weight_bytes": "weight_bytes",
    "kv_bytes": "kv_bytes_total",
    "decode_flops": "decode_product_flops",
    "prefill_flops": "prefill_product_flops",
    "last_logits_prefill_flops": "prefill_product_flops",
}
_HYBRID_FORMULAS = {
    "parameters": "P_total",
    "multiplied_parameters": "P",
    "weight_bytes": "weight_bytes",
    "kv_bytes": "m_token",
    "state_bytes": "state_bytes",
    "decode_flops": "decode_product_flops",
    "prefill_flops": "prefill_product_flops",
}
_OF_ONE = ("m_token", "state_bytes")  # token or sequence
_LETTERS = {"context": "N", "batch": "B"}
_REAL = {
    "llama-2-7b": "every head has keys and values",
    "llama-3-8b": "grouped heads",
    "llama-3.2-3b": "grouped heads, tied output matrix",
    "qwen3-8b": "grouped heads with norms",
    "qwen3-32b": "heads wider than the model's width divided by them",
    "falcon-7b": "one head of keys and values",
    "opt-1.3b": "no gate, biases, learned positions",
    "mistral-7b-v0.1": "a window in every layer",
    "gemma-2-2b": "a window in every other layer",
    "gemma-3-1b-text": "a window in five of six layers",
    "mixtral-8x7b": "experts",
    "qwen3-30b-a3b": "experts, heads wider than the model's width divided by them",
    "deepseek-v2-lite": "latent attention, experts, shared ones beside them",
    "deepseek-v3": "latent attention with a latent query, experts",
}
_HYBRID = {
    "qwen3-next-80b-a3b": "states of a gated delta rule in three of four layers, experts",
    "nemotron-3-nano-30b-a3b": "states of Mamba-2, attention in few layers, experts",
}
_LLAMA = {
    "model_type": "llama",
    "vocab_size": 7,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 2,
    "hidden_size": 8,
    "intermediate_size": 11,
    "tie_word_embeddings": False,
}
_TINY: dict[str, tuple[str, dict[str, Any]]] = {
    "tiny-grouped": ("grouped heads", _LLAMA),
    "tiny-wide-heads": ("heads wider than the model's width divided by them", _LLAMA | {"head_dim": 6}),
    "tiny-one-head": (
        "one head of keys and values, tied output matrix",
        _LLAMA | {"num_key_value_heads": 1, "tie_word_embeddings": True},
    ),
    "tiny-window": ("a window in every layer", _LLAMA | {"model_type": "mistral", "sliding_window": 3}),
    "tiny-hybrid": ("a window in every other layer", _LLAMA | {"model_type": "gemma2", "sliding_window": 3}),
    "tiny-experts": ("experts", _LLAMA | {"model_type": "mixtral", "num_local_experts": 3, "num_experts_per_tok": 1}),
    "tiny-latent": (
        "latent attention",
        _LLAMA
        | {
            "model_type": "deepseek_v3",
            "num_key_value_heads": 4,
            "head_dim": 4,
            "kv_lora_rank": 3,
            "q_lora_rank": 2,
            "qk_rope_head_dim": 4,
            "qk_nope_head_dim": 6,
            "v_head_dim": 5,
            "first_k_dense_replace": 3,
            "n_routed_experts": 3,
            "n_shared_experts": 2,
            "num_experts_per_tok": 1,
            "moe_intermediate_size": 4,
        },
    ),
}
_TINY_HYBRID = {
    "model_type": "qwen3_next",
    "vocab_size": 7,
    "num_hidden_layers": 4,
    "full_attention_interval": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 2,
    "hidden_size": 6,
    "intermediate_size": 11,
    "mlp_only_layers": [0, 1, 2, 3],
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 3,
    "linear_value_head_dim": 5,
    "linear_conv_kernel_dim": 4,
    "tie_word_embeddings": False,
}
_FORMATS = {"q4_0": (4, 32, 16), "q8_0": (8, 32, 16), "groups-of-128": (4, 128, 16), "groups-of-64": (3, 64, 32)}


def contents() -> dict[str, Any]:
    """The whole file."""
    return {
        "$schema": "kv.schema.json",
        "version": VERSION,
        "made_by": "python conformance/make.py",
        "quantities": QUANTITIES,
        "cases": list(_cases()),
    }


def written() -> str:
    """Its text."""
    return json.dumps(contents(), indent=1, ensure_ascii=False) + "\n"


def _cases() -> Iterator[dict[str, Any]]:
    for name, about in _REAL.items():
        long = (1024,) if name == "opt-1.3b" else (1024, 8192)
        yield _case(name, about, json.loads(_table())[name]["config"], long, (1, 8), (16, 8))
    for name, (about, config) in _TINY.items():
        # formats that the engine has, and few tokens, since it sends them to experts in every way there is
        yield _case(name, about, config, (2, 4), (1,) if "experts" in name else (1, 2), (16, 32))
    for name, about in _HYBRID.items():
        yield _case(name, about, json.loads(_table())[name]["config"], (1024, 8192), (1, 8), (16, 8), states=True)
    yield _case("tiny-states", "states in three of four layers", _TINY_HYBRID, (2, 4), (1, 2), (16, 32), states=True)
    for name, (n_bits, n_block, n_scale) in _FORMATS.items():
        shape = {"n_bits": n_bits, "n_block": n_block, "n_scale": n_scale}
        value = 8 * evaluated("bytes_per_weight", **shape).value
        asked = {"id": "effective_bits", "quantity": "effective_bits", **shape, "value": _number(value)}
        yield {"id": f"format-{name}", "about": "codes in blocks with a scale", "questions": [asked]}


def _table() -> str:
    return (Path(presets.__file__).parent / "models.json").read_text(encoding="utf-8")


def _case(
    name: str,
    about: str,
    config: dict[str, Any],
    contexts: tuple[int, ...],
    batches: tuple[int, ...],
    bits_kv: tuple[int, ...],
    *,
    states: bool = False,
) -> dict[str, Any]:
    """The case of a model: questions on what it stores, keeps and computes, with their values."""
    model = Model.from_config(config)
    asked: list[dict[str, Any]] = [{"quantity": "parameters"}, {"quantity": "multiplied_parameters"}]
    asked += [{"quantity": "weight_bytes", "bits": bits} for bits in (16, 4.5)]
    at = [{"context": context, "batch": batch} for context in contexts for batch in batches]
    asked += [{"quantity": "kv_bytes", **one, "bits": bits} for one in at for bits in bits_kv]
    if states:
        asked += [{"quantity": "state_bytes", "batch": batch, "bits": bits} for batch in batches for bits in bits_kv]
    formulas = _HYBRID_FORMULAS if states else _FORMULAS
    asked += [
        {"quantity": what, **one} for what in QUANTITIES if what.endswith("flops") and what in formulas for one in at
    ]
    questions = [{"id": _id(one), **one, "value": _number(_value(model, formulas, one))} for one in asked]
    return {"id": name, "about": about, "config": config, "questions": questions}


def _id(asked: dict[str, Any]) -> str:
    """The question as a name: `kv_bytes context=1024 batch=1 bits=16`."""
    return " ".join([asked["quantity"], *(f"{name}={value}" for name, value in asked.items() if name != "quantity")])


def _value(model: Model, formulas: dict[str, str], asked: dict[str, Any]) -> Fraction:
    name, times = formulas[asked["quantity"]], 1
    letters: dict[str, Any] = {letter: asked[name] for name, letter in _LETTERS.items() if name in asked}
    if name in _OF_ONE:
        times, letters = prod(letters.values()), {}
    if name == "prefill_product_flops":
        met = model.of_prompts(causal=False)[C_prompt]
        letters["C_prompt"] = evaluated(met, model=model, N=asked["context"]).value
        letters["N_logits"] = asked["context"] if asked["quantity"] == "prefill_flops" else 1
    if "bits" in asked:
        letters["n_bytes" if asked["quantity"] == "weight_bytes" else "n_bytes_kv"] = Fraction(asked["bits"]) / 8
    return times * evaluated(name, model=model, **letters).value


def _number(value: Fraction) -> int | float:
    """A JSON number that is exactly it."""
    if value.denominator == 1:
        return int(value)
    if Fraction(float(value)) != value:
        raise ValueError(f"{value} is no number of JSON.")
    return float(value)


if __name__ == "__main__":
    write(PATH, written().encode())
