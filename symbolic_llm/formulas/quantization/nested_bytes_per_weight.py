"""Bytes per weight where scales are quantised too

Each block has a few bits of its own, a scale and often a minimum or a zero point; what many blocks share besides is
spread over all their weights. llama.cpp's Q4_K: 6 bits of scale and 6 of minimum for 32 weights, two halves for 256.
NVFP4: a scale of 8 bits for 16 weights, a float for a whole tensor. GPTQ: a scale of 16 bits and a zero point of 4 for
128 weights, and for each input the number of its group, which the outputs share.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.formulas.quantization.bytes_per_weight import FORMULA as bytes_per_weight
from symbolic_llm.formulas.quantization.bytes_per_weight import bits_per_byte
from symbolic_llm.notation import n_bits, n_block, n_bytes, n_scale, n_shared, n_superblock
from symbolic_llm.steps import CLAIM, add, divide, premise
from symbolic_llm.unevaluated import Eq

CODES, SCALES = n_superblock * n_bits, n_superblock * n_scale / n_block

FORMULA = Formula(
    __name__,
    claim=Eq(n_bytes, (n_bits + n_scale / n_block + n_shared / n_superblock) / bits_per_byte),
    uses=(bytes_per_weight,),  # for the bits in a byte
    steps=(
        premise(CODES, "the codes of a block of blocks", measured_by="packed.bits_of_parts[codes]"),
        add(SCALES, CODES + SCALES, "the bits of each block", measured_by="packed.bits_of_parts[scales]"),
        add(n_shared, CODES + SCALES + n_shared, "and what they share", measured_by="packed.bits_of_parts[shared]"),
        divide(bits_per_byte * n_superblock, CLAIM, "in bytes, shared by all the weights"),
    ),
    measured_by="packed.bytes_per_weight_of_parts",
    sources=("llama-cpp-q4-k",),
    example={"weights": "q4_k"},
)
