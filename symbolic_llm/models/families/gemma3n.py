"""Gemma 3n: several streams of which a block computes one, a learned residual, embeddings of blocks, shared caches"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, Wrapper, shapes, sliding
from .gemma4 import share_last

_EVERY = 5  # of so many blocks the last has no window, where nothing else is said


def _gemma3n(fields: Fields) -> Builder:
    fields.has_no("attention_bias")
    made = shapes(fields, n_kv_heads=2, d_head=256)
    n = made.letters["n_blocks"]
    made.letters["d_ff"] = _one_width(fields, n)
    made.vocabulary(tied=fields.flag("tie_word_embeddings", True))
    sliding(made, 512, lambda i: (i + 1) % _EVERY != 0)
    share_last(made, fields, fields.whole("num_kv_shared_layers", 15, least=0))
    made.attention_blocks(norms=True)
    made.mlp_blocks(n, gated=True)
    made.vectors("norms", "d_model", 4 * n + 1)
    d_block, n_vocab_block = fields.whole("hidden_size_per_layer_input", 256), "vocab_size_per_layer_input"
    made.block_embeddings(d_block, fields.whole(n_vocab_block, 262_144), vectors=1)
    made.alternate(fields.whole("altup_num_inputs", 4), fields.whole("laurel_rank", 64))
    return made


def _one_width(fields: Fields, n: int) -> int:
    """The width of every MLP, which may be listed for each."""
    if not isinstance(fields.free("intermediate_size"), list):
        return fields.whole("intermediate_size")
    widths = fields.items("intermediate_size", int) or []
    if len(widths) != n:
        raise fields.wrong(f"intermediate_size must have an entry for each of the {n} layers, not {len(widths)}")
    if len({*widths}) > 1:
        raise fields.wrong("intermediate_size lists several widths, and the formulas take one for all layers")
    return Fields({"intermediate_size": widths[0]}, fields.where).whole("intermediate_size")


# What changes values and no shape: which gates are cut off, which stream is computed, how its scales are used
_IDLE = frozenset({"activation_sparsity_pattern", "altup_active_idx", "altup_coef_clip", "altup_correct_scale"})
_TEXT = Family("gemma3n_text", "Gemma3nForCausalLM", _gemma3n, ignored=_IDLE)
_DEFAULTS = {
    "hidden_size": 2048, "intermediate_size": 16384, "num_hidden_layers": 35, "num_attention_heads": 8,
    "vocab_size": 262400, "max_position_embeddings": 32768,
}  # fmt: skip

FAMILIES = (_TEXT, Wrapper("gemma3n", "Gemma3nForConditionalGeneration", (_TEXT,), _DEFAULTS, tied=True))
