"""StableLM: LLaMA with LayerNorms and rotations of a part of each head"""

from __future__ import annotations

from ...catalogue.named import joint_query_key_norm_parameters
from ..family_words import Builder, Family, Fields, shapes


def _stablelm(fields: Fields) -> Builder:
    made = shapes(fields, n_kv_heads=32)
    n = made.letters["n_blocks"]
    made.letters["d_ff"] = fields.whole("intermediate_size")
    fields.same("head_dim", made.letters["d_model"] // made.letters["n_heads"])
    made.vocabulary(tied=fields.flag("tie_word_embeddings", False))
    made.attention_blocks(biases=fields.flag("use_qkv_bias", False))
    # a norm of its own for every head, which weigh as much as one over all of them
    made.unmultiplied("norms", joint_query_key_norm_parameters, n * fields.flag("qk_layernorm", False))
    made.mlp_blocks(n, gated=True)
    parallel = fields.flag("use_parallel_residual", False)
    made.layer_norms((1 if parallel else 2) * n + 1)
    return made


FAMILIES = (Family("stablelm", "StableLmForCausalLM", _stablelm, ignored=frozenset({"partial_rotary_factor"})),)
