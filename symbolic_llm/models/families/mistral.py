"""Mistral, Ministral and Mixtral: every block has a window, if any has; Mistral 3 sees, its text part is one of them"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, Wrapper, experts, gated, sliding


def _mistral(fields: Fields) -> Builder:
    return sliding(gated(fields, n_kv_heads=8, biases=False), 4096, lambda _: True)


def _mixtral(fields: Fields) -> Builder:
    return sliding(gated(fields, n_kv_heads=8, biases=False, mlp=experts(8, 2)))


def _ministral3(fields: Fields) -> Builder:
    return sliding(gated(fields, n_kv_heads=8, d_head=128, biases=False))


_MISTRAL = Family("mistral", "MistralForCausalLM", _mistral, also=("MinistralForCausalLM",))  # the one with layer_types
_MINISTRAL3 = Family("ministral3", "Ministral3ForCausalLM", _ministral3)

FAMILIES = (
    _MISTRAL,
    _MINISTRAL3,
    Family("mixtral", "MixtralForCausalLM", _mixtral),
    Wrapper("mistral3", "Mistral3ForConditionalGeneration", (_MISTRAL, _MINISTRAL3)),
)
