"""Questions about blocks with a state: what they hold, what a token does with it, and decoders that mix them in"""

from __future__ import annotations

from .ledger_selections import STATE_WORK, STATEFUL, count
from .parts import weights
from .registry import about
from .runs import HELD, STEP

about(HELD, *STATEFUL, batch=1)(
    "state.bytes_of_a_sequence",
    "How many bytes do all blocks with a state hold of one sequence, however long it is?",
    count("held", "states.*"),
    "m_state",
)
about(STEP, *STATEFUL, batch=1, context=1)(
    "state.product_flops", "How many operations do the products of a token with the states take?", STATE_WORK, "C_state"
)
about(HELD, "convolving", batch=1, widths=("n_bytes_kv",))(
    "state.bytes_of_convolutions",
    "How many bytes do all blocks that are a convolution hold of one sequence, however long it is?",
    count("held", "states.*"),
    "m_conv",
)

# Weights of a block with a state; block 0 attends, so one that is asked about comes after it

_OF_A_BLOCK = "blocks.*.state_"
for _subject, _name, _matrices in (
    ("hybrid", "delta", "in gate step take out"),
    ("mamba", "mamba", "in gate step out"),
):
    weights(_OF_A_BLOCK, _subject, n_state=1)(
        f"of_{_name}_matrices", "P_state", _matrices, "the matrices of a block with a state"
    )
weights(_OF_A_BLOCK, "mamba", n_state=1)(
    "of_state_norm", "P_state_norm", "norm.*", "the norm over the values of a block's heads"
)
weights(_OF_A_BLOCK, "convolving", n_conv=1)(
    "of_gated_convolutions", "P_state", "in out", "the matrices of a block that is a convolution"
)
weights(_OF_A_BLOCK, "hybrid", "convolving", n_state=1, n_conv=1)(
    "of_taps", "P_taps", "taps.weight", "the convolution of a block"
)
