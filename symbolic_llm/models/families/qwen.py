"""Qwen 2 and 3: windows only if they are switched on; with experts, and the text part of those that see"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, Wrapper, experts, gated


def _window(fields: Fields) -> int | None:
    """The window, if it is switched on; where it is not, files may say 0."""
    if fields.flag("use_sliding_window", False):
        return fields.optional("sliding_window", 4096)
    fields.whole("sliding_window", 0, null=0, least=0)
    return None


def _later_blocks(made: Builder, fields: Fields, full: int = 28) -> Builder:
    """Record windows in the blocks from `max_window_layers` on, or in those of `layer_types`; returns the builder."""
    full = fields.whole("max_window_layers", full, least=0)
    made.windows(_window(fields), fields.items("layer_types", str), lambda i: i >= full)
    return made


def _qwen2(fields: Fields) -> Builder:
    return _later_blocks(gated(fields, n_kv_heads=32, biases=True, output_biases=False), fields)


def _qwen3(fields: Fields) -> Builder:
    return _later_blocks(gated(fields, n_kv_heads=32, d_head=128, qk_norms=True), fields)


def n_plain(fields: Fields) -> int:
    """Number of blocks with an MLP instead of experts."""
    n, every = fields.layers("num_hidden_layers"), fields.whole("decoder_sparse_step", 1)
    dense = set(fields.items("mlp_only_layers", int) or ())
    return sum(i in dense or (i + 1) % every != 0 for i in range(n))


def _qwen2_moe(fields: Fields) -> Builder:
    mlp = experts(60, 4, 1408, names=("num_experts",), plain=n_plain(fields), d_shared=5632)
    made = gated(fields, n_kv_heads=16, biases=fields.flag("qkv_bias", True), output_biases=False, mlp=mlp)
    # unlike in its siblings: every other of the first blocks
    full = fields.whole("max_window_layers", 28, least=0)
    made.windows(_window(fields), fields.items("layer_types", str), lambda i: i % 2 == 0 and i < full)
    return made


def _qwen3_moe(fields: Fields) -> Builder:
    mlp = experts(128, 8, 768, names=("num_experts", "num_local_experts"), plain=n_plain(fields))
    made = gated(fields, n_kv_heads=4, qk_norms=True, mlp=mlp)
    window, full = _window(fields), fields.whole("max_window_layers", 0, least=0)
    if window is not None and full:  # older releases of transformers read it, newer ones do not
        raise fields.wrong(f"max_window_layers must be 0 when use_sliding_window is true, not {full}")
    made.windows(window, None, lambda _: True)
    return made


def _qwen2_vl(fields: Fields) -> Builder:
    made = gated(fields, n_kv_heads=8, biases=True, output_biases=False)
    made.own_width()
    return _later_blocks(made, fields, 80)


def _qwen3_vl(fields: Fields) -> Builder:
    return gated(fields, n_kv_heads=32, d_head=128, qk_norms=True)


def _qwen3_vl_moe(fields: Fields) -> Builder:
    return gated(fields, tied=True, n_kv_heads=16, qk_norms=True, mlp=experts(60, 4, 1408, plain=n_plain(fields)))


_SEEING = ("Qwen2VLForConditionalGeneration", "Qwen2_5_VLForConditionalGeneration")
_VL2_TEXT = Family("qwen2_vl_text", "Qwen2VLForCausalLM", _qwen2_vl, also=_SEEING[:1])
_VL2_5_TEXT = Family("qwen2_5_vl_text", "Qwen2_5_VLForCausalLM", _qwen2_vl, also=_SEEING[1:])
_WINDOW = frozenset({"sliding_window"})  # said beside the text part too, where no window is switched on
_VL_TEXT = Family("qwen3_vl_text", "Qwen3VLForCausalLM", _qwen3_vl)
_VL_MOE_TEXT = Family("qwen3_vl_moe_text", "Qwen3VLMoeForCausalLM", _qwen3_vl_moe)

# what other families that see may have as their text part
QWEN2 = Family("qwen2", "Qwen2ForCausalLM", _qwen2)
QWEN3 = Family("qwen3", "Qwen3ForCausalLM", _qwen3)
QWEN3_MOE = Family("qwen3_moe", "Qwen3MoeForCausalLM", _qwen3_moe)

FAMILIES = (
    _VL2_TEXT,
    _VL2_5_TEXT,
    _VL_TEXT,
    _VL_MOE_TEXT,
    QWEN2,
    Family("qwen2_moe", "Qwen2MoeForCausalLM", _qwen2_moe),
    QWEN3,
    QWEN3_MOE,
    Wrapper("qwen2_vl", _SEEING[0], (_VL2_TEXT,), ignored=_WINDOW, flat=True),
    Wrapper("qwen2_5_vl", _SEEING[1], (_VL2_5_TEXT,), ignored=_WINDOW, flat=True),
    Wrapper("qwen3_vl", "Qwen3VLForConditionalGeneration", (_VL_TEXT,)),
    Wrapper("qwen3_vl_moe", "Qwen3VLMoeForConditionalGeneration", (_VL_MOE_TEXT,)),
)
