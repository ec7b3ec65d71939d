"""Attention's share in very wide models

Meaningless: the model's width goes to infinity and the heads stay, although a used formula ties one to the other. And
the quantity is the width of an embedding.
"""

from sympy import Eq, Integer

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.heads.grouped_attention_parameters import FORMULA as grouped_attention_parameters
from symbolic_llm.formulas.parameters.attention_parameters import FORMULA as attention_parameters
from symbolic_llm.notation import d_embedding, d_model
from symbolic_llm.steps import add, cite, divide, limit

BOTH = grouped_attention_parameters.rhs + attention_parameters.rhs

FORMULA = Formula(
    __name__,
    claim=Eq(d_embedding, Integer(1)),
    uses=(grouped_attention_parameters, attention_parameters),
    steps=(
        cite(grouped_attention_parameters, "weights of one kind"),
        add(attention_parameters, BOTH, "and of the other"),
        divide(attention_parameters, BOTH / attention_parameters.rhs, "as a share"),
        limit(d_model, Integer(1), "in wide models"),
    ),
    unmeasured="a limit",
    example={"model": "llama-7b"},
)
