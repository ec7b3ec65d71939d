"""All operations of a prefill

The prompt goes through the model at once, and every position gets its logits. The textbook algorithm computes all N × N
scores and masks the future afterwards, so each of the N tokens costs what a decoding step at full context costs.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_flops import FORMULA as decode_flops
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import C_prefill, C_step, N
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    models=(Trait.FULL, Trait.GROUPED),
    claim=Eq(C_prefill, N * C_step / one_token),
    uses=(decode_flops,),
    steps=(
        premise(C_step, "one new token for each sequence, at context N", measured_by="decode.flops"),
        multiply(N / one_token, CLAIM, "N tokens for each sequence, each against all N"),
    ),
    measured_by="prefill.flops",
    sources=("kipply-2022",),
    example={"model": "llama-3-8b", "N": 512, "B": 1},
)
