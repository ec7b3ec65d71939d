"""Weights of a model that is smaller than its own embedding

Says nothing: the formula it uses makes the embedding a part of the model, so the condition is never met.
"""

from sympy import Le, Lt

from symbolic_llm.claims import Condition, Implication, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.formulas.shared import each_weight
from symbolic_llm.notation import M_weights, P, d_model, n_bytes, n_vocab
from symbolic_llm.steps import add_to_larger, premise

EMBEDDING = each_weight * n_vocab * d_model
impossible = Condition(Lt(P, EMBEDDING, evaluate=False), "the model is smaller than its embedding")
GIVEN = Le(M_weights, P * n_bytes, evaluate=False)
THEN = Lt(M_weights, EMBEDDING * n_bytes, evaluate=False)

FORMULA = Formula(
    __name__,
    claim=Implication(GIVEN, THEN),
    kind=Kind.THEOREM,
    where=(impossible,),
    uses=(total_parameters,),
    steps=(
        premise(GIVEN, "the weights take no more bytes than that"),
        add_to_larger((EMBEDDING - P) * n_bytes, THEN, "and the embedding takes more"),
    ),
    unmeasured="no such model exists",
    example={"P": 7, "n_bytes": 2},
)
