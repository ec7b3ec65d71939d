"""Bytes held beside a reserve

As footprint, with what a server keeps free, for its programs, for prompts and for whatever else, and with the
activations of the token that each sequence has in a decoding step. How many bytes these are depends on the program: it
may reuse them from layer to layer, or keep the logits of a large vocabulary.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.memory.footprint import FORMULA as footprint
from symbolic_llm.formulas.shared import one_token
from symbolic_llm.notation import B, M_footprint, M_reserve, m_act
from symbolic_llm.steps import CLAIM, add, cite
from symbolic_llm.unevaluated import Eq

WITH_ACTIVATIONS = footprint.rhs + B * one_token * m_act

FORMULA = Formula(
    __name__,
    claim=Eq(M_footprint, WITH_ACTIVATIONS + M_reserve),
    uses=(footprint,),
    steps=(
        cite(footprint, "weights and caches"),
        add(
            B * one_token * m_act,
            WITH_ACTIVATIONS,
            "what the pass works on, a token of each sequence",
            measured_by="memory.held_beside_a_reserve[activations]",
        ),
        add(M_reserve, CLAIM, "and what stays free", measured_by="memory.held_beside_a_reserve[reserve]"),
    ),
    measured_by="memory.held_beside_a_reserve",
    example={
        "model": "llama-3-8b",
        "dtype": "fp16",
        "N": 4096,
        "B": 16,
        "M_reserve": "8 GB",
        "m_act": "1 MB",
    },
)
