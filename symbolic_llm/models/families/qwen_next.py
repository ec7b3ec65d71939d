"""Qwen3-Next and Qwen 3.5: a gated delta rule in three of four blocks, attention under a gate in the others"""

from __future__ import annotations

from ...catalogue.named import attention_gate_parameters
from ..family_words import ROTATED, Builder, Family, Fields, Wrapper, experts, outline
from ..recurrent.states import DELTA, mix, state_bytes
from .qwen import n_plain


def _attending(fields: Fields, n: int) -> int:
    """Number of blocks with attention: as listed, else every full_attention_interval-th, by default every fourth."""
    types = fields.kinds("layer_types", n, ("full_attention", "linear_attention"))
    every = fields.whole("full_attention_interval", 4)
    return n // every if types is None else types.count("full_attention")


def _shapes(fields: Fields, *, n_kv_heads: int, d_ff: int) -> Builder:
    made = outline(fields, n_kv_heads=n_kv_heads, d_head=256, d_ff=d_ff)
    fields.has_no("attention_bias")
    fields.always("attn_output_gate")
    n = made.letters["n_blocks"]
    states = {
        "n_state_groups": fields.whole("linear_num_key_heads", 16),
        "n_state_heads": fields.whole("linear_num_value_heads", 32),
        "d_state_key": fields.whole("linear_key_head_dim", 128),
        "d_state_value": fields.whole("linear_value_head_dim", 128),
        "n_kernel": fields.whole("linear_conv_kernel_dim", 4),
        "n_products": 3,
        "n_bytes_state": state_bytes(fields, "mamba_ssm_dtype"),
    }
    attends = _attending(fields, n)
    mix(made, attends, n - attends, states, DELTA)
    made.add("attention", attention_gate_parameters, attends)
    made.attention_blocks(norms=True, n=attends)
    made.vectors("norms", "d_model", 2 * n + 1)
    return made


def _qwen3_next(fields: Fields) -> Builder:
    made = _shapes(fields, n_kv_heads=2, d_ff=5632)
    experts(512, 10, 512, names=("num_experts",), plain=n_plain(fields), d_shared=512)(made)
    return made


def _qwen3_5(fields: Fields) -> Builder:
    made = _shapes(fields, n_kv_heads=4, d_ff=12288)
    made.mlp_blocks(made.letters["n_blocks"], gated=True)
    return made


def _qwen3_5_moe(fields: Fields) -> Builder:
    made = _shapes(fields, n_kv_heads=2, d_ff=1)
    experts(256, 8, 512, names=("num_experts",), d_shared=512)(made)
    return made


# further tokens are predicted by what is kept apart
_IGNORED = ROTATED | {"mtp_num_hidden_layers", "mtp_use_dedicated_embeddings"}
_TEXT = Family("qwen3_5_text", "Qwen3_5ForCausalLM", _qwen3_5, ignored=_IGNORED)
_MOE_TEXT = Family("qwen3_5_moe_text", "Qwen3_5MoeForCausalLM", _qwen3_5_moe, ignored=_IGNORED | {"mlp_only_layers"})

FAMILIES = (
    Family("qwen3_next", "Qwen3NextForCausalLM", _qwen3_next, ignored=_IGNORED),
    _TEXT,
    _MOE_TEXT,
    Wrapper("qwen3_5", "Qwen3_5ForConditionalGeneration", (_TEXT,)),
    Wrapper("qwen3_5_moe", "Qwen3_5MoeForConditionalGeneration", (_MOE_TEXT,)),
)
