"""Granite: LLaMA whose sums and logits are multiplied by constants"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, experts, gated


def _granite(fields: Fields) -> Builder:
    return gated(fields, mlp_biases=fields.flag("mlp_bias", False))


def _granitemoe(fields: Fields) -> Builder:
    return gated(fields, mlp=experts(8, 2))


FAMILIES = (
    Family("granite", "GraniteForCausalLM", _granite),
    Family("granitemoe", "GraniteMoeForCausalLM", _granitemoe),
)
