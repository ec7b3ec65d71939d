"""Seed-OSS: LLaMA with biases of queries, keys and values"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated


def _seed_oss(fields: Fields) -> Builder:
    return gated(
        fields,
        n_kv_heads=8,
        d_head=128,
        biases=fields.flag("attention_bias", True),
        output_biases=fields.flag("attention_out_bias", False),
        mlp_biases=fields.flag("mlp_bias", False),
    )


FAMILIES = (Family("seed_oss", "SeedOssForCausalLM", _seed_oss),)
