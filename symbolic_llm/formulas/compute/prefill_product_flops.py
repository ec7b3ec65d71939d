"""Matrix products of a prefill

Every token of the prompt meets every other, the future ones too, whose scores are masked afterwards, and every position
gets its logits: the convention of PyTorch's flop counter.
"""

from sympy import Eq

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.decode_product_flops import FORMULA as decode_product_flops
from symbolic_llm.formulas.compute.decode_product_flops import PER_TOKEN
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, C_prefill, N
from symbolic_llm.steps import cite, multiply

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prefill, B * N * PER_TOKEN),
    uses=(decode_product_flops,),
    steps=(
        cite(decode_product_flops, "one token for each sequence, at context N"),
        multiply(N / one_token, B * N * PER_TOKEN, "N tokens for each sequence, each against all N"),
    ),
    measured_by="prefill.product_flops",
    sources=("kipply-2022",),
    example={"model": "llama-3-8b", "N": 512, "B": 1},
)
