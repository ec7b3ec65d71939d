"""Operations of tiled attention

The products are those of the textbook: nothing is computed twice. A softmax that meets its scores tile by tile takes a
subtraction, an exponential and a comparison for each score as the stable one does, but divides only the outputs; each
tile of keys after the first rescales what each query has so far.
"""

from symbolic_llm.algebra import Mod
from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.textbook_attention_flops import FORMULA as textbook_attention_flops
from symbolic_llm.formulas.attention.textbook_attention_flops import two_products
from symbolic_llm.notation import C_tiled, N, b_k, d
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import FLOP

per_score = count(4, "comparison, subtraction, exponential, addition to the sum", FLOP)
per_tile = count(6, "two comparisons; subtraction, exponential, and the sum rescaled and added to", FLOP)
rescaled = count(2, "a multiplication and an addition", FLOP)
division = count(1, "a division", FLOP)

PRODUCTS, SCORES = two_products * N**2 * d, per_score * N**2
RESCALED = N * (N / b_k - 1) * (per_tile + rescaled * d)
OUTPUTS = division * N * d

FORMULA = Formula(
    __name__,
    claim=Eq(C_tiled, PRODUCTS + SCORES + RESCALED + OUTPUTS),
    where=(Condition(Eq(Mod(N, b_k), 0), "the tiles of keys divide the sequence evenly"),),
    plain=(N,),
    uses=(textbook_attention_flops,),  # for the products, which are the same
    steps=(
        premise(PRODUCTS, "N² scores and N·d outputs, as in the textbook", measured_by="tiled.flops[scores, mix]"),
        add(
            SCORES + N * (N / b_k - 1) * (per_tile + rescaled * d),
            PRODUCTS + SCORES + RESCALED,
            "the softmax of each score; with each further tile of keys, what a query has is rescaled",
            measured_by="ragged/tiled.flops[softmax, rescale]",
        ),
        add(OUTPUTS, CLAIM, "the outputs", measured_by="tiled.flops[outputs]"),
    ),
    measured_by="tiled.flops",
    sources=("dao-2022",),
    example={"model": "llama-2-7b", "N": 4096, "b_k": 64},
)
