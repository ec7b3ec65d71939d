"""Gemma 1 to 3: wide heads, tied matrices, from the second on two norms more and windows; the third also sees"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, Wrapper, gated, sliding


def _causal(made: Builder, fields: Fields) -> Builder:
    fields.has_no("use_bidirectional_attention")
    return made


def _gemma(fields: Fields) -> Builder:
    return _causal(gated(fields, tied=True, n_kv_heads=16, d_head=256), fields)


def _gemma2(fields: Fields) -> Builder:
    made = gated(fields, tied=True, n_kv_heads=4, d_head=256, block_norms=4)
    return _causal(sliding(made, 4096, lambda i: i % 2 == 0), fields)


def _gemma3(fields: Fields) -> Builder:
    made = gated(fields, tied=True, n_kv_heads=4, d_head=256, block_norms=4, qk_norms=True)
    every = fields.whole("sliding_window_pattern", 6, also="_sliding_window_pattern")
    return _causal(sliding(made, 4096, lambda i: (i + 1) % every != 0), fields)


_TEXT = Family("gemma3_text", "Gemma3ForCausalLM", _gemma3)
# that of a Gemma 3 which sees may leave out most of its shapes
_DEFAULTS = {
    "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26, "num_attention_heads": 8,
    "vocab_size": 262208, "max_position_embeddings": 131072,
}  # fmt: skip

FAMILIES = (
    Family("gemma", "GemmaForCausalLM", _gemma),
    Family("gemma2", "Gemma2ForCausalLM", _gemma2),
    _TEXT,
    Wrapper("gemma3", "Gemma3ForConditionalGeneration", (_TEXT,), _DEFAULTS, tied=True),
)
