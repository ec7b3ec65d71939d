"""Phi-3.5-MoE: layer norms, biases of attention and of logits, experts in every block"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, shapes, standing_window


def _phimoe(fields: Fields) -> Builder:
    made = shapes(fields, n_kv_heads=8)
    n, biases = made.letters["n_blocks"], fields.flag("attention_bias", False)
    made.letters["d_ff"] = fields.whole("intermediate_size")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    made.vectors("biases", "n_vocab", int(fields.flag("lm_head_bias", False)))
    made.attention_blocks(biases=biases, output_biases=biases)
    shape = (fields.whole("num_local_experts", 16, also="num_experts"), fields.whole("num_experts_per_tok", 2))
    made.expert_blocks(n, *shape, made.letters["d_ff"])
    made.layer_norms(2 * n + 1)
    made.windows(standing_window(fields), None, lambda _: True)
    return made


FAMILIES = (Family("phimoe", "PhimoeForCausalLM", _phimoe, also=("PhiMoEForCausalLM",)),)
