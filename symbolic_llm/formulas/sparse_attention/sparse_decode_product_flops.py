"""Matrix products of one decoding step with sparse attention"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import multiply_add, one_token
from symbolic_llm.formulas.sparse_attention.sparse_attention_flops import FORMULA as sparse_attention_flops
from symbolic_llm.formulas.sparse_attention.sparse_multiplied_parameters import FORMULA as sparse_multiplied_parameters
from symbolic_llm.notation import B, C_decode, P
from symbolic_llm.steps import add, multiply, premise
from symbolic_llm.written import Eq

MATRICES = multiply_add * P
PER_TOKEN = MATRICES + sparse_attention_flops.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_decode, B * one_token * PER_TOKEN),
    models=(Trait.LATENT, Trait.PICKED),
    uses=(sparse_multiplied_parameters, sparse_attention_flops),
    steps=(
        premise(
            MATRICES,
            "each weight multiplies and adds",
            measured_by="index.decode_product_flops[!*.scores, !*.mix, !*.index.sum](batch=1)",
        ),
        add(sparse_attention_flops, PER_TOKEN, "the indexes meet every token, attention those that are picked"),
        multiply(B * one_token, B * one_token * PER_TOKEN, "one new token for each sequence of the batch"),
    ),
    measured_by="index.decode_product_flops",
    sources=("deepseek-v3-2-2025",),
    example={"model": "deepseek-v3.2", "N": 4096, "B": 1},
)
