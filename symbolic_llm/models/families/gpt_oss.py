"""gpt-oss: biases in every matrix, routers and experts too, a sink in every head, windows in every other block"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated, sliding


def _gpt_oss(fields: Fields) -> Builder:
    def experts(made: Builder) -> None:
        n, d_expert = made.letters["n_blocks"], made.letters["d_ff"]
        n_experts = fields.whole("num_local_experts", 128, also="num_experts")
        n_active = fields.whole("num_experts_per_tok", 4, also="experts_per_token")
        made.expert_blocks(n, n_experts, n_active, d_expert, biases=True)
        made.vectors("biases", "n_experts", n)

    made = gated(fields, n_kv_heads=8, d_head=64, biases=fields.flag("attention_bias", True), mlp=experts)
    made.vectors("sinks", "n_heads", made.letters["n_blocks"])
    return sliding(made, 128, lambda i: i % 2 == 0)


FAMILIES = (Family("gpt_oss", "GptOssForCausalLM", _gpt_oss),)
