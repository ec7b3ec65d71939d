"""Gemma 4: heads of another kind where no window is, one matrix for their keys and values, experts beside an MLP

In the small ones each block has an embedding of its own, and the last blocks attend to what blocks before them keep.
"""

from __future__ import annotations

from ..family_words import ROTATED, Builder, Family, Fields, Wrapper, grouped, outline, standing_window

_EVERY = 6  # of so many blocks the last has no window, where nothing else is said


def _gemma4(fields: Fields) -> Builder:
    fields.choice("use_bidirectional_attention", {"vision": 0}, "vision")  # of what is seen; text is read as ever
    fields.has_no("attention_bias")
    made = outline(fields, tied=True, n_kv_heads=4, d_head=256)
    n = made.letters["n_blocks"]
    types = fields.items("layer_types", str)
    if types is not None and len(types) == n:  # the last has none, whatever is said of it
        types = [*types[:-1], "full_attention"]
    made.windows(standing_window(fields, 512), types, lambda i: (i + 1) % _EVERY != 0 and i != n - 1)
    n_sharing = share_last(made, fields, fields.whole("num_kv_shared_layers", 0, null=0, least=0))
    _attention(made, fields)
    # as wide as two in blocks that share, where that is said
    made.mlp_blocks(n + n_sharing * fields.flag("use_double_wide_mlp", False), gated=True)
    norms = 4
    if fields.flag("enable_moe_block", False):
        shape = (fields.whole("num_experts"), fields.whole("top_k_experts"), fields.whole("moe_intermediate_size"))
        made.expert_blocks(n, *shape)
        made.vectors("router", "d_model", n)
        made.vectors("router", "n_experts", n)
        norms = 7  # one more before the experts, and one after each of the two
    made.vectors("norms", "d_model", norms * n + 1)
    if d_block := fields.whole("hidden_size_per_layer_input", 256, null=0, least=0):
        made.block_embeddings(d_block, fields.whole("vocab_size_per_layer_input", 262_144), vectors=1)
    return made


def share_last(made: Builder, fields: Fields, n_sharing: int) -> int:
    """Let the last n_sharing blocks use the keys and values of the last block of their kind before them.

    Returns n_sharing.
    """
    n = made.letters["n_blocks"]
    if n_sharing >= n:
        raise fields.wrong(
            f"num_kv_shared_layers is {n_sharing}, but the first of {n} layers must have a cache of its own"
        )
    kinds = [block in made.windowed for block in range(n)]
    if not {*kinds[n - n_sharing :]} <= {*kinds[: n - n_sharing]}:
        raise fields.wrong(
            f"num_kv_shared_layers is {n_sharing}, but no earlier layer has a cache of the same kind to share"
        )
    made.share_caches(range(n - n_sharing, n), range(n))
    return n_sharing


def _attention(made: Builder, fields: Fields) -> None:
    n_kv_heads, d_head = made.letters["n_kv_heads"], made.letters["d_head"]
    shares, own = fields.flag("attention_k_eq_v", False), _own_shapes(made, fields)
    if own is None:
        width = fields.optional("global_head_dim", 512) or d_head
        n_kv_own = fields.whole("num_global_key_value_heads", n_kv_heads, null=n_kv_heads)
        n_kv_full = n_kv_own if shares else n_kv_heads
    else:
        width, n_kv_full = own.whole("head_dim", d_head), own.whole("num_key_value_heads", n_kv_heads)
        fields.repeats(global_head_dim=width, num_global_key_value_heads=n_kv_full)
    n_kv_full = grouped(fields, made.letters["n_heads"], n_kv_full)
    made.attention_of_two_kinds(n_kv_full, width, shared_keys=shares, norms=True)


def _own_shapes(made: Builder, fields: Fields) -> Fields | None:
    """The shapes that newer files give to blocks without a window, block by block; None where they give none."""
    by_block = fields.table("per_layer_config")
    if not by_block:
        return None
    known = {"head_dim", "num_key_value_heads"}
    given = [own for own in by_block.values() if isinstance(own, dict) and own.keys() <= known]
    numbers = {int(number) for number in by_block if str(number).isdecimal() and len(str(number)) < 6}
    full = set(range(made.letters["n_blocks"])) - {*made.windowed}
    if numbers != full or len(given) != len(full) or any(own != given[0] for own in given):
        raise fields.wrong(
            f"per_layer_config must give each layer without a window the same {' and '.join(sorted(known))}"
        )
    return Fields(given[0], f"{fields.where}, per_layer_config")


# What only blocks change that have an embedding of their own; and rotations.
_IDLE = ROTATED | {"vocab_size_per_layer_input"}
_EXPERTS = frozenset({"moe_intermediate_size", "num_experts", "top_k_experts"})  # not read where there are none
_TEXT = Family("gemma4_text", "Gemma4ForCausalLM", _gemma4, ignored=_IDLE | _EXPERTS)
_DEFAULTS = {
    "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 30, "num_attention_heads": 8,
    "vocab_size": 262144, "max_position_embeddings": 131072,
}  # fmt: skip

FAMILIES = (
    _TEXT,
    Wrapper("gemma4", "Gemma4ForConditionalGeneration", (_TEXT,), _DEFAULTS, tied=True),
)
