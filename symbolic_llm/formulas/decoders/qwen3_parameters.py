"""Parameters of a Qwen 3

A LLaMA whose queries and keys are normalised.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.llama_parameters import FORMULA as llama_parameters
from symbolic_llm.formulas.decoders.query_key_norm_parameters import FORMULA as query_key_norm_parameters
from symbolic_llm.notation import P_total, n_blocks
from symbolic_llm.steps import add, cite
from symbolic_llm.written import Eq

NORMS = n_blocks * query_key_norm_parameters.rhs

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(P_total, llama_parameters.rhs + NORMS),
    uses=(llama_parameters, query_key_norm_parameters),
    steps=(
        cite(llama_parameters, "the same matrices and norms"),
        add(NORMS, llama_parameters.rhs + NORMS, "and in every block a norm of queries and one of keys"),
    ),
    measured_by="qwen3/weights.stored",
    sources=("qwen-2025", "transformers-count"),
    example={"model": "qwen3-8b"},
)
