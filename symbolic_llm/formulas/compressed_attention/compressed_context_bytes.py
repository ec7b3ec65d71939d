"""Bytes kept of a sequence, where runs are compressed

In each block the vectors of a window and what its compressors wait with, and an entry of each run that is full.
"""

from sympy import floor

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compressed_attention.waiting_bytes import FORMULA as waiting_bytes
from symbolic_llm.formulas.shared import BEYOND_WINDOW, key_number, sequence_number
from symbolic_llm.notation import M_seq, N, d_head, d_index, m_waiting, n_blocks, n_bytes_kv, n_csa, n_hca, r_csa, r_hca
from symbolic_llm.steps import add, premise
from symbolic_llm.written import Eq

WINDOW = n_blocks * (N - BEYOND_WINDOW) * key_number * d_head * n_bytes_kv
SHORT = n_csa * floor(N / r_csa) * sequence_number * (d_head + d_index) * n_bytes_kv
LONG = n_hca * floor(N / r_hca) * sequence_number * d_head * n_bytes_kv

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(M_seq, WINDOW + SHORT + LONG + m_waiting),
    models=(Trait.SHARED, Trait.COMPRESSED),
    uses=(waiting_bytes,),
    steps=(
        premise(
            WINDOW,
            "vectors of the window, or of all tokens while it fills, in every block",
            measured_by="cache.bytes_of_a_sequence[*.window]",
        ),
        add(
            SHORT,
            WINDOW + SHORT,
            "an entry of each short run that is full, and one of its index",
            measured_by="cache.bytes_of_a_sequence[*entries](n_hca=0)",
        ),
        add(
            LONG,
            WINDOW + SHORT + LONG,
            "an entry of each long one",
            measured_by="cache.bytes_of_a_sequence[*entries](n_csa=0)",
        ),
        add(
            m_waiting,
            WINDOW + SHORT + LONG + m_waiting,
            "what waits for its run",
            measured_by="cache.bytes_of_a_sequence[*pending]",
        ),
    ),
    measured_by="cache.bytes_of_a_sequence",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash", "cache": "fp16", "N": 65536},
)
