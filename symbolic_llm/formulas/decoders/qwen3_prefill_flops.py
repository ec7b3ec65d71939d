"""Operations of a prefill of a Qwen 3, exactly

As for the decoder of the articles, each of the N tokens costs what a decoding step at full context costs: all scores
are computed, and every position gets its logits.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.qwen3_decode_flops import FORMULA as qwen3_decode_flops
from symbolic_llm.formulas.decoders.qwen3_decode_flops import PER_TOKEN
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_prefill, N
from symbolic_llm.steps import cite, multiply
from symbolic_llm.written import Eq

FORMULA = Formula(
    __name__,
    __doc__,
    models=(Trait.DENSE, Trait.FULL, Trait.GROUPED),
    claim=Eq(C_prefill, B * N * PER_TOKEN),
    uses=(qwen3_decode_flops,),
    steps=(
        cite(qwen3_decode_flops, "one new token for each sequence, at context N"),
        multiply(N / one_token, B * N * PER_TOKEN, "N tokens for each sequence, each against all N"),
    ),
    measured_by="qwen3/prefill.flops",
    example={"model": "qwen3-8b", "N": 512, "B": 1},
)
