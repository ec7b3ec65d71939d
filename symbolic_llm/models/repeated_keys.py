"""Keys of a config.json that repeat what other keys say

Many a config.json gives a number twice, under the names of several libraries, or states what is true of its whole
family. This changes nothing where both agree. Where they do not, nothing tells which is meant, so it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..catalogue.named import (
    expert_parameters,
    gated_mlp_parameters,
    joint_query_key_norm_parameters,
    query_key_value_biases,
)
from ..formula import Formula
from .builder import Builder
from .config import Fields

# By the letter that they stand for; the first is the usual one.
_NUMBERS = {
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
    "n_window": ("sliding_window", "sliding_window_size", "window_size"),
    "n_state_groups": ("n_groups", "mamba_n_groups", "mamba_num_groups"),
    "n_state_heads": ("mamba_num_heads", "mamba_n_heads"),
    "d_state_key": ("ssm_state_size", "mamba_d_state", "mamba_state_dim", "state_size"),
    "d_state_value": ("mamba_head_dim", "mamba_d_head"),
    "n_kernel": ("conv_kernel", "mamba_d_conv"),
}  # fmt: skip


def _counted(*formulas: Formula) -> Callable[[Builder], bool]:
    """Test of whether one of these formulas counts a part of a model."""
    return lambda made: any(part.formula in formulas for part in made.parts)


def _with(kind: str, *widths: str) -> Callable[[Builder], bool]:
    """Test of whether a model has vectors of a kind and of one of these widths."""
    return lambda made: any((part.kind, part.width) in {(kind, width) for width in widths} for part in made.parts)


# What a switch switches on, and whether a model has it
_SWITCHES: tuple[tuple[str, Callable[[Builder], bool], tuple[str, ...]], ...] = (
    (
        "norms of queries and keys",
        lambda made: _with("norms", "d_head", "d_head_full")(made) or _counted(joint_query_key_norm_parameters)(made),
        ("use_qk_norm", "qk_norm", "qk_layernorm", "use_qk_layernorm"),
    ),
    (
        "biases of queries, keys and values",
        _counted(query_key_value_biases),
        ("qkv_bias", "use_qkv_bias", "attention_qkv_bias", "add_qkv_bias"),
    ),
    ("biases after attention", lambda made: made.biased_outputs, ("attention_out_bias", "attention_output_bias")),
    ("biases in its MLPs", _with("biases", "d_ff", "d_expert"), ("mlp_bias", "use_mlp_bias")),
    ("biases of logits", _with("biases", "n_vocab"), ("lm_head_bias",)),
    (
        "a gate in its MLPs",
        _counted(gated_mlp_parameters, expert_parameters),
        ("use_gated_activation", "gated_mlp", "use_gated_mlp", "use_glu", "use_swiglu"),
    ),
)
_TIED = ("tie_embeddings", "tied_embeddings", "tie_word_embedding", "share_embedding", "use_embedding_sharing")


def refuse_contradictions(fields: Fields, made: Builder, inner: str = "") -> None:
    """Refuse a key that no family read and that contradicts what was made of the other keys.

    Args:
        fields: the config.
        made: what was made of its other fields.
        inner: name of the object that holds those other fields, if they are not beside the key.
    """
    for letter, names in _NUMBERS.items():
        if (number := made.letters.get(letter)) is not None:
            usual = next((name for name in names if fields.was_read(name)), names[0])
            for name, value in _unread(fields, names):
                if type(value) is not int or value != number:
                    if name == usual and not inner:
                        raise fields.wrong(f"{name} must be {number} in a model of this kind, not {fields.shown(name)}")
                    other = f"{usual} of {inner}" if inner else usual
                    raise fields.wrong(f"{name} is {fields.shown(name)}, but {other} is {number}")
                fields.pass_over(name)
    tied = ("an embedding that is also its output matrix", "output" not in {part.kind for part in made.parts}, _TIED)
    for what, has, names in (tied, *((what, has(made), names) for what, has, names in _SWITCHES)):
        for name, value in _unread(fields, names):
            if not isinstance(value, bool) and value:
                continue  # no switch, and refused as what is not known
            if bool(value) is not has:
                raise fields.wrong(
                    f"{name} is {fields.shown(name)}, but by its other fields the model "
                    f"has {'' if has else 'no '}{what}"
                )
            fields.pass_over(name)


def _unread(fields: Fields, names: Iterable[str]) -> list[tuple[str, Any]]:
    """Names and values of the keys among `names` that are there and that nothing has read."""
    return [(name, value) for name in names if (value := fields.unread(name)) is not None]
