"""Bytes of a KV cache with windows

A block that attends to a window keeps the keys and values of that window and forgets older ones. Once sequences are
longer than the window, only the other blocks' caches go on growing.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.kv_bytes_per_token_and_layer import FORMULA as kv_bytes_per_token_and_layer
from symbolic_llm.formulas.shared import window_is_full
from symbolic_llm.notation import B, M_cache, N, m_layer, n_global, n_local, n_window
from symbolic_llm.steps import add, multiply, premise

KEPT = n_global * N + n_local * n_window

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_cache, B * KEPT * m_layer),
    where=(window_is_full,),
    uses=(kv_bytes_per_token_and_layer,),
    steps=(
        premise(n_global * N, "tokens that the blocks without a window keep"),
        add(n_local * n_window, KEPT, "tokens that those with one keep"),
        multiply(m_layer, KEPT * m_layer, "bytes of a token in one block"),
        multiply(B, B * KEPT * m_layer, "every sequence of the batch has a cache of its own"),
    ),
    measured_by="kv_cache.windowed_bytes",
    sources=("gemma-2024",),
    example={"model": "gemma-2-27b", "cache": "fp16", "N": 8192, "B": 1},
)
