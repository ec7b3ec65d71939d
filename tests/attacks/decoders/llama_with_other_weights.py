"""Operations of a LLaMA's step, its weights written out as those of another decoder

False: four square matrices and an MLP of two are not a LLaMA's weights.
"""

from sympy import Eq

from symbolic_llm.claims import Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.llama_decode_flops import FORMULA as llama_decode_flops
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import C_decode, P
from symbolic_llm.steps import cite, substitute

WRITTEN_OUT = llama_decode_flops.rhs.xreplace({P: total_parameters.rhs})

FORMULA = Formula(
    __name__,
    claim=Eq(C_decode, WRITTEN_OUT),
    kind=Kind.LAW,
    uses=(llama_decode_flops, total_parameters),
    steps=(cite(llama_decode_flops, "a LLaMA"), substitute(total_parameters, WRITTEN_OUT, "its weights written out")),
    unmeasured="llama_decode_flops is measured",
    example={"model": "llama-2-7b", "B": 1, "N": 100},
)
