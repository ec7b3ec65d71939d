"""Traffic of tiled attention and the memory of the chip

Attention whose tiles take M bytes of the chip moves about 4·(N·d)²/M of them, if all numbers take one byte: twice the
memory, half the traffic, which is Θ(N²·d²/M). It moves a little more; the share is small where the sequence is long
beside a tile and heads and tiles of queries are wide beside tiles of keys.
"""

from symbolic_llm.claims import Approximation, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_bytes import FORMULA as textbook_attention_bytes
from symbolic_llm.formulas.attention.textbook_attention_bytes import NARROW
from symbolic_llm.formulas.attention.tile_bytes import FORMULA as tile_bytes
from symbolic_llm.formulas.attention.tiled_attention_bytes import FORMULA as tiled_attention_bytes
from symbolic_llm.notation import D_tiled, M_tile, N, b_k, b_q, d
from symbolic_llm.steps import CLAIM, at_most, premise, substitute

EXACT = tiled_attention_bytes.rhs
VALUE = 4 * NARROW**2 / M_tile
NUMBERS = 2 * b_q * (d + 1) + b_q * b_k + b_k * d
SHARE = (NUMBERS * b_q + N * (b_q * (2 + b_k) + b_k * d)) / (NUMBERS * (b_q + N))

FORMULA = Formula(
    __name__,
    claim=Approximation(D_tiled, VALUE, exact=EXACT, bound=b_q / N + (2 + b_k) / (2 * d) + b_k / (2 * b_q)),
    kind=Kind.APPROXIMATION,
    plain=(N,),
    uses=(textbook_attention_bytes, tiled_attention_bytes, tile_bytes),
    steps=(
        premise((EXACT - VALUE) / EXACT, "the relative error"),
        substitute(tile_bytes, SHARE, "the memory written out"),
        at_most(CLAIM, "a tile takes more than two numbers for each one of its queries"),
    ),
    measured_by="tiled.bytes",
    sources=("dao-2022",),
    example={"d": 128, "N": 32768, "b_q": 128, "b_k": 16, "n_bytes_act": 2, "M_tile": "74 kB"},
)
