"""Weights of one block

Attention and MLP; the norms of the schematic block have no weights.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.attention_parameters import FORMULA as attention_parameters
from symbolic_llm.formulas.parameters.mlp_parameters import FORMULA as mlp_parameters
from symbolic_llm.notation import P_block
from symbolic_llm.steps import CLAIM, add, cite
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_block, attention_parameters.rhs + mlp_parameters.rhs),
    uses=(attention_parameters, mlp_parameters),
    steps=(
        cite(attention_parameters, "the attention matrices"),
        add(mlp_parameters, CLAIM, "and the MLP behind them"),
    ),
    measured_by="weights.of_block",
    sources=("timbers-2023",),
    example={"model": "gpt2"},
)
