"""Questions about compressed runs of tokens: what is held of a sequence, what a token adds, what such blocks weigh"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from .answers import Answer, Asked, Count
from .counts import Ratio
from .parts import weights
from .registry import question
from .runs import HELD, Passes, Run
from .selecting import KV, count
from .subjects import Subject

of_runs = partial(question, subjects=("compressing",))


def _whole(subject: Subject, values: Mapping[str, Any]) -> Passes:
    """Room for a context of so many rounds, in each of which both kinds of runs are full at the end."""
    return HELD.passes(subject, {**values, "context": values["rounds"] * values["r_csa"] * values["r_hca"]})


WHOLE_RUNS = Run("held of whole runs", ("batch", "rounds"), _whole)


@dataclass(frozen=True)
class EachToken(Answer):
    """What each token of a round adds to a count, in the mean over the tokens of a round.

    Attributes:
        count: of what.
    """

    count: Count

    def of(self, asked: Asked) -> Ratio:
        """Between the second and the third round."""
        tokens = asked.values["r_csa"] * asked.values["r_hca"]
        at_3, at_2 = (self.count.of(asked.moved(rounds=rounds)) for rounds in (3, 2))
        return Ratio(at_3 - at_2, tokens)


ENTRIES = count("held", "cache.*entries")  # nothing else grows once a window is full

of_runs(
    "runs.bytes_of_a_token",
    "How many bytes more do the caches hold for a round in which all runs are full, for how many tokens?",
    WHOLE_RUNS,
    EachToken(ENTRIES),
    "m_token",
    widths=KV,
    batch=1,
    rounds=1,
)
of_runs(
    "runs.waiting_bytes",
    "How many bytes do the compressors of all blocks hold of a sequence?",
    HELD,
    count("held", "cache.*pending"),
    "m_waiting",
    widths=KV,
    batch=1,
    context=1,
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
