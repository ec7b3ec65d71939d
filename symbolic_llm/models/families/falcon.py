"""Falcon, whose null switches are off, whatever they are when they are absent"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, grouped, plain_shapes


def _falcon(fields: Fields) -> Builder:
    made = plain_shapes(fields)
    n_heads, d_model = made.letters["n_heads"], made.letters["d_model"]
    fields.same("n_embed", d_model)
    new, biases, queries, parallel = (
        fields.flag(name, default, null=False)
        for name, default in (
            ("new_decoder_architecture", False),
            ("bias", False),
            ("multi_query", True),
            ("parallel_attn", True),
        )
    )
    n_kv_heads = grouped(fields, n_heads, fields.whole("num_kv_heads", n_heads, null=n_heads))
    if not new and not queries:
        fields.same("num_kv_heads", n_heads)
    made.letters["n_kv_heads"] = 1 if queries and not new else n_kv_heads
    made.letters["d_ff"] = fields.whole("ffn_hidden_size", 4 * d_model, null=4 * d_model)
    made.vocabulary(tied=fields.flag("tie_word_embeddings", True))
    usual = 2 if new else 1
    norms = fields.whole("num_ln_in_parallel_attn", usual, null=usual, most=2)
    return made.blocks(
        biases=biases, gate=False, mlp_biases=biases, block_norms=norms if parallel else 2, layer_norms=True
    )


FAMILIES = (
    Family("falcon", "FalconForCausalLM", _falcon, ignored=frozenset({"n_layer", "n_head"})),  # of its first release
)
