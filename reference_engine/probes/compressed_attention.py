"""Questions about compressed runs of tokens: what is held of a sequence, what a token adds, what such blocks weigh"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arrays import zeros
from ..attention.compressed import Compression
from ..attention.compressors import compress
from ..layers import Layers
from ..model import Decoder
from ..sizes import Size
from .counts import Passed
from .ledger_selections import count
from .measures import Given
from .parts import weights
from .registry import about
from .runs import HELD, Passes, Run, begun
from .subjects import Subject

_COMPRESSING = "compressing"


def _round(subject: Subject, values: Mapping[str, Any]) -> Passes:
    """Bytes that wait in the decoding steps of a round together, after so many rounds that the window is full.

    Where there are sizes each compressor goes through its runs alone: which steps end runs of both lengths depends on
    numbers.
    """
    tokens, batch = values["r_csa"] * values["r_hca"], values["batch"]
    before = tokens * (values["window"] + values["picked"])
    made = begun(subject, values, batch, before, before + tokens)
    if isinstance(tokens, Size):
        _compressors(made, before, tokens)
    else:
        for _ in range(tokens):
            made.decode(zeros(batch, int))
    ledger = made.ledger.taken()
    ledger.entries = {at: tally for at, tally in ledger.entries.items() if at[0].endswith(".pending")}
    return (Passed(1, ledger),)


def _compressors(made: Decoder, before: int, tokens: int) -> None:
    """All compressors on so many tokens, run by run: the last token of one, then those of the next but its last."""
    config, ledger, kind = made.config, made.ledger, made.config.attention
    assert isinstance(kind, Compression)
    layers, x = Layers(config, made.machine, made.weights), zeros((made.batch, 1, config.d_model))  # (B, 1, d_model)
    for block, caches in enumerate(made.caches):
        for of in (name for name in ("entry", "long", "index") if f"{name}_values" in kind.shapes(config, block)):
            run = kind.run(block)
            with ledger.scope(f"blocks.{block}.attention"):
                for number in ledger.loop(tokens // run):
                    start = before + number * run
                    compress(layers, kind, block, of, caches, x, start - 1)
                    for step in ledger.loop(run - 1):
                        compress(layers, kind, block, of, caches, x, start + step)


ROUND = Run("steps of a round", ("batch",), _round)

about(HELD, _COMPRESSING, batch=1, context=1)(
    "runs.waiting_bytes",
    "How many bytes do the compressors of all blocks hold of a sequence?",
    count("held", "cache.*pending"),
    "m_waiting",
)
_BESIDE: dict[str, Any] = dict.fromkeys(  # shapes that have no part in it
    (
        *("batch", "n_sliding", "n_vocab", "d_model", "n_output_groups", "group_each", "d_query", "d_output"),
        *("n_index_heads", "picked", "window", "n_streams", "d_expert", "n_active", "idle"),
    ),
    1,
)
about(ROUND, _COMPRESSING, **_BESIDE)(
    "runs.waiting_bytes_read",
    "How many bytes of what waits does a decoding step load, in the mean over the steps of a round?",
    count("loaded", "*.pending") / (Given("r_csa") * "r_hca"),
    "D_waiting",
)

# Weights

weights("blocks.0.", _COMPRESSING)(
    "of_shared_vectors",
    "P_attention",
    "query_down query key_value output_down output",
    "a block's attention matrices, beside those of a compressor",
)
weights("blocks.*.long_", _COMPRESSING, n_hca=1)(
    "of_compressor", "P_compressor", "values gates", "the matrices of a compressor of long runs"
)
weights("blocks.*.entry_", _COMPRESSING, n_csa=1)(
    "of_overlapping_compressor", "P_compressor", "values gates", "the matrices of a compressor whose runs overlap"
)
weights("blocks.*.index_", _COMPRESSING, n_csa=1)(
    "of_entry_index", "P_index", "query weight values gates", "the matrices of an index of entries and its compressor"
)
weights("blocks.*.", _COMPRESSING)(
    "beside_compression",
    "P_beside",
    "query_down_norm.* key_value_norm.* sinks entry_*.weight long_*.weight index_*.weight",
    "the norms, sinks and places of all blocks' attention",
)
weights("", _COMPRESSING)(
    "of_streams", "P_streams", "blocks.*.mixing_? mixing", "the matrices that mix residual streams"
)
weights("", _COMPRESSING)(
    "beside_streams",
    "P_mixing",
    "blocks.*.mixing_*.weight mixing_*.weight",
    "what stands beside the matrices that mix streams",
)
