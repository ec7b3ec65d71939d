"""Falcon-H1: attention and Mamba-2 side by side in every block, then a gated MLP"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, outline
from ..recurrent.states import MAMBA, mamba, mix


def _falcon_h1(fields: Fields) -> Builder:
    made = outline(fields, n_kv_heads=8)
    n = made.letters["n_blocks"]
    fields.has_no("mamba_proj_bias", "projectors_bias")
    fields.always("mamba_use_mlp")
    for name in ("layers_block_type", "layer_types"):
        if set(fields.items(name, str) or ()) - {"hybrid"}:
            raise fields.wrong(f"{name} must list only hybrid in a model of this kind")
    widened = fields.whole("mamba_expand", 2) * made.letters["d_model"]
    states = mamba(fields, fields.whole("mamba_d_ssm", 1024, null=widened))
    mix(made, n, n, states, MAMBA, normed=fields.flag("mamba_rms_norm", False))
    made.vectors("biases", "d_conv", n * fields.flag("mamba_conv_bias", True))
    return made.blocks(biases=fields.flag("attention_bias", False), mlp_biases=fields.flag("mlp_bias", False))


# by what something is multiplied, and how a pass goes about it
_IGNORED = frozenset(
    {
        "lm_head_multiplier", "mamba_chunk_size", "mamba_norm_before_gate", "mlp_expansion_factor", "mlp_multipliers",
        "ssm_in_multiplier", "ssm_multipliers", "ssm_out_multiplier",
    }
)  # fmt: skip

FAMILIES = (Family("falcon_h1", "FalconH1ForCausalLM", _falcon_h1, ignored=_IGNORED),)
