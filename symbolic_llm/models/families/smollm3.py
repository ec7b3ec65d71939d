"""SmolLM3: LLaMA with blocks that turn nothing, windows only if they are switched on"""

from __future__ import annotations

from ..family_words import Builder, Family, Fields, gated


def _smollm3(fields: Fields) -> Builder:
    made = gated(fields, tied=True, n_kv_heads=4, mlp_biases=fields.flag("mlp_bias", False))
    window, on = fields.optional("sliding_window"), fields.flag("use_sliding_window", False)
    types, every = fields.items("layer_types", str), fields.whole("no_rope_layer_interval", 4)
    n, turned = made.letters["n_blocks"], fields.items("no_rope_layers", int)
    if turned is None:
        turned = [int((i + 1) % every != 0) for i in range(n)]
    if types is None and len(turned) < n:
        raise fields.wrong(f"no_rope_layers must have an entry for each of the {n} layers, not {len(turned)}")
    # blocks that turn nothing are those with a window
    made.windows(window if on else None, types, lambda i: not turned[i])
    return made


FAMILIES = (
    Family("smollm3", "SmolLM3ForCausalLM", _smollm3, ignored=frozenset({"no_rope_layers", "no_rope_layer_interval"})),
)
