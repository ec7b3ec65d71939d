"""Weights of a compressor whose runs overlap

Compressed sparse attention makes each entry of two runs. So a token gives two series of numbers, one for the entry of
its own run and one for the next.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compressed_attention.compressor_parameters import FORMULA as compressor_parameters
from symbolic_llm.formulas.shared import two_series
from symbolic_llm.notation import P_compressor
from symbolic_llm.steps import CLAIM, cite, multiply
from symbolic_llm.unevaluated import Eq

FORMULA = Formula(
    __name__,
    claim=Eq(P_compressor, two_series * compressor_parameters.rhs),
    uses=(compressor_parameters,),
    steps=(
        cite(compressor_parameters, "one series"),
        multiply(two_series, CLAIM, "each has numbers and weights of its own"),
    ),
    measured_by="weights.of_overlapping_compressor",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash"},
)
