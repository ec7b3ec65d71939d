"""Apertus: LLaMA with norms of queries and keys, and MLPs without gates whose activation has weights of its own"""

from __future__ import annotations

from ...catalogue.named import activation_parameters
from ..builder import Builder
from ..config import Fields
from ..family import Family
from ..llama_like import gated


def _apertus(fields: Fields) -> Builder:
    def plain(made: Builder) -> None:
        n, learns = made.letters["n_blocks"], fields.free("hidden_act") in (None, "xielu")
        made.mlp_blocks(n, gated=False)
        made.unmultiplied("activations", activation_parameters, n * learns)

    fields.has_no("mlp_bias")
    fields.has_no("post_norm")
    return gated(fields, qk_norms=True, mlp=plain)


FAMILIES = (Family("apertus", "ApertusForCausalLM", _apertus),)
