"""Sequences that fit beside the weights, where these fit

True. The condition is needed: without it the engine has no decoder to ask, and that has to be a finding.
"""

from sympy import Eq, floor

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.kv_cache.context_bytes import FORMULA as context_bytes
from symbolic_llm.formulas.shared import each_sequence, weights_fit
from symbolic_llm.formulas.weights.weight_bytes import FORMULA as weight_bytes
from symbolic_llm.notation import B_fit, M, M_seq, P_total, n_bytes
from symbolic_llm.steps import divide, premise, round_down

LEFT = M - P_total * n_bytes
FITTING = each_sequence * floor(LEFT / (M_seq * each_sequence))

FORMULA = Formula(
    __name__,
    claim=Eq(B_fit, FITTING),
    where=(weights_fit,),
    uses=(weight_bytes, context_bytes),
    steps=(
        premise(LEFT, "all memory of the machine without the weights", measured_by="memory.left"),
        divide(
            M_seq,
            LEFT / M_seq,
            "each sequence takes what its blocks keep of it",
            measured_by="cache.bytes(batch=1)",
        ),
        round_down(each_sequence, FITTING, "only whole sequences count"),
    ),
    measured_by="memory.sequences_that_fit",
    example={"model": "llama-2-7b", "hardware": "a10", "dtype": "fp16", "N": 4096},
)
