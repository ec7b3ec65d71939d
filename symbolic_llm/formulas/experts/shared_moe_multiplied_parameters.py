"""Weights that a token is multiplied with where experts are shared

Beside the experts that it picks, every token is sent to a few that all share. Those are read for any batch, like the
weights of a dense model: how many experts a batch reads beyond them is as without.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.experts.expert_parameters import FORMULA as expert_parameters
from symbolic_llm.formulas.experts.moe_multiplied_parameters import FORMULA as moe_multiplied_parameters
from symbolic_llm.notation import P, n_moe, n_shared_experts
from symbolic_llm.steps import add, cite
from symbolic_llm.written import Eq

SHARED = n_moe * n_shared_experts * expert_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    models=(Trait.EXPERTS, Trait.GROUPED),
    claim=Eq(P, moe_multiplied_parameters.rhs + SHARED),
    uses=(moe_multiplied_parameters, expert_parameters),
    steps=(
        cite(moe_multiplied_parameters, "without shared experts"),
        add(
            SHARED,
            moe_multiplied_parameters.rhs + SHARED,
            "those that every token is sent to, in blocks that have experts",
            measured_by="sharing/weights.multiplied[*.shared.*]",
        ),
    ),
    measured_by="sharing/weights.multiplied",
    sources=("deepseek-v3-2024",),
    example={
        "n_blocks": 48,
        "n_moe": 48,
        "n_heads": 40,
        "n_kv_heads": 8,
        "d_head": 128,
        "d_model": 5120,
        "d_ff": 16384,
        "d_expert": 8192,
        "n_experts": 16,
        "n_active": 1,
        "n_shared_experts": 1,
        "n_vocab": 202048,
    },
)
