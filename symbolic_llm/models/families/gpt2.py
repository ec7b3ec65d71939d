"""GPT-2 and GPT-J, whose shapes have names of their own and those of the others beside them"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, shared


def _shapes(fields: Fields) -> Builder:
    d_model, n_heads = fields.whole("n_embd", also="hidden_size"), fields.whole("n_head", also="num_attention_heads")
    fields.repeats(num_key_value_heads=n_heads, head_dim=shared(fields, d_model, n_heads, "n_embd"))
    return Builder(
        fields,
        n_blocks=fields.layers("n_layer", also="num_hidden_layers"),
        d_model=d_model,
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_head=d_model // n_heads,
        n_vocab=fields.whole("vocab_size"),
        d_ff=fields.whole("n_inner", 4 * d_model, null=4 * d_model),
    )


def _gpt2(fields: Fields) -> Builder:
    made = _shapes(fields)
    fields.has_no("add_cross_attention")
    made.context_limit = fields.whole("n_positions", 1024, also="max_position_embeddings")
    made.letters["n_positions"] = made.context_limit
    made.vocabulary(tied=fields.flag("tie_word_embeddings", True))
    made.positions()
    return made.blocks(biases=True, gate=False, mlp_biases=True, layer_norms=True)


def _gptj(fields: Fields) -> Builder:
    made = _shapes(fields)
    made.context_limit = fields.optional("n_positions")
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    made.vectors("biases", "n_vocab", 1)
    # attention and MLP are parallel and share a norm
    return made.blocks(gate=False, mlp_biases=True, block_norms=1, layer_norms=True)


FAMILIES = (
    Family("gpt2", "GPT2LMHeadModel", _gpt2),
    Family("gptj", "GPTJForCausalLM", _gptj, ignored=frozenset({"rotary_dim"})),
)
