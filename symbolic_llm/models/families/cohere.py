"""Command R and Aya: attention and MLP are parallel and share a norm, from the second release on with windows"""

from __future__ import annotations

from ..builder import Builder, standing_window
from ..config import Fields
from ..family import Family
from ..gated import gated


def _parallel(made: Builder, fields: Fields) -> Builder:
    fields.same("use_parallel_block", True)
    return made


def _cohere(fields: Fields) -> Builder:
    # norms without biases weigh what an RMSNorm does; those of queries and keys are each head's own
    made = gated(fields, tied=True, block_norms=1, joint_norms=fields.flag("use_qk_norm", False))
    return _parallel(made, fields)


def _cohere2(fields: Fields) -> Builder:
    made = gated(fields, tied=True, block_norms=1)
    every = fields.whole("sliding_window_pattern", 4, also="_sliding_window_pattern")
    types = fields.items("layer_types", str)
    made.windows(standing_window(fields, 4096), types, lambda i: (i + 1) % every != 0)
    fields.same("layer_switch", every)
    fields.same("order_of_interleaved_layers", "local_attn_first")
    return _parallel(made, fields)


FAMILIES = (
    Family("cohere", "CohereForCausalLM", _cohere),
    Family("cohere2", "Cohere2ForCausalLM", _cohere2),
)
