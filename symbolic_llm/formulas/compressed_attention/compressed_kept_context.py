"""Context that is kept where runs are compressed

In tokens of the long run: what the cache of a sequence takes, over what a token adds once the window is full. In each
block it has the vectors of a window and what its compressors wait with, and an entry of each run that is full.
"""

from sympy import floor

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compressed_attention.compressed_kv_bytes_per_token import (
    FORMULA as compressed_kv_bytes_per_token,
)
from symbolic_llm.formulas.compressed_attention.waiting_bytes import FORMULA as waiting_bytes
from symbolic_llm.formulas.shared import key_number, sequence_number
from symbolic_llm.notation import (
    N,
    N_kept,
    d_head,
    d_index,
    m_token,
    m_waiting,
    n_blocks,
    n_bytes_kv,
    n_csa,
    n_hca,
    n_window,
    r_csa,
    r_hca,
)
from symbolic_llm.steps import add, divide, premise
from symbolic_llm.written import Eq, Max

FORGOTTEN = Max(N, n_window) - n_window
WINDOW = n_blocks * (N - FORGOTTEN) * key_number * d_head * n_bytes_kv
SHORT = n_csa * floor(N / r_csa) * sequence_number * (d_head + d_index) * n_bytes_kv
LONG = n_hca * floor(N / r_hca) * sequence_number * d_head * n_bytes_kv
HELD = WINDOW + SHORT + LONG + m_waiting

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Eq(N_kept, HELD / m_token),
    models=(Trait.SHARED, Trait.COMPRESSED),
    uses=(compressed_kv_bytes_per_token, waiting_bytes),
    steps=(
        premise(
            WINDOW,
            "vectors of the window, or of all tokens while it fills, in every block",
            measured_by="runs.bytes_of_a_sequence[*.window]",
        ),
        add(
            SHORT,
            WINDOW + SHORT,
            "an entry of each short run that is full, and one of its index",
            measured_by="runs.bytes_of_a_sequence[*entries](n_hca=0)",
        ),
        add(
            LONG,
            WINDOW + SHORT + LONG,
            "an entry of each long one",
            measured_by="runs.bytes_of_a_sequence[*entries](n_csa=0)",
        ),
        add(m_waiting, HELD, "what waits for its run", measured_by="runs.bytes_of_a_sequence[*pending]"),
        divide(m_token, HELD / m_token, "what a token adds in the long run", measured_by="runs.bytes_of_a_token"),
    ),
    measured_by="runs.kept_context",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash", "cache": "fp16", "N": 65536},
)
