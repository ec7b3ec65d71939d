"""Operations of a prefill of the schematic decoder, exactly

The prompt goes through the model at once, and every position gets its logits. The textbook algorithm computes all N × N
scores and masks the future afterwards, so each of the N tokens costs what a decoding step at full context costs.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_flops import FORMULA as decode_flops
from symbolic_llm.formulas.compute.decode_flops import PER_TOKEN
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_prefill, N
from symbolic_llm.steps import cite, multiply
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    models=(Trait.DENSE, Trait.FULL, Trait.GROUPED),
    claim=Eq(C_prefill, B * N * PER_TOKEN),
    uses=(decode_flops,),
    steps=(
        cite(decode_flops, "one new token for each sequence, at context N"),
        multiply(N / one_token, B * N * PER_TOKEN, "N tokens for each sequence, each against all N"),
    ),
    measured_by="grouped/prefill.flops",
    sources=("kipply-2022",),
    example={"n_blocks": 32, "n_heads": 32, "d_head": 128, "d_model": 4096, "n_vocab": 32000, "N": 350, "B": 1},
)
