"""Bytes all states of a sequence take

The length of the sequence does not appear. One formula serves gated delta rules and Mamba-2, whose keys and queries are
called B and C.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import sequence_number
from symbolic_llm.formulas.states.convolution_bytes import FORMULA as convolution_bytes
from symbolic_llm.formulas.states.convolution_bytes import INPUTS
from symbolic_llm.notation import (
    d_state_key,
    d_state_value,
    m_state,
    n_bytes_state,
    n_state,
    n_state_heads,
)
from symbolic_llm.steps import CLAIM, add, multiply, premise
from symbolic_llm.unevaluated import Eq

ONE_HEAD = sequence_number * d_state_key * d_state_value * n_bytes_state
STATES = n_state_heads * ONE_HEAD

FORMULA = Formula(
    __name__,
    models=(Trait.HYBRID,),
    claim=Eq(m_state, n_state * (STATES + INPUTS)),
    uses=(convolution_bytes,),
    steps=(
        premise(
            ONE_HEAD,
            "the state of one head: a row for each number of a key",
            measured_by="state.bytes_of_a_sequence[*.states](n_state=1, n_state_groups=1, state_group=1)",
        ),
        multiply(
            n_state_heads,
            STATES,
            "every head has its own",
            measured_by="state.bytes_of_a_sequence[*.states](n_state=1)",
        ),
        add(
            INPUTS,
            STATES + INPUTS,
            "what the convolution looks back on, without the newest; it is stored as keys and values are",
            measured_by="state.bytes_of_a_sequence[*.inputs](n_state=1)",
        ),
        multiply(n_state, CLAIM, "every block with a state has its own"),
    ),
    measured_by="state.bytes_of_a_sequence",
    sources=("yang-2024", "dao-2024"),
    example={"model": "qwen3-next-80b-a3b", "cache": "fp16"},
)
