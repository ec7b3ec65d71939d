"""Matrix products of one decoding step, where heads are of two kinds

As decode_product_flops, but attention goes by what it meets: what a token's keys and values weigh in the cache is no
measure of what is done with them here.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.formulas.two_kinds.twofold_attention_flops import FORMULA as twofold_attention_flops
from symbolic_llm.formulas.two_kinds.twofold_met_context import FORMULA as twofold_met_context
from symbolic_llm.formulas.two_kinds.twofold_multiplied_parameters import FORMULA as twofold_multiplied_parameters
from symbolic_llm.notation import B, C_decode, N_met, P, a
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

PER_TOKEN = multiply_add * P + a * N_met

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_decode, B * one_token * PER_TOKEN),
    models=(Trait.TWOFOLD,),
    uses=(twofold_multiplied_parameters, twofold_attention_flops, twofold_met_context),
    steps=(
        premise(
            multiply_add * P,
            "each weight multiplies and adds",
            measured_by="twofold/decode.product_flops[!*.scores, !*.mix](batch=1)",
        ),
        add(
            a * N_met,
            PER_TOKEN,
            "attention meets every token that is in a window, and all of them where there is none",
            measured_by="twofold/decode.product_flops[*.scores, *.mix](batch=1)",
        ),
        multiply(B * one_token, B * one_token * PER_TOKEN, "one new token for each sequence of the batch"),
    ),
    measured_by="decode.product_flops",
    example={"model": "gemma-4-26b-a4b", "N": 4096, "B": 1},
)
