"""StarCoder 2: groups of heads, LayerNorms and biases, and an MLP without gates"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, outline, sliding


def _starcoder2(fields: Fields) -> Builder:
    made, biases = outline(fields, tied=True, n_kv_heads=2), fields.flag("use_bias", True)
    return sliding(made.blocks(biases=biases, gate=False, mlp_biases=biases, layer_norms=True))


# names that its makers had for what other fields say
_OTHERWISE = frozenset({"mlp_type", "norm_type"})

FAMILIES = (Family("starcoder2", "Starcoder2ForCausalLM", _starcoder2, ignored=_OTHERWISE),)
