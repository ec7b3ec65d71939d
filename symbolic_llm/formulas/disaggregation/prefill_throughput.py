"""Throughput of a prefill

Prompt tokens in a second, where arithmetic is what limits them: then a batch does not matter. The longer the prompt,
the fewer, since each token attends to more.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compute.prefill_product_flops import FORMULA as prefill_product_flops
from symbolic_llm.formulas.compute.prefill_product_flops import INSIDE, OF_OUTPUT
from symbolic_llm.formulas.heads.kv_bytes_per_token import FORMULA as kv_bytes_per_token
from symbolic_llm.formulas.shared import prompt_with_attention_is_compute_bound
from symbolic_llm.formulas.weights.prefill_weights_read import FORMULA as prefill_weights_read
from symbolic_llm.notation import B, C_prefill, C_prompt, F, N, R_prefill
from symbolic_llm.steps import CLAIM, divide, multiply, premise, rewrite, substitute
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(R_prefill, F / (INSIDE + OF_OUTPUT / (B * N) + C_prompt)),
    kind=Kind.LAW,
    where=(*prefill_product_flops.where, prompt_with_attention_is_compute_bound),
    models=(Trait.DENSE,),
    uses=(prefill_product_flops, prefill_weights_read, kv_bytes_per_token),
    steps=(
        premise(B * N, "a pass works on every token of every prompt", measured_by="apart.tokens_of_a_prefill"),
        divide(C_prefill, B * N / C_prefill, "for so many operations", measured_by="prefill.product_flops"),
        multiply(F, B * N * F / C_prefill, "of which so many are done in a second"),
        substitute(prefill_product_flops, B * N * F / prefill_product_flops.rhs, "with attention"),
        rewrite(CLAIM, "each sequence takes as many for a token"),
    ),
    measured_by="apart.prefill_throughput",
    example={"model": "llama-3-70b", "hardware": "h200-sxm", "dtype": "fp8", "N": 4096, "B": 1},
)
