"""Phi-3.5-MoE: layer norms, biases of attention and of logits, experts in every block"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, experts, outline, sliding


def _phimoe(fields: Fields) -> Builder:
    made = outline(fields, n_kv_heads=8)
    made.vectors("biases", "n_vocab", int(fields.flag("lm_head_bias", False)))
    made.blocks(biases=fields.flag("attention_bias", False), layer_norms=True, mlp=experts(16, 2))
    return sliding(made)


FAMILIES = (Family("phimoe", "PhimoeForCausalLM", _phimoe, also=("PhiMoEForCausalLM",)),)
