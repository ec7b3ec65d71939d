"""MiMo-V2-Flash: values narrower than keys, twice the key/value heads and sinks where a window is, experts

Published files tell blocks apart by numbers (`hybrid_layer_pattern`, `moe_layer_freq`), transformers' class by words.
MiMo-V2.5 is refused.
"""

from __future__ import annotations

from ..family_words import ROTATED, ROUTING, Builder, Family, Fields, Refused, experts, grouped, outline

_EVERY = 6  # of so many blocks the last has no window, nor has the very first, where nothing else is said
_MORE = 2  # of key/value heads, so many times as many in a block with a window


def _mimo(fields: Fields) -> Builder:
    fields.has_no("attention_bias")
    made = outline(fields, n_kv_heads=4, d_head=192)
    letters = made.letters
    n, n_heads, n_kv, d_head = (letters[name] for name in ("n_blocks", "n_heads", "n_kv_heads", "d_head"))
    d_value = fields.whole("v_head_dim", 128)
    if d_value != d_head:
        letters["d_value"] = d_value
    types = _kinds(fields, n, "layer_types", "hybrid_layer_pattern", ("full_attention", "sliding_attention"))
    made.windows(_window(fields), types, lambda i: i > 0 and (i + 1) % _EVERY != 0)
    if made.windowed:
        letters["n_kv_heads"] = grouped(fields, n_heads, _MORE * n_kv)
    fields.repeats(
        swa_num_attention_heads=n_heads,
        swa_num_key_value_heads=_MORE * n_kv,
        swa_head_dim=d_head,
        swa_v_head_dim=d_value,
        add_swa_attention_sink_bias=True,
    )
    fields.has_no("add_full_attention_sink_bias")
    if len(made.windowed) in (0, n):
        made.attention_blocks()
    else:
        made.attention_of_two_kinds(n_kv, d_head, shared_keys=False, norms=False)
    made.vectors("sinks", "n_heads", len(made.windowed))
    kinds = _kinds(fields, n, "mlp_layer_types", "moe_layer_freq", ("dense", "sparse"))
    n_plain = 1 if kinds is None else kinds.count("dense")
    experts(256, 8, 2048, names=("n_routed_experts", "num_local_experts"), plain=n_plain)(made)
    made.vectors("norms", "d_model", 2 * n + 1)
    return made


def _window(fields: Fields) -> int:
    """The window of its class, the token itself included; `sliding_window_size` of published files leaves that out."""
    before, window = fields.optional("sliding_window_size"), fields.whole("sliding_window", 129)
    if before is None:
        return window
    if window not in (before, before + 1, 129):
        raise fields.wrong(f"sliding_window is {window}, but sliding_window_size is {before}")
    return before + 1


def _kinds(fields: Fields, n: int, words: str, numbers: str, known: tuple[str, str]) -> list[str] | None:
    """Kinds of the blocks as words, from a list of words or of numbers that stand for them; None without either."""
    said, numbered = fields.items(words, str), fields.items(numbers, int)
    if numbered is not None:
        if len(numbered) != n or set(numbered) - {0, 1}:
            raise fields.wrong(f"{numbers} must have 0 or 1 for each of the {n} layers")
        meant = [known[number] for number in numbered]
        if said not in (None, meant):
            raise fields.wrong(f"{words} and {numbers} contradict each other for some layers")
        said = meant
    return fields.kinds(words, n, known, said)


# How experts are picked, how wide a chunk is that training cut contexts to, and how much of a key is rotated
_IDLE = ROTATED | ROUTING | {"attention_chunk_size"}

FAMILIES = (
    Family("mimo_v2_flash", "MiMoV2FlashForCausalLM", _mimo, ignored=_IDLE),
    Refused("mimo_v2", "transformers has no class for it, so its count cannot be checked"),
)
