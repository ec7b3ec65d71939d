"""Gemma 1 to 3: wide heads, tied matrices, from the second on two norms more and windows"""

from __future__ import annotations

from ..builder import Builder, standing_window
from ..config import Fields
from ..family import Family
from ..gated import gated


def _causal(made: Builder, fields: Fields) -> Builder:
    fields.has_no("use_bidirectional_attention")
    return made


def _gemma(fields: Fields) -> Builder:
    return _causal(gated(fields, tied=True, n_kv_heads=16, d_head=256), fields)


def _gemma2(fields: Fields) -> Builder:
    made = gated(fields, tied=True, n_kv_heads=4, d_head=256, block_norms=4)
    made.windows(standing_window(fields, 4096), fields.items("layer_types", str), lambda i: i % 2 == 0)
    return _causal(made, fields)


def _gemma3(fields: Fields) -> Builder:
    made = gated(fields, tied=True, n_kv_heads=4, d_head=256, block_norms=4, qk_norms=True)
    every = fields.whole("sliding_window_pattern", 6, also="_sliding_window_pattern")
    types = fields.items("layer_types", str)
    made.windows(standing_window(fields, 4096), types, lambda i: (i + 1) % every != 0)
    return _causal(made, fields)


FAMILIES = (
    Family("gemma", "GemmaForCausalLM", _gemma),
    Family("gemma2", "Gemma2ForCausalLM", _gemma2),
    Family("gemma3_text", "Gemma3ForCausalLM", _gemma3),
)
