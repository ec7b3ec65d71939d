"""Granite 4: Mamba-2 in most blocks, attention in the others, and after both experts beside an MLP, or that alone"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, shapes
from ..recurrent.states import MAMBA, mamba, mix

_KINDS = {"mamba": False, "linear_attention": False, "attention": True, "full_attention": True}


def _attending(fields: Fields, n: int) -> int:
    """Number of blocks that attend, as listed; 0 without a list."""
    given = [types for name in ("layer_types", "layers_block_type") if (types := fields.items(name, str)) is not None]
    if any(len(types) != n or set(types) - set(_KINDS) for types in given):
        raise fields.wrong(f"layer_types must list {' or '.join(_KINDS)} for each of the {n} layers")
    attends = [[_KINDS[kind] for kind in types] for types in given]
    if attends[1:] not in ([], attends[:1]):
        raise fields.wrong("layer_types and layers_block_type list different blocks")
    return sum(attends[0]) if attends else 0


def _granitemoehybrid(fields: Fields) -> Builder:
    made = shapes(fields)
    n, d_model = made.letters["n_blocks"], made.letters["d_model"]
    made.own_width()
    fields.has_no("mamba_proj_bias")
    biases, attends = fields.flag("attention_bias", False), _attending(fields, n)
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    states = mamba(fields, fields.whole("mamba_expand", 2) * d_model)
    mix(made, attends, n - attends, states, MAMBA)
    made.vectors("biases", "d_conv", (n - attends) * fields.flag("mamba_conv_bias", True))
    made.attention_blocks(biases=biases, output_biases=biases, n=attends)
    d_expert, d_shared = fields.whole("intermediate_size"), fields.whole("shared_intermediate_size", 1024)
    n_experts = fields.whole("num_local_experts", 8, also="num_experts", least=0)
    n_active = fields.whole("num_experts_per_tok", 2, least=int(n_experts > 0))
    made.letters["d_ff"] = d_expert if n_experts else d_shared
    if n_experts:
        made.expert_blocks(n, n_experts, n_active, d_expert)
        made.shared_blocks(n, d_shared, gated=False)
    else:
        made.mlp_blocks(n, gated=True)
    made.vectors("norms", "d_model", 2 * n + 1)
    return made


FAMILIES = (
    Family(
        "granitemoehybrid", "GraniteMoeHybridForCausalLM", _granitemoehybrid, ignored=frozenset({"mamba_chunk_size"})
    ),
)
