"""Model FLOPs utilisation (MFU)

The share of peak arithmetic that a measured decoding step uses: the time that the products of matrices and attention
would take at peak, over the measured time. A step of few sequences waits for memory, so its MFU is small however good
the program is.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.latency.compute_time_with_attention import FORMULA as compute_time_with_attention
from symbolic_llm.notation import T_measured, U_compute
from symbolic_llm.steps import CLAIM, cite, divide
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(U_compute, compute_time_with_attention.rhs / T_measured),
    kind=Kind.DEFINITION,
    uses=(compute_time_with_attention,),
    steps=(
        cite(compute_time_with_attention, "at peak arithmetic"),
        divide(T_measured, CLAIM, "for the time it took"),
    ),
    unmeasured="it is what a measured time is called in relation to an ideal one; the engine has no time of its own",
    sources=("chowdhery-2022",),
    example={
        "model": "llama-2-7b",
        "hardware": "a100-80gb-sxm",
        "dtype": "fp16",
        "N": 512,
        "B": 1,
        "T_measured": "14 ms",
    },
)
