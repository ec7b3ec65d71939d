"""Voxtral, which hears; its text part is a LLaMA with an output matrix of its own"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, Wrapper
from .llama import LLAMA

_DEFAULTS = {
    "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 30, "num_attention_heads": 32,
    "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072, "max_position_embeddings": 131072,
}  # fmt: skip


def _untied(fields: Fields) -> Builder:
    fields.always("tie_word_embeddings", False)
    return LLAMA.read(fields)


_TEXT = Family("llama", "LlamaForCausalLM", _untied)

FAMILIES = (Wrapper("voxtral", "VoxtralForConditionalGeneration", (_TEXT,), _DEFAULTS),)
