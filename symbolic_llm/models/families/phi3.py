"""Phi-3, whose rotations may turn a part of each head"""

from __future__ import annotations

from ..family_words import ROTATED, Builder, Family, Fields, gated, standing_window


def _phi3(fields: Fields) -> Builder:
    made = gated(fields, biases=False)
    made.windows(standing_window(fields), None, lambda _: True)
    return made


FAMILIES = (Family("phi3", "Phi3ForCausalLM", _phi3, ignored=ROTATED),)
