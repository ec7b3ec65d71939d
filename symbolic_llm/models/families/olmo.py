"""OLMo 2 and 3, and OLMoE: norms over all queries and all keys of a block; the third with windows"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, experts, gated, sliding


def _olmo2(fields: Fields) -> Builder:
    return gated(fields, joint_norms=True)


def _olmo3(fields: Fields) -> Builder:
    return sliding(gated(fields, joint_norms=True), 4096, lambda i: (i + 1) % 4 != 0)


def _olmoe(fields: Fields) -> Builder:
    made = gated(fields, joint_norms=True, mlp=experts(64, 8, names=("num_experts", "num_local_experts")))
    # its norms are as wide as the model, whatever its heads are
    made.own_width()
    return made


FAMILIES = (
    Family("olmo2", "Olmo2ForCausalLM", _olmo2),
    Family("olmo3", "Olmo3ForCausalLM", _olmo3),
    Family("olmoe", "OlmoeForCausalLM", _olmoe),
)
