"""Phi-3, whose rotations may turn a part of each head"""

from __future__ import annotations

from ..family_words import ROTATED, Builder, Family, Fields, gated, sliding


def _phi3(fields: Fields) -> Builder:
    return sliding(gated(fields, biases=False))


FAMILIES = (Family("phi3", "Phi3ForCausalLM", _phi3, ignored=ROTATED),)
