"""A family whose heads share one vector of a token, with a window in every other block"""

from __future__ import annotations

from ..attention.factored import factor
from ..builder import Builder
from ..config import Fields
from ..family import Family


def _novel(fields: Fields) -> Builder:
    made = Builder(
        fields,
        n_blocks=fields.layers("num_hidden_layers"),
        d_model=fields.whole("hidden_size"),
        n_heads=fields.whole("num_attention_heads"),
        d_head=fields.whole("head_dim"),
        n_vocab=fields.whole("vocab_size"),
        d_ff=fields.whole("intermediate_size"),
    )
    n = made.letters["n_blocks"]
    made.vocabulary(tied=True)
    made.windows(fields.whole("sliding_window"), None, lambda block: block % 2 == 0)
    factor(made, fields.whole("q_low_rank"))
    made.mlp_blocks(n, gated=True)
    made.vectors("norms", "d_model", 2 * n + 1)
    return made


FAMILIES = (Family("novel_factored", "NovelFactoredForCausalLM", _novel),)
