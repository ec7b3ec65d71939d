"""Weights that a prefill reads

As in a decoding step, once for all tokens of all prompts.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import P, P_prompt
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_prompt, P),
    models=(Trait.DENSE,),
    uses=(total_parameters,),
    steps=(premise(P, "every weight is read once", measured_by="weights.read_by_a_prompt"),),
    measured_by="weights.read_by_a_prompt",
    sources=("baseten-2023",),
    example={"model": "llama-2-7b"},
)
