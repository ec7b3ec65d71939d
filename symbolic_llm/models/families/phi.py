"""Phi 1, 1.5 and 2: parallel blocks, LayerNorms, and biases everywhere, those of logits too"""

from __future__ import annotations

from ..family_words import ROTATED, Builder, Family, Fields, outline


def _phi(fields: Fields) -> Builder:
    made = outline(fields)
    fields.has_no("qk_layernorm")
    made.vectors("biases", "n_vocab", 1)
    # attention and MLP are parallel and share a norm
    return made.blocks(biases=True, gate=False, mlp_biases=True, block_norms=1, layer_norms=True)


FAMILIES = (Family("phi", "PhiForCausalLM", _phi, ignored=ROTATED),)
