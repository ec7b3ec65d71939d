"""Granite: LLaMA whose sums and logits are multiplied by constants"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated


def _granite(fields: Fields) -> Builder:
    return gated(fields, mlp_biases=fields.flag("mlp_bias", False))


def _granitemoe(fields: Fields) -> Builder:
    def experts(made: Builder) -> None:
        shape = (fields.whole("num_local_experts", 8, also="num_experts"), fields.whole("num_experts_per_tok", 2))
        made.expert_blocks(made.letters["n_blocks"], *shape, made.letters["d_ff"])

    return gated(fields, mlp=experts)


FAMILIES = (
    Family("granite", "GraniteForCausalLM", _granite),
    Family("granitemoe", "GraniteMoeForCausalLM", _granitemoe),
)
