"""Bytes per weight with block scales

Weights are rounded to codes of a few bits; each block of them shares one scale.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.notation import n_bits, n_block, n_bytes, n_scale
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, add, divide, premise
from symbolic_llm.unevaluated import Eq
from symbolic_llm.units import BIT, BYTE

bits_per_byte = count(8, "bits in a byte", BIT / BYTE)

FORMULA = Formula(
    __name__,
    claim=Eq(n_bytes, (n_bits + n_scale / n_block) / bits_per_byte),
    steps=(
        premise(
            n_block * n_bits,
            "the codes of one block",
            measured_by="packed.bits[codes]",
        ),
        add(
            n_scale,
            n_block * n_bits + n_scale,
            "and its scale",
            measured_by="packed.bits[scale]",
        ),
        divide(bits_per_byte * n_block, CLAIM, "in bytes, shared by the weights of the block"),
    ),
    measured_by="packed.bytes_per_weight",
    sources=("llama-cpp-q4-0",),
    example={"weights": "q4_0"},
)
