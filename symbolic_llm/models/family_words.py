"""The words that a file of `families` is written in: fields of a config, shapes, parts and what a family is

Decoders with RMSNorm, grouped heads, rotary positions and a gated MLP are `gated`: LLaMA and those that came after it.
"""

from __future__ import annotations

from collections.abc import Callable

from ..catalogue.named import joint_query_key_norm_parameters
from .builder import Builder, grouped, plain_shapes, shapes, shared, standing_window
from .config import Fields
from .family import Family, Refused, Wrapper

__all__ = ["Builder", "Family", "Fields", "Refused", "Wrapper", "gated"]
__all__ += ["grouped", "plain_shapes", "shapes", "shared", "standing_window"]


def gated(
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
    joint_norms: bool = False,
    mlp: Callable[[Builder], None] | None = None,
) -> Builder:
    """Builder with the shapes and parts of a decoder like LLaMA.

    Args:
        fields: the config.
        tied: whether the embedding is the output matrix too, where the config does not say.
        n_kv_heads: key/value heads, where the config does not say; as many as heads if left out.
        d_head: width of a head, where the config does not say; its share of the model's if left out.
        biases: whether queries, keys and values have biases; as `attention_bias` says if left out.
        output_biases: whether the output projection has; as the others if left out.
        mlp_biases: whether the MLP has.
        block_norms: norms of a block.
        qk_norms: whether queries and keys have norms, which all heads share.
        joint_norms: whether all queries of a block have one norm, and all keys, or each head has its own.
        mlp: function that adds what the model has instead of MLPs.
    """
    made = shapes(fields, n_kv_heads=n_kv_heads, d_head=d_head)
    n = made.letters["n_blocks"]
    all_biases = fields.flag("attention_bias", False) if biases is None else biases
    made.letters["d_ff"] = fields.whole("intermediate_size")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", tied))
    made.attention_blocks(
        biases=all_biases, output_biases=all_biases if output_biases is None else output_biases, norms=qk_norms
    )
    made.unmultiplied("norms", joint_query_key_norm_parameters, n * joint_norms)
    if mlp is None:
        made.mlp_blocks(n, gated=True, biases=mlp_biases)
    else:
        mlp(made)
    made.vectors("norms", "d_model", block_norms * n + 1)
    return made
