"""OPT, whose embedding may be narrower than the model"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, plain_shapes


def _opt(fields: Fields) -> Builder:
    made = plain_shapes(fields)
    n, d_model, biases = made.letters["n_blocks"], made.letters["d_model"], fields.flag("enable_bias", True)
    made.letters["d_ff"] = fields.whole("ffn_dim")
    made.context_limit = fields.whole("max_position_embeddings", 2048)
    made.letters["n_positions"] = made.context_limit + 2  # two rows in front are padding
    narrow = fields.whole("word_embed_proj_dim", d_model, null=d_model)
    made.embedding(narrow, tied=fields.flag("tie_word_embeddings", True))
    made.positions()
    made.attention_blocks(biases=biases, output_biases=biases)
    made.mlp_blocks(n, gated=False, biases=biases)
    first, removed = fields.flag("do_layer_norm_before", True), fields.flag("_remove_final_layer_norm", False)
    if fields.flag("layer_norm_elementwise_affine", True):
        made.layer_norms(2 * n + (first and not removed))
    return made


FAMILIES = (Family("opt", "OPTForCausalLM", _opt),)
