"""Bytes per weight of 4-bit blocks

Blocks of 32 with a 16-bit scale, llama.cpp's Q4_0: 4.5 bits, one eighth more than the 4 that the name promises. Every
figure computed with half a byte moves by 12.5 %.
"""

from fractions import Fraction

from symbolic_llm.claims import Condition
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.quantization.bytes_per_weight import FORMULA as bytes_per_weight
from symbolic_llm.formulas.quantization.bytes_per_weight import bits_per_byte
from symbolic_llm.notation import n_bits, n_block, n_bytes, n_scale
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, cite, rewrite, substitute
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import BIT, BLOCK, BYTE, WEIGHT

four_bits = count(4, "bits of one code", BIT / WEIGHT)
block_of_32 = count(32, "weights that share a scale", WEIGHT / BLOCK)
scale_of_16 = count(16, "bits of a scale", BIT / BLOCK)
result = count(Fraction(9, 16), "bytes of one 4-bit weight, its share of the scale included", BYTE / WEIGHT)

codes = Condition(Eq(n_bits, four_bits), "codes of 4 bits")
blocks = Condition(Eq(n_block, block_of_32), "blocks of 32 weights")
scales = Condition(Eq(n_scale, scale_of_16), "scales of 16 bits")

FORMULA = Formula(
    __name__,
    claim=Eq(n_bytes, result),
    where=(codes, blocks, scales),
    uses=(bytes_per_weight,),
    steps=(
        cite(bytes_per_weight, "any code, any block"),
        substitute(codes, (four_bits + n_scale / n_block) / bits_per_byte, "codes of 4 bits"),
        substitute(blocks, (four_bits + n_scale / block_of_32) / bits_per_byte, "blocks of 32"),
        substitute(scales, (four_bits + scale_of_16 / block_of_32) / bits_per_byte, "scales of 16 bits"),
        rewrite(CLAIM, "4.5 bits are 9/16 of a byte"),
    ),
    measured_by="packed.bytes_per_weight",
    sources=("llama-cpp-q4-0",),
    example={"weights": "q4_0"},
)
