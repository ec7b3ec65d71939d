"""EXAONE 4: norms after attention and MLP, and of queries and keys; windows in three of four blocks; 4.5 also sees"""

from __future__ import annotations

from ..family_words import BEYOND, Builder, Family, Fields, Wrapper, gated


def _exaone4(fields: Fields) -> Builder:
    made = gated(fields, n_kv_heads=32, biases=False, qk_norms=True)
    window, types = fields.optional("sliding_window", 4096), fields.items("layer_types", str)
    # its pattern is a number, or letters such as LLLG; the list says it whatever it is
    if types is None and window is not None:
        every = fields.whole("sliding_window_pattern", 4)
        made.windows(window, None, lambda i: (i + 1) % every != 0)
    else:
        made.windows(window, types, lambda _: True)
    return made


# further tokens are predicted by what is kept apart
_IGNORED = BEYOND | {"_num_mtp_layers", "mtp_loss_scaling_factor", "mtp_share_layers", "sliding_window_pattern"}
_EXAONE4 = Family("exaone4", "Exaone4ForCausalLM", _exaone4, ignored=_IGNORED)
_OLDER = Family("exaone4_5_text", "Exaone4ForCausalLM", _exaone4, ignored=_IGNORED)  # what it was called at first

FAMILIES = (_EXAONE4, Wrapper("exaone4_5", "Exaone4_5_ForConditionalGeneration", (_EXAONE4, _OLDER)))
