"""GPT-NeoX: Pythia and its kin"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, plain_shapes


def _gpt_neox(fields: Fields) -> Builder:
    made = plain_shapes(fields)
    n, biases = made.letters["n_blocks"], fields.flag("attention_bias", True)
    made.letters["d_ff"] = fields.whole("intermediate_size")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    made.attention_blocks(biases=biases, output_biases=biases)
    made.mlp_blocks(n, gated=False, biases=True)
    made.layer_norms(2 * n + 1)
    return made


FAMILIES = (Family("gpt_neox", "GPTNeoXForCausalLM", _gpt_neox, ignored=frozenset({"partial_rotary_factor"})),)
