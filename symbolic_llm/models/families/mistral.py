"""Mistral, Ministral and Mixtral: every block has a window, if any has; Mistral 3 sees, its text part is one of them"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, Wrapper, gated, standing_window


def _mistral(fields: Fields) -> Builder:
    made = gated(fields, n_kv_heads=8, biases=False)
    made.windows(standing_window(fields, 4096), fields.items("layer_types", str), lambda _: True)
    return made


def _mixtral(fields: Fields) -> Builder:
    def experts(made: Builder) -> None:
        shape = (fields.whole("num_local_experts", 8, also="num_experts"), fields.whole("num_experts_per_tok", 2))
        made.expert_blocks(made.letters["n_blocks"], *shape, made.letters["d_ff"])

    made = gated(fields, n_kv_heads=8, biases=False, mlp=experts)
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
