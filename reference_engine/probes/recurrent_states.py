"""Questions about blocks with a state: what they hold, what a token does with it, and decoders that mix them in"""

from __future__ import annotations

from functools import partial

from .ledger_selections import STATE_WORK, STATEFUL, count
from .parts import weights
from .registry import question
from .runs import HELD, STEP

of_states = partial(question, subjects=STATEFUL)

of_states(
    "state.bytes_of_a_sequence",
    "How many bytes do all blocks with a state hold of one sequence, however long it is?",
    HELD,
    count("held", "states.*"),
    "m_state",
    batch=1,
)
of_states(
    "state.product_flops",
    "How many operations do the products of a token with the states take?",
    STEP,
    STATE_WORK,
    "C_state",
    batch=1,
    context=1,
)
question(
    "state.bytes_of_convolutions",
    "How many bytes do all blocks that are a convolution hold of one sequence, however long it is?",
    HELD,
    count("held", "states.*"),
    "m_conv",
    subjects=("convolving",),
    batch=1,
    widths=("n_bytes_kv",),
)

# Weights of a block with a state; block 0 attends, so one that is asked about comes after it

_AT = "blocks.*.state_"
for _subject, _name, _matrices in (
    ("hybrid", "delta", ("in", "gate", "step", "take", "out")),
    ("mamba", "mamba", ("in", "gate", "step", "out")),
):
    weights(
        f"of_{_name}_matrices",
        "weights do the matrices of a block with a state hold",
        "P_state",
        _subject,
        *(f"{_AT}{name}" for name in _matrices),
        n_state=1,
    )
weights(
    "of_state_norm",
    "weights does the norm over the values of a block's heads hold",
    "P_state_norm",
    "mamba",
    f"{_AT}norm.*",
    n_state=1,
)
weights(
    "of_gated_convolutions",
    "weights do the matrices of a block that is a convolution hold",
    "P_state",
    "convolving",
    *(f"{_AT}{name}" for name in ("in", "out")),
    n_conv=1,
)
weights(
    "of_taps",
    "weights does the convolution of a block hold",
    "P_taps",
    ("hybrid", "convolving"),
    f"{_AT}taps.weight",
    n_state=1,
    n_conv=1,
)
