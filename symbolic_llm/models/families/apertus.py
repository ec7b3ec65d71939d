"""Apertus: LLaMA with norms of queries and keys, and MLPs without gates whose activation has weights of its own"""

from __future__ import annotations

from ...catalogue.named import activation_parameters
from ..family_words import Builder, Family, Fields, gated


def _apertus(fields: Fields) -> Builder:
    def plain(made: Builder) -> None:
        n, learns = made.letters["n_blocks"], fields.free("hidden_act") in (None, "xielu")
        made.mlp_blocks(n, gated=False)
        made.unmultiplied("activations", activation_parameters, n * learns)

    fields.has_no("mlp_bias", "post_norm")
    return gated(fields, qk_norms=True, mlp=plain)


FAMILIES = (Family("apertus", "ApertusForCausalLM", _apertus),)
