"""Mistral, Ministral and Mixtral: every block has a window, if any has; Mistral 3 sees, its text part is one of them"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, Wrapper, experts, gated, standing_window


def _mistral(fields: Fields) -> Builder:
    made = gated(fields, n_kv_heads=8, biases=False)
    made.windows(standing_window(fields, 4096), fields.items("layer_types", str), lambda _: True)
    return made


def _mixtral(fields: Fields) -> Builder:
    made = gated(fields, n_kv_heads=8, biases=False, mlp=experts(8, 2))
    made.windows(standing_window(fields), None, lambda _: True)
    return made


def _ministral3(fields: Fields) -> Builder:
    made = gated(fields, n_kv_heads=8, d_head=128, biases=False)
    made.windows(standing_window(fields), None, lambda _: True)
    return made


_MISTRAL = Family("mistral", "MistralForCausalLM", _mistral, also=("MinistralForCausalLM",))  # the one with layer_types
_MINISTRAL3 = Family("ministral3", "Ministral3ForCausalLM", _ministral3)

FAMILIES = (
    _MISTRAL,
    _MINISTRAL3,
    Family("mixtral", "MixtralForCausalLM", _mixtral),
    Wrapper("mistral3", "Mistral3ForConditionalGeneration", (_MISTRAL, _MINISTRAL3)),
)
