"""Matrix products of a prefill that keeps the last logits

Only the last position of a prompt is asked for its next token; a server that knows so multiplies one row of each
sequence with the output matrix.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prefill_product_flops import FORMULA as prefill_product_flops
from symbolic_llm.formulas.embedding.embedding_parameters import FORMULA as embedding_parameters
from symbolic_llm.formulas.shared import multiply_add, one_token, output_is_multiplied
from symbolic_llm.notation import B, C_prefill, N, P_embedding
from symbolic_llm.steps import cite, subtract
from symbolic_llm.unevaluated import Eq

SAVED = B * (N - one_token) * multiply_add * P_embedding

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(C_prefill, prefill_product_flops.rhs - SAVED),
    where=(output_is_multiplied,),
    uses=(prefill_product_flops, embedding_parameters),
    steps=(
        cite(prefill_product_flops, "with logits at every position"),
        subtract(SAVED, prefill_product_flops.rhs - SAVED, "all positions but the last do without the output matrix"),
    ),
    measured_by="prefill.last_logits_product_flops",
    example={"model": "llama-3-8b", "N": 512, "B": 1},
)
