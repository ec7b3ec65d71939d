"""StableLM: LLaMA with LayerNorms and rotations of a part of each head"""

from __future__ import annotations

from ..family_words import ROTATED, Builder, Family, Fields, outline


def _stablelm(fields: Fields) -> Builder:
    made = outline(fields, n_kv_heads=32)
    fields.same("head_dim", made.letters["d_model"] // made.letters["n_heads"])
    return made.blocks(
        biases=fields.flag("use_qkv_bias", False),
        output_biases=False,
        block_norms=1 if fields.flag("use_parallel_residual", False) else 2,
        layer_norms=True,
        joint_norms=fields.flag("qk_layernorm", False),  # each head's own
    )


FAMILIES = (Family("stablelm", "StableLmForCausalLM", _stablelm, ignored=ROTATED),)
