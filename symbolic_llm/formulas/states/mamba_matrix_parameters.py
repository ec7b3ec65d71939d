"""Weights of the matrices of Mamba-2

A block of Mamba-2 has a state in the place of a cache. Its matrices make keys and queries, which groups of heads share,
and for each head values, a gate for them, and a number that says how far its state decays. The last matrix leads back
to the model's width.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import P_state, d_model, d_state_key, d_state_value, n_state_groups, n_state_heads
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

keys_and_queries = count(2, "matrices: keys and queries")
values = count(3, "matrices: values, their gates and the output")
steps_of_heads = count(1, "row of a head: how far its state decays")

KEYS = each_weight * d_model * keys_and_queries * n_state_groups * d_state_key
VALUES = each_weight * d_model * values * n_state_heads * d_state_value
STEPS = each_weight * d_model * steps_of_heads * n_state_heads

FORMULA = Formula(
    __name__,
    claim=Eq(P_state, KEYS + VALUES + STEPS),
    steps=(
        premise(
            KEYS + VALUES,
            "keys and queries of the groups; values, gates and output of the heads",
            measured_by="weights.of_mamba_matrices[*_in, *_gate, *_out]",
        ),
        add(STEPS, CLAIM, "and what each head says of its state"),
    ),
    measured_by="weights.of_mamba_matrices",
    sources=("dao-2024",),
    example={"model": "nemotron-3-nano-30b-a3b"},
)
