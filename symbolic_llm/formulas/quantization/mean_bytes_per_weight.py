"""Mean bytes per weight where some parts are stored at another precision

Embedding and output matrix are often kept in more bits than the rest. What counts for memory and for reading is the
mean over all weights.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.quantization.mixed_weight_bytes import FORMULA as mixed_weight_bytes
from symbolic_llm.notation import P_high, P_total, n_bytes, n_bytes_2, n_bytes_mean
from symbolic_llm.steps import CLAIM, cite, divide, rewrite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(n_bytes_mean, n_bytes + (n_bytes_2 - n_bytes) * P_high / P_total),
    uses=(mixed_weight_bytes,),
    steps=(
        cite(mixed_weight_bytes, "all bytes"),
        divide(P_total, mixed_weight_bytes.rhs / P_total, "for each weight"),
        rewrite(CLAIM, "the bytes of most weights, and what the others take more"),
    ),
    measured_by="weights.mean_bytes",
    example={"model": "llama-3-8b", "weights": "q4_k", "n_bytes_2": "0.8203125"},
)
