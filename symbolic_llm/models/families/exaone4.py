"""EXAONE 4: norms after attention and MLP, and of queries and keys; windows in three of four blocks"""

from __future__ import annotations

from ..builder import Builder
from ..config import Fields
from ..family import Family
from ..gated import gated


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


FAMILIES = (Family("exaone4", "Exaone4ForCausalLM", _exaone4, ignored=frozenset({"sliding_window_pattern"})),)
