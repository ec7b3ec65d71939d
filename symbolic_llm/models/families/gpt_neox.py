"""GPT-NeoX: Pythia and its kin"""

from __future__ import annotations

from ..family_words import ROTATED, Builder, Family, Fields, plain_shapes


def _gpt_neox(fields: Fields) -> Builder:
    made = plain_shapes(fields)
    made.letters["d_ff"] = fields.whole("intermediate_size")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    return made.blocks(biases=fields.flag("attention_bias", True), gate=False, mlp_biases=True, layer_norms=True)


FAMILIES = (Family("gpt_neox", "GPTNeoXForCausalLM", _gpt_neox, ignored=ROTATED),)
