"""StarCoder 2: groups of heads, LayerNorms and biases, and an MLP without gates"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, shapes, standing_window


def _starcoder2(fields: Fields) -> Builder:
    made = shapes(fields, n_kv_heads=2)
    n, biases = made.letters["n_blocks"], fields.flag("use_bias", True)
    made.letters["d_ff"] = fields.whole("intermediate_size")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", True))
    made.attention_blocks(biases=biases, output_biases=biases)
    made.mlp_blocks(n, gated=False, biases=biases)
    made.layer_norms(2 * n + 1)
    made.windows(standing_window(fields), None, lambda _: True)
    return made


# names that its makers had for what other fields say
_OTHERWISE = frozenset({"mlp_type", "norm_type"})

FAMILIES = (Family("starcoder2", "Starcoder2ForCausalLM", _starcoder2, ignored=_OTHERWISE),)
