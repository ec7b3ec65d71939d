"""Time to load a model

Before the first token all weights that are stored come from disk or network into memory, those too that a token passes
by, such as experts it is not sent to. A file is longer by its header and vocabulary, which is little.
"""

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.weights.weight_bytes import FORMULA as weight_bytes
from symbolic_llm.notation import T_load, W_storage
from symbolic_llm.steps import CLAIM, cite, divide
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(T_load, weight_bytes.rhs / W_storage),
    kind=Kind.LAW,
    uses=(weight_bytes,),
    steps=(
        cite(weight_bytes, "all weights, in the format in which they are stored"),
        divide(W_storage, CLAIM, "one after the other, at full bandwidth"),
    ),
    measured_by="weights.loading_time",
    example={"model": "llama-3-70b", "dtype": "fp16", "W_storage": "7 GB/s"},
)
