"""Llama 4: a shared expert beside one that is picked, plain MLPs in between, and blocks that attend to chunks

A block that attends to a chunk looks back to where its chunk begins and no farther; its cache is as long as a chunk.
"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, Wrapper, gated


def _llama4(fields: Fields) -> Builder:
    def experts(made: Builder) -> None:
        n, listed = made.letters["n_blocks"], fields.items("moe_layers", int)
        # where they are listed, how far apart they are is not asked
        every = fields.whole("interleave_moe_layer_step", 1, least=int(listed is None))
        sparse = len({i for i in listed if 0 <= i < n}) if listed is not None else n // every
        least = int(sparse > 0)
        d_expert = made.letters["d_ff"]
        made.letters["d_ff"] = fields.whole("intermediate_size_mlp", 16384)
        made.mlp_blocks(n - sparse, gated=True)
        n_experts = fields.whole("num_local_experts", 16, least=least)
        n_active = fields.whole("num_experts_per_tok", 1, least=least)
        made.expert_blocks(sparse, n_experts, n_active, d_expert, 1)

    fields.flag("use_qk_norm", True)  # these norms have no weights
    made = gated(fields, n_kv_heads=8, d_head=128, mlp=experts)
    n, every = made.letters["n_blocks"], fields.whole("no_rope_layer_interval", 4)
    turned = fields.items("no_rope_layers", int) or [int((i + 1) % every != 0) for i in range(n)]
    types = fields.items("layer_types", str)
    if types is None and len(turned) < n:
        raise fields.wrong(f"no_rope_layers must have an entry for each of the {n} layers, not {len(turned)}")
    chunked = types and ["sliding_attention" if kind == "chunked_attention" else kind for kind in types]
    made.windows(fields.optional("attention_chunk_size", 8192), chunked, lambda i: bool(turned[i]))
    return made


_TEXT = Family("llama4_text", "Llama4ForCausalLM", _llama4, ignored=frozenset({"for_llm_compressor"}))

FAMILIES = (
    _TEXT,
    Wrapper("llama4", "Llama4ForConditionalGeneration", (_TEXT,), ties=False, also=("Llama4ForCausalLM",)),
)
