"""On-chip memory from which tiling pays

A chip that holds about d² numbers for a head is enough, at any length of the sequence: d·(d + 1 + 3·b/2) of them with
tiles of b keys. With fewer, keys and values come so often that the textbook moves less. Tiles of at least half as many
queries as a head is wide always pay.
"""

from symbolic_llm.claims import Condition, Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_bytes import FORMULA as textbook_attention_bytes
from symbolic_llm.formulas.attention.textbook_attention_bytes import NARROW
from symbolic_llm.formulas.attention.tile_bytes import FORMULA as tile_bytes
from symbolic_llm.formulas.attention.tile_bytes import NUMBER
from symbolic_llm.formulas.attention.tiled_attention_bytes import FORMULA as tiled_attention_bytes
from symbolic_llm.notation import M_tile, N, b_k, b_q, d
from symbolic_llm.steps import CLAIM, add, divide, multiply, premise, subtract
from symbolic_llm.unevaluated import Gt, Lt

KEYS = b_k * d * NUMBER
ROW = (2 * d + 2 + b_k) * NUMBER  # on the chip for each query of a tile
TILED = tiled_attention_bytes.rhs.xreplace({b_q: (M_tile - KEYS) / ROW})
LESS = Lt(TILED, textbook_attention_bytes.rhs)

FORMULA = Formula(
    __name__,
    claim=Equivalence(LESS, Gt(M_tile, N * d * ROW / (2 * N + d) + KEYS)),
    kind=Kind.THEOREM,
    where=(Condition(Gt(M_tile, KEYS), "there is room on the chip for more than a tile of keys"),),
    plain=(N,),
    uses=(tiled_attention_bytes, textbook_attention_bytes, tile_bytes),
    steps=(
        premise(LESS, "attention with tiles that fill so much of the chip moves fewer bytes"),
        subtract(
            2 * NARROW,
            Lt(2 * NARROW * N * ROW / (M_tile - KEYS), 2 * NARROW * (2 * N + d) / d),
            "without queries and outputs, which both move",
        ),
        multiply(
            (M_tile - KEYS) / (2 * NARROW),
            Lt(N * ROW, (M_tile - KEYS) * (2 * N + d) / d),
            "by what the chip has left beside a tile of keys",
        ),
        divide((2 * N + d) / d, Lt(N * d * ROW / (2 * N + d), M_tile - KEYS), "by what is positive"),
        add(KEYS, CLAIM, "and a tile of keys"),
    ),
    measured_by="tiled.saves",
    sources=("dao-2022",),
    example={"model": "llama-2-7b", "dtype": "fp16", "N": 4096, "b_k": 64, "M_tile": "164 kB"},
)
