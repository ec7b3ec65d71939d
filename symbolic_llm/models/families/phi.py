"""Phi 1, 1.5 and 2: parallel blocks, LayerNorms, and biases everywhere, those of logits too"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, shapes


def _phi(fields: Fields) -> Builder:
    made = shapes(fields)
    n = made.letters["n_blocks"]
    made.letters["d_ff"] = fields.whole("intermediate_size")
    fields.has_no("qk_layernorm")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    made.vectors("biases", "n_vocab", 1)
    made.attention_blocks(biases=True, output_biases=True)
    made.mlp_blocks(n, gated=False, biases=True)
    made.layer_norms(n + 1)  # attention and MLP are parallel and share one
    return made


FAMILIES = (Family("phi", "PhiForCausalLM", _phi, ignored=frozenset({"partial_rotary_factor"})),)
