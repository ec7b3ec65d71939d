"""LLaMA"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated


def _llama(fields: Fields) -> Builder:
    return gated(fields, mlp_biases=fields.flag("mlp_bias", False))


LLAMA = Family("llama", "LlamaForCausalLM", _llama)

FAMILIES = (LLAMA,)
