"""Command R and Aya: attention and MLP are parallel and share a norm, from the second release on with windows

With experts, the first blocks may have MLPs of a width of their own, and windows as another pattern says.
"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated, sliding


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
    fields.repeats(layer_switch=every, order_of_interleaved_layers="local_attn_first")
    return _parallel(sliding(made, 4096, lambda i: (i + 1) % every != 0), fields)


def _cohere2_moe(fields: Fields) -> Builder:
    first = fields.whole("first_k_dense_replace", 0, least=0)

    def experts(made: Builder) -> None:
        n, d_expert = made.letters["n_blocks"], made.letters["d_ff"]
        types = fields.kinds("mlp_layer_types", n, ("dense", "sparse"))
        dense = min(first, n) if types is None else types.count("dense")
        width = fields.optional("prefix_dense_intermediate_size") or d_expert
        if dense:
            made.letters["d_ff"] = width
        made.mlp_blocks(dense, gated=True)
        shape = (fields.whole("num_experts", 8, also="num_local_experts"), fields.whole("num_experts_per_tok", 2))
        made.expert_blocks(n - dense, *shape, d_expert, fields.whole("num_shared_experts", 0, least=0))

    made = gated(fields, tied=True, d_head=128, block_norms=1, mlp=experts)
    early, every = fields.whole("prefix_dense_sliding_window_pattern", 1), fields.whole("sliding_window_pattern", 4)
    sliding(made, 4096, lambda i: bool((i + 1) % early if i < first else (i - first + 1) % every))
    return _parallel(made, fields)


# how experts are picked and mixed
_ROUTING = frozenset({"expert_selection_fn", "shared_expert_combination_strategy"})

FAMILIES = (
    Family("cohere", "CohereForCausalLM", _cohere),
    Family("cohere2", "Cohere2ForCausalLM", _cohere2),
    Family("cohere2_moe", "Cohere2MoeForCausalLM", _cohere2_moe, ignored=_ROUTING),
)
