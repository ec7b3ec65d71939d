"""Questions about compressed runs of tokens: what is held of a sequence, what a token adds, what such blocks weigh"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..arrays import zeros
from .counts import Passed
from .ledger_selections import count
from .measures import Given, Product, Quotient
from .parts import weights
from .registry import question
from .runs import HELD, Passes, Run, used
from .subjects import Subject

of_runs = partial(question, subjects=("compressing",))


def _round(subject: Subject, values: Mapping[str, Any]) -> Passes:
    """The decoding steps of a round together, after so many rounds that the window is full and an index has to pick."""
    tokens, batch = values["r_csa"] * values["r_hca"], values["batch"]
    before = tokens * (values["window"] + values["picked"])
    made = used(subject, values, before + tokens, ())
    made.start(batch, before + tokens)
    made.context = before
    for _ in range(tokens):
        made.decode(zeros(batch, int))
    return (Passed(1, made.ledger.taken(), batch * tokens),)


ROUND = Run("steps of a round", ("batch",), _round, plain=("r_csa", "r_hca"))

of_runs(
    "runs.waiting_bytes",
    "How many bytes do the compressors of all blocks hold of a sequence?",
    HELD,
    count("held", "cache.*pending"),
    "m_waiting",
    batch=1,
    context=1,
)
_BESIDE: dict[str, Any] = dict.fromkeys(  # shapes that have no part in it
    (
        *("batch", "n_sliding", "n_vocab", "d_model", "n_output_groups", "group_each", "d_query", "d_output"),
        *("n_index_heads", "picked", "window", "n_streams", "d_expert", "n_active", "idle"),
    ),
    1,
)
question(
    "runs.waiting_bytes_read",
    "How many bytes of what waits does a decoding step load, in the mean over the steps of a round?",
    ROUND,
    Quotient(count("loaded", "*.pending"), Product((Given("r_csa"), Given("r_hca")))),
    "D_waiting",
    subjects=("compressing",),
    **_BESIDE,
)
# Weights

_AT = "blocks.*."
weights(
    "of_shared_vectors",
    "weights do the matrices of a block's attention hold, beside those of a compressor",
    "P_attention",
    "compressing",
    *(f"blocks.0.{name}" for name in ("query_down", "query", "key_value", "output_down", "output")),
)
weights(
    "of_compressor",
    "weights do the matrices of a compressor of long runs hold",
    "P_compressor",
    "compressing",
    *(f"{_AT}long_{name}" for name in ("values", "gates")),
    n_hca=1,
)
weights(
    "of_overlapping_compressor",
    "weights do the matrices of a compressor hold whose runs overlap",
    "P_compressor",
    "compressing",
    *(f"{_AT}entry_{name}" for name in ("values", "gates")),
    n_csa=1,
)
weights(
    "of_entry_index",
    "weights do the matrices of an index of entries hold, those of its compressor too",
    "P_index",
    "compressing",
    *(f"{_AT}index_{name}" for name in ("query", "weight", "values", "gates")),
    n_csa=1,
)
weights(
    "beside_compression",
    "norms, sinks and places does the attention of all blocks have",
    "P_beside",
    "compressing",
    *(
        f"{_AT}{name}"
        for name in (
            "query_down_norm.*",
            "key_value_norm.*",
            "sinks",
            "entry_*.weight",
            "long_*.weight",
            "index_*.weight",
        )
    ),
)
weights(
    "of_streams",
    "weights do the matrices hold that mix residual streams",
    "P_streams",
    "compressing",
    "blocks.*.mixing_?",
    "mixing",
)
weights(
    "beside_streams",
    "biases and scales do these matrices have beside them",
    "P_mixing",
    "compressing",
    "blocks.*.mixing_*.weight",
    "mixing_*.weight",
)
