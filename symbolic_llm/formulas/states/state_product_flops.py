"""Products of a token with the states

Mamba-2 writes a key times a value into the state and reads it with a query. A delta rule first reads what the state had
for the key. The context does not appear.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import state_product
from symbolic_llm.notation import C_state, d_state_key, d_state_value, n_products, n_state, n_state_heads
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE_HEAD = state_product * n_products * d_state_key * d_state_value

FORMULA = Formula(
    __name__,
    models=(Trait.HYBRID,),
    claim=Eq(C_state, n_state * n_state_heads * ONE_HEAD),
    steps=(
        premise(
            ONE_HEAD,
            "each product meets every number of a head's state",
            measured_by="state.product_flops(n_state=1, n_state_groups=1, state_group=1)",
        ),
        multiply(
            n_state_heads,
            n_state_heads * ONE_HEAD,
            "every head has a state",
            measured_by="state.product_flops(n_state=1)",
        ),
        multiply(n_state, CLAIM, "in every block with one"),
    ),
    measured_by="state.product_flops",
    sources=("yang-2024", "dao-2024"),
    example={"model": "qwen3-next-80b-a3b"},
)
