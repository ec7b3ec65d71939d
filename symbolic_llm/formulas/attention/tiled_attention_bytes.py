"""Bytes moved by tiled attention

Take b queries at a time, pass all keys and values by them tile after tile, and keep a running softmax: S and A
never leave the chip. K and V are loaded once for each tile of queries instead.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_bytes import FORMULA as textbook_attention_bytes
from symbolic_llm.formulas.attention.textbook_attention_bytes import NARROW
from symbolic_llm.formulas.shared import tiles_fill_context
from symbolic_llm.notation import D_tiled, N, b_q
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(D_tiled, 2 * NARROW + 2 * NARROW * N / b_q),
    where=(tiles_fill_context,),
    plain=(N,),
    uses=(textbook_attention_bytes,),  # for what it moves of queries, keys, values and output
    steps=(
        premise(NARROW, "each query is loaded once", measured_by="tiled.loaded[queries]"),
        add(
            2 * NARROW * N / b_q,
            NARROW + 2 * NARROW * N / b_q,
            "K and V are loaded once for each of the N/b tiles",
            measured_by="ragged/tiled.loaded[keys, values]",
        ),
        add(NARROW, CLAIM, "each output is stored once", measured_by="tiled.stored[outputs]"),
    ),
    measured_by="tiled.bytes",
    sources=("dao-2022",),
    example={"model": "llama-2-7b", "N": 4096, "b_q": 128, "dtype": "fp16"},
)
