"""Share of the experts that a batch is expected to use

As distinct_experts, for each expert there is. Solved for the batch it says from how many sequences on nearly all
weights are read: all but one in a hundred of DeepSeek-V3's 256 experts, of which a token picks 8, from 146 on.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.distinct_experts import FORMULA as distinct_experts
from symbolic_llm.formulas.experts.distinct_experts import MISSED
from symbolic_llm.notation import U_experts, n_experts
from symbolic_llm.steps import CLAIM, cite, divide
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(U_experts, 1 - MISSED),
    kind=Kind.LAW,
    models=(Trait.EXPERTS,),
    uses=(distinct_experts,),
    steps=(
        cite(distinct_experts, "the experts that are used"),
        divide(n_experts, CLAIM, "of those there are"),
    ),
    measured_by="experts.share_used",
    sources=("jiang-2024", "deepseek-v3-2024"),
    example={"model": "deepseek-v3", "B": 128},
)
