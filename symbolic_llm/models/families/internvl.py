"""InternVL, whose text part is one of several families"""

from __future__ import annotations

from ..family_words import Wrapper
from .llama import LLAMA
from .qwen import QWEN2, QWEN3, QWEN3_MOE

FAMILIES = (Wrapper("internvl", "InternVLForConditionalGeneration", (QWEN2, QWEN3, QWEN3_MOE, LLAMA)),)
