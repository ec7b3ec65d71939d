"""A family with gated linear recurrences in two of three blocks"""

from __future__ import annotations

from ..builder import Builder, shapes
from ..config import Fields
from ..family import Family
from ..recurrent.lru import recur


def _novel(fields: Fields) -> Builder:
    made = shapes(fields)
    n = made.letters["n_blocks"]
    made.letters["d_ff"] = fields.whole("intermediate_size")
    made.vocabulary(tied=True)
    recur(made, n // 3, n - n // 3, width=fields.whole("lru_width"), n_bytes=4)
    made.attention_blocks(n=n // 3)
    made.mlp_blocks(n, gated=True)
    made.vectors("norms", "d_model", 2 * n + 1)
    return made


FAMILIES = (Family("novel_lru", "NovelLruForCausalLM", _novel),)
