"""BLOOM: layer norms and biases everywhere, one norm right after the embedding, and no weights for positions"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, shared


def _bloom(fields: Fields) -> Builder:
    d_model = fields.whole("hidden_size", 64, also="n_embed")
    n_heads = fields.whole("n_head", 8, also="num_attention_heads")
    made = Builder(
        fields,
        n_blocks=fields.layers("n_layer", also="num_hidden_layers"),
        d_model=d_model,
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_head=shared(fields, d_model, n_heads, "hidden_size"),
        n_vocab=fields.whole("vocab_size"),
        d_ff=4 * d_model,
    )
    made.context_limit = fields.optional("seq_length")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", True))
    return made.blocks(biases=True, gate=False, mlp_biases=True, outer_norms=2, layer_norms=True)


# which kernels add its biases
_KERNELS = frozenset({"bias_dropout_fusion", "skip_bias_add", "skip_bias_add_qkv"})

FAMILIES = (Family("bloom", "BloomForCausalLM", _bloom, ignored=_KERNELS),)
