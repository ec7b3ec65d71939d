"""GGUF files: llama.cpp's names of tensors, and the configuration from its metadata"""

from __future__ import annotations

import numpy as np

from ..config import Config
from ..formats import Format
from .hub import EXPERTS, HEADS
from .tensors import ModelFileError, Place, Places, Tensor, Values

_HARMLESS = frozenset(
    {
        "vocab_size",
        "rope.scaling.original_context_length",
        "rope.scaling.finetuned",
        "tensor_data_layout",
    }
)  # every other key of an architecture may change results
SPARE = ("rope_freqs.weight",)  # no weight of the model: it is read into the configuration

PLACES: Places = {
    "embedding": (Place("token_embd"),),
    "positions": (Place("position_embd"),),
    "blocks.{}.norm_1": (Place("blk.{}.attn_norm"),),
    "blocks.{}.query": (Place("blk.{}.attn_q"), Place("blk.{}.attn_qkv", part=(0, 3))),
    "blocks.{}.key": (Place("blk.{}.attn_k"), Place("blk.{}.attn_qkv", part=(1, 3))),
    "blocks.{}.value": (Place("blk.{}.attn_v"), Place("blk.{}.attn_qkv", part=(2, 3))),
    "blocks.{}.output": (Place("blk.{}.attn_output"),),
    "blocks.{}.query_norm": (Place("blk.{}.attn_q_norm"),),
    "blocks.{}.key_norm": (Place("blk.{}.attn_k_norm"),),
    "blocks.{}.norm_2": (Place("blk.{}.ffn_norm"),),
    "blocks.{}.gate": (Place("blk.{}.ffn_gate"),),
    "blocks.{}.up": (Place("blk.{}.ffn_up"),),
    "blocks.{}.down": (Place("blk.{}.ffn_down"),),
    "blocks.{}.router": (Place("blk.{}.ffn_gate_inp"),),
    "blocks.{}.experts.{}.gate": (Place("blk.{0}.ffn_gate_exps", entry=True), Place("blk.{}.ffn_gate.{}")),
    "blocks.{}.experts.{}.up": (Place("blk.{0}.ffn_up_exps", entry=True), Place("blk.{}.ffn_up.{}")),
    "blocks.{}.experts.{}.down": (Place("blk.{0}.ffn_down_exps", entry=True), Place("blk.{}.ffn_down.{}")),
    "norm": (Place("output_norm"),),
    "output": (Place("output"),),
}


def read_config(values: Values, tensors: dict[str, Tensor], cache: Format) -> Config:
    """Configuration of the decoder in a GGUF file, from its metadata and its tensors."""
    name = values.one_of("general.architecture", {name: name for name in ("llama", "qwen2", "qwen3", "gpt2")})
    about = Values(values.where, values.all, f"{name}.")
    d_model, n_heads = about.whole("embedding_length"), about.whole("attention.head_count", most=HEADS)
    d_head = about.whole("attention.key_length", d_model // n_heads or None, most=HEADS)
    widths = {about.whole(width, d_head) for width in ("attention.value_length", "rope.dimension_count")}
    if widths != {d_head}:
        raise ModelFileError(f"{values.where}: the engine supports keys, values and rotations of one width only")
    _refuse_what_is_not_run(about, d_head)
    vocabulary = tensors.get("token_embd.weight")
    if vocabulary is None:
        raise ModelFileError(f"{values.where}: the tensor token_embd.weight is missing")
    learned = name == "gpt2"
    experts = about.whole("expert_count", 0, least=0, most=EXPERTS)
    config = Config(
        about.whole("block_count", most=HEADS),
        n_heads,
        d_head,
        # a row for each token: the list of tokens is an array, and the reader passes over those
        len(vocabulary.packed),
        cache=cache,
        d_model=d_model,
        n_kv_heads=about.whole("attention.head_count_kv", n_heads, most=HEADS),
        d_ff=about.whole("feed_forward_length"),
        norm="layer" if learned else "rms",
        norm_epsilon=about.number(f"attention.layer_norm_{'' if learned else 'rms_'}epsilon"),
        activation="gelu_tanh" if learned else "silu",
        gated=not learned,
        biases=_biases(tensors),
        positions="learned" if learned else "rotary",
        n_positions=about.whole("context_length") if learned else 0,
        context_length=about.whole("context_length", 0, least=0),
        rope_theta=about.number("rope.freq_base", 10_000.0),
        rope_factors=_factors(values.where, tensors),
        rope_pairs="neighbours" if name == "llama" else "halves",  # llama.cpp reorders llama's rows
        qk_norm=name == "qwen3",
        # no field says so: the file of a tied model just has no second matrix
        tied="output.weight" not in tensors,
        n_experts=experts,
        n_active=about.whole("expert_used_count", most=EXPERTS) if experts else 0,
    )
    about.refuse_others(lambda key: key.removeprefix(f"{name}.") not in _HARMLESS)
    return config


def _refuse_what_is_not_run(about: Values, d_head: int) -> None:
    """Refuse what llama.cpp would run otherwise; a scaling without a type is linear there."""
    for name, accepted in (
        ("rope.scaling.type", ("none",)),
        ("rope.scaling.factor", (0.0, 1.0, 0, 1)),
        ("rope.scale_linear", (0.0, 1.0, 0, 1)),
        ("attention.causal", (True,)),
        ("attention.scale", (0.0, d_head**-0.5, float(np.float32(d_head**-0.5)))),
    ):
        about.must_be(name, *accepted)


def _biases(tensors: dict[str, Tensor]) -> tuple[str, ...]:
    """Names of the matrices that have a bias in the first block; the other blocks have to follow."""
    named = [(key.removeprefix("blocks.{}."), places) for key, places in PLACES.items()]
    return tuple(
        key
        for key, places in named
        if key in ("query", "key", "value", "output", "gate", "up", "down")
        and any(place.tensor([0, 0], "bias") in tensors for place in places)
    )


def _factors(where: str, tensors: dict[str, Tensor]) -> tuple[float, ...]:
    """Divisors of the rotary frequencies, for models with a stretched context; none for others."""
    factors = tensors.get("rope_freqs.weight")
    if factors is None:
        return ()
    if factors.packed.ndim != 1 or factors.packed.size > HEADS:
        raise ModelFileError(f"{where}: the tensor rope_freqs.weight is not a vector of a head")
    return tuple(factors.format.unpack(factors.packed).astype(np.float64).tolist())
