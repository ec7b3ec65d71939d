"""OPT, whose embedding may be narrower than the model"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, plain_shapes


def _opt(fields: Fields) -> Builder:
    made = plain_shapes(fields)
    d_model, biases = made.letters["d_model"], fields.flag("enable_bias", True)
    made.letters["d_ff"] = fields.whole("ffn_dim")
    made.context_limit = fields.whole("max_position_embeddings", 2048)
    made.letters["n_positions"] = made.context_limit + 2  # two rows in front are padding
    narrow = fields.whole("word_embed_proj_dim", d_model, null=d_model)
    made.embedding(narrow, tied=fields.flag("tie_word_embeddings", True))
    made.positions()
    first, removed = fields.flag("do_layer_norm_before", True), fields.flag("_remove_final_layer_norm", False)
    normed = fields.flag("layer_norm_elementwise_affine", True)
    outer = normed and first and not removed
    return made.blocks(
        biases=biases, gate=False, mlp_biases=biases, block_norms=2 * normed, outer_norms=outer, layer_norms=True
    )


FAMILIES = (Family("opt", "OPTForCausalLM", _opt),)
