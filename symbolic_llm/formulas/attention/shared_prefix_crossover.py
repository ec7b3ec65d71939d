"""Batch at which a shared prefix becomes compute-bound

A prefix that all sequences share is read like a weight: once for a batch. So there is a batch from which its products
take longer than reading it, the one from which weights do; beyond it sharing saves memory, but no more time.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.attention.shared_prefix_bytes import FORMULA as shared_prefix_bytes
from symbolic_llm.formulas.attention.shared_prefix_bytes import READ
from symbolic_llm.formulas.attention.textbook_attention_flops import FORMULA as textbook_attention_flops
from symbolic_llm.formulas.attention.textbook_attention_flops import two_products
from symbolic_llm.formulas.shared import each_sequence, each_value
from symbolic_llm.notation import B_prefix, F, W, d, n_bytes_act, n_prefix
from symbolic_llm.steps import CLAIM, divide, premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(B_prefix, 2 * each_sequence * each_value * n_bytes_act * F / (two_products * W)),
    kind=Kind.LAW,
    plain=(n_prefix,),
    uses=(shared_prefix_bytes, textbook_attention_flops),
    steps=(
        premise(READ / W, "the time of reading the prefix", measured_by="shared.prefix_time"),
        divide(
            two_products * n_prefix * d / (each_sequence * F),
            CLAIM,
            "the products of one sequence with it take so much",
            measured_by="shared.product_time(batch=1)",
        ),
    ),
    measured_by="shared.prefix_crossover",
    example={"hardware": "a100-80gb-sxm", "dtype": "fp16"},
)
