"""The words that a file of `families` is written in: fields of a config, shapes, parts and what a family is

Decoders with RMSNorm, grouped heads, rotary positions and a gated MLP are `gated`: LLaMA and those that came after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .builder import Builder, grouped, outline, plain_shapes, shapes, shared, standing_window
from .config import REQUIRED, Fields
from .family import Family, Refused, Wrapper

__all__ = ["BEYOND", "REQUIRED", "ROTATED", "ROUTING", "Builder", "Family", "Fields", "Refused", "Wrapper", "experts"]
__all__ += ["first_blocks", "gated", "grouped", "outline", "plain_shapes", "shapes", "shared", "sliding"]
__all__ += ["standing_window"]

# Keys that change no count: how much of a head is rotated, and from which groups a token's experts are picked
ROTATED = frozenset({"partial_rotary_factor"})
ROUTING = frozenset({"n_group", "topk_group"})
# How many blocks predict further tokens: these are kept apart
BEYOND = frozenset({"num_mtp_layers", "num_nextn_predict_layers"})


def gated(
    fields: Fields,
    *,
    tied: bool = False,
    n_kv_heads: int | None = None,
    d_head: int | None = None,
    biases: bool | None = None,
    **others: Any,
) -> Builder:
    """Builder with the shapes and parts of a decoder like LLaMA.

    Args:
        fields: the config.
        tied: whether the embedding is the output matrix too, where the config does not say.
        n_kv_heads: key/value heads, where the config does not say; as many as heads if left out.
        d_head: width of a head, where the config does not say; its share of the model's if left out.
        biases: whether queries, keys and values have biases; as `attention_bias` says if left out.
        **others: how else its blocks differ, as `Builder.blocks` takes it.
    """
    made = outline(fields, tied=tied, n_kv_heads=n_kv_heads, d_head=d_head)
    return made.blocks(biases=fields.flag("attention_bias", False) if biases is None else biases, **others)


def sliding(made: Builder, default: int | None = None, is_windowed: Callable[[int], bool] | None = None) -> Builder:
    """Record which blocks of a family have a window that cannot be switched off; returns the builder.

    Args:
        made: the builder.
        default: the window, where the config does not say.
        is_windowed: whether a block has one, where `layer_types` does not say; if left out, every block has, and such a
            list is none of the family's fields.
    """
    fields, rule = made.fields, is_windowed or (lambda _: True)
    made.windows(standing_window(fields, default), fields.items("layer_types", str) if is_windowed else None, rule)
    return made


def experts(
    n_experts: int,
    n_active: int,
    d_expert: int | None = None,
    *,
    names: tuple[str, ...] = ("num_local_experts", "num_experts"),
    plain: int = 0,
    n_shared: int = 0,
    d_shared: int | None = None,
) -> Callable[[Builder], None]:
    """Function that adds experts to a model, for the `mlp` of its blocks.

    Args:
        n_experts: experts of a block, where the config does not say.
        n_active: how many of them a token is sent to, where it does not say.
        d_expert: width of an expert, where it does not say; if left out, it says that of an MLP alone, which is meant.
        names: names of the field that says how many experts there are.
        plain: blocks that have an MLP instead.
        n_shared: shared experts of a block, as wide as the others.
        d_shared: width of one under a gate, where the config does not say; there is none if left out.
    """

    def add(made: Builder) -> None:
        fields, sparse = made.fields, made.letters["n_blocks"] - plain
        number = fields.whole(names[0], n_experts, also=names[1:])
        active = fields.whole("num_experts_per_tok", n_active)
        width = made.letters["d_ff"] if d_expert is None else fields.whole("moe_intermediate_size", d_expert)
        made.mlp_blocks(plain, gated=True)
        made.expert_blocks(sparse, number, active, width, n_shared)
        if d_shared is not None:
            made.shared_blocks(sparse, fields.whole("shared_expert_intermediate_size", d_shared), gated=True)

    return add


def first_blocks(fields: Fields, default: int, name: str = "first_k_dense_replace") -> int:
    """Number of first blocks with an MLP instead of experts, at most all; the default stands for an absent field."""
    return min(fields.layers("num_hidden_layers"), fields.whole(name, default, least=0))
