"""LLaMA"""

from __future__ import annotations

from ..builder import Builder
from ..config import Fields
from ..family import Family
from ..llama_like import gated


def _llama(fields: Fields) -> Builder:
    return gated(fields, mlp_biases=fields.flag("mlp_bias", False))


LLAMA = Family("llama", "LlamaForCausalLM", _llama)

FAMILIES = (LLAMA,)
