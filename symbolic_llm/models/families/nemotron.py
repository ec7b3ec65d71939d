"""Nemotron-H: each block is Mamba-2, attention, an MLP without a gate, or experts without gates, after one norm"""

from __future__ import annotations

from ...catalogue.named import plain_mlp_parameters, projection_parameters
from ..family_words import ROUTING, Builder, Family, Fields, outline
from ..recurrent.states import MAMBA, mix, state_bytes

_KINDS = {
    "M": "states", "mamba": "states", "linear_attention": "states",
    "*": "attention", "attention": "attention", "full_attention": "attention",
    "-": "mlp", "mlp": "mlp", "E": "experts", "moe": "experts",
}  # fmt: skip


def _blocks(fields: Fields) -> list[str]:
    """Kind of each block, as the config lists them; it also sets num_hidden_layers."""
    lists = [fields.items(name, str) for name in ("layers_block_type", "layer_types")]
    given = [one for one in lists if one is not None] or [list(fields.word("hybrid_override_pattern"))]
    if odd := {kind for pattern in given for kind in pattern} - set(_KINDS):
        raise fields.wrong(f"the pattern of blocks may have {', '.join(_KINDS)}, not {min(odd)!r}")
    blocks, *others = ([_KINDS[kind] for kind in pattern] for pattern in given)
    if others not in ([], [blocks]):
        raise fields.wrong("layers_block_type and layer_types list different blocks")
    fields.same("num_hidden_layers", len(blocks))
    fields.put("num_hidden_layers", len(blocks))
    return blocks


def _nemotron_h(fields: Fields) -> Builder:
    blocks = _blocks(fields)
    fields.flag("tie_word_embeddings", False)
    fields.put("tie_word_embeddings", False)  # its class has an output matrix of its own, whatever this says
    made = outline(fields, n_kv_heads=8, d_head=128, d_ff=21504)
    n, attends = made.letters["n_blocks"], blocks.count("attention")
    fields.has_no("attention_bias", "mlp_bias", "use_bias", "mamba_proj_bias")
    states = {
        "n_state_groups": fields.whole("n_groups", 8, also="mamba_n_groups"),
        "n_state_heads": fields.whole("mamba_num_heads", 128),
        "d_state_key": fields.whole("ssm_state_size", 128),
        "d_state_value": fields.whole("mamba_head_dim", 64),
        "n_kernel": fields.whole("conv_kernel", 4, also="mamba_d_conv"),
        "n_products": 2,
        "n_bytes_state": state_bytes(fields, "mamba_ssm_cache_dtype"),
    }
    mix(made, attends, blocks.count("states"), states, MAMBA)
    biases = fields.flag("mamba_conv_bias", fields.flag("use_conv_bias", True))
    made.vectors("biases", "d_conv", blocks.count("states") * biases)
    made.attention_blocks(n=attends)
    made.mlp_blocks(blocks.count("mlp"), gated=False)
    _experts(fields, made, blocks.count("experts"))
    made.vectors("norms", "d_model", n + 1)
    return made


def _experts(fields: Fields, made: Builder, n: int) -> None:
    """Add experts without gates, which may work in a width of their own, and a shared one in the model's width."""
    n_experts = fields.whole("n_routed_experts", 8, also="num_local_experts")
    n_active = fields.whole("num_experts_per_tok", 2)
    width = fields.optional("moe_latent_size") or made.letters["d_model"]
    named = {"d_ff": "d_expert"}
    d_expert = fields.whole("moe_intermediate_size", 7688)
    d_shared = fields.whole("moe_shared_expert_intermediate_size", 7688)
    if not n:
        return
    if width != made.letters["d_model"]:
        made.letters["d_experts"] = width
        made.add("experts", projection_parameters, n, renamed={"d_embedding": "d_experts"})
        named |= {"d_model": "d_experts"}
    made.routed_blocks(n, n_experts, n_active, d_expert)
    # two matrices where the formula for experts counts three
    made.letters["P_expert"] = 2 * width * d_expert
    active = n * n_active
    made.add("experts", plain_mlp_parameters, n * n_experts, multiplied=active, used=active, renamed=named)
    made.letters["d_shared"] = d_shared
    made.add("experts", plain_mlp_parameters, n, renamed={"d_ff": "d_shared"})


# what was before the shapes; further tokens, whose blocks are kept apart
_IGNORED = ROUTING | {
    "chunk_size", "expand", "hybrid_override_pattern", "mamba_chunk_size", "mamba_dt_init_floor", "mamba_dt_limit",
    "mamba_dt_max", "mamba_dt_min", "mamba_expand", "mamba_hidden_act", "mlp_hidden_act",
    "moe_shared_expert_overlap", "mtp_hybrid_override_pattern", "mtp_layers_block_type", "n_shared_experts",
    "num_nextn_predict_layers", "rescale_prenorm_residual", "time_step_rank", "use_mamba_kernels",
}  # fmt: skip

FAMILIES = (Family("nemotron_h", "NemotronHForCausalLM", _nemotron_h, ignored=_IGNORED),)
