"""Attention that keeps compressed runs of tokens"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from ...architecture import Trait
from ...catalogue.named import (
    attention_flops_per_context_token,
    compression_vector_parameters,
    compressor_parameters,
    entry_index_parameters,
    index_bytes_per_token,
    index_flops_per_context_token,
    overlapping_compressor_parameters,
    shared_vector_parameters,
    waiting_bytes,
    waiting_bytes_read,
)
from ..builder import Builder
from ..products import ATTENTION, D_MODEL, INDEX, WAITING, Matrix, Shapes, one_width, total_width
from .kind import AttentionKind, one_window
from .latent import ASKING_INDEX

if TYPE_CHECKING:
    from ..caches_and_states import Kept


def compress(made: Builder) -> None:
    """Add the attention of every block: n_csa keep entries of short runs and an index, n_hca entries of long runs."""
    letters = made.letters
    if not (letters["n_csa"] and letters["n_hca"]):
        raise made.fields.wrong(
            "formulas are for models with layers of compressed_sparse_attention and of heavily_compressed_attention, "
            "and this model lacks one kind"
        )
    made.add("attention", shared_vector_parameters, letters["n_blocks"])
    made.add("compressors", compressor_parameters, letters["n_hca"])
    made.add("compressors", overlapping_compressor_parameters, letters["n_csa"])
    made.add("index", entry_index_parameters, letters["n_csa"])
    made.unmultiplied("vectors", compression_vector_parameters)


def _kept(letters: frozenset[str]) -> Iterator[Kept]:
    from ...notation import n_picked, r_csa, r_hca
    from ..caches_and_states import ALL, IN_THE_MEAN, NEVER, ONCE, WINDOWS, Kept, one_of_each_run, picked_runs, share_of

    short, long = one_of_each_run(r_csa, "short"), one_of_each_run(r_hca, "long")
    picked, work = picked_runs(short, n_picked, "of the short runs that are picked"), attention_flops_per_context_token
    # a block keeps one vector of a token, or of a run, as an index keeps one key
    in_windows, in_short, in_long = (
        {"n_index": blocks, "d_index": "d_head", "n_blocks": blocks} for blocks in ("n_blocks", "n_csa", "n_hca")
    )
    each = index_bytes_per_token
    # in the long run, a token more adds none to a window
    yield Kept("vectors of windows", each, work, WINDOWS, WINDOWS, WINDOWS, ALL, each_token=NEVER, renamed=in_windows)
    yield Kept(
        "entries of short runs", each, work, short, picked, picked, short, each_token=share_of(short), renamed=in_short
    )
    yield Kept(
        "entries of indexes",
        each,
        index_flops_per_context_token,
        short,
        short,
        short,
        short,
        each_token=share_of(short),
        operation=INDEX,
        renamed={"n_index": "n_csa"},
    )
    yield Kept("entries of long runs", each, work, long, long, long, long, each_token=share_of(long), renamed=in_long)
    yield Kept("waiting for their runs", waiting_bytes, None, ONCE, NEVER, NEVER, NEVER, each_token=NEVER)
    yield Kept(
        "read of what waits",
        waiting_bytes_read,
        None,
        NEVER,
        IN_THE_MEAN,
        NEVER,
        NEVER,
        each_token=NEVER,
        operation=WAITING,
    )


def _add(made: Builder, config: Any, attends: Collection[int]) -> None:
    attention = config.attention
    kinds = Counter(map(attention.kind, attends))
    made.letters |= {
        "n_window": one_window(made, config.windows),
        "n_csa": kinds["sparse"],
        "n_hca": kinds["heavy"],
        "d_head": config.d_head,
        "d_query": attention.q_rank,
        "n_output_groups": attention.n_groups,
        "d_output": attention.o_rank,
        "n_index_heads": attention.n_index_heads,
        "d_index": attention.index_width,
        "n_picked": attention.picked,
        "r_csa": attention.sparse_run,
        "r_hca": attention.heavy_run,
    }
    compress(made)


def _of_a_group(at: Shapes) -> Any:
    """Width of the output of one group of heads, which a matrix brings to one short vector."""
    return at["n_heads"] * at["d_head"] / at["n_output_groups"]


def _compressor(of: str, width: str, series: int) -> tuple[Matrix, ...]:
    """Matrices of a compressor: the values that each token gives an entry, and the gates that weigh them."""
    names = (f"attention.{of}.{name}" for name in ("values", "gates"))
    return tuple(Matrix(name, lambda at: series * at[width], D_MODEL) for name in names)


KIND = AttentionKind(
    tells="r_csa",
    telling=("r_csa",),
    kept=_kept,
    matrices={
        shared_vector_parameters: (
            Matrix("attention.query_down", one_width("d_query"), D_MODEL),
            Matrix("attention.query", total_width("n_heads", "d_head"), one_width("d_query")),
            Matrix("attention.key_value", one_width("d_head"), D_MODEL),
            Matrix("attention.output_down", total_width("n_output_groups", "d_output"), _of_a_group),
            Matrix("attention.output", D_MODEL, total_width("n_output_groups", "d_output")),
        ),
        compressor_parameters: _compressor("long", "d_head", 1),
        overlapping_compressor_parameters: _compressor("entry", "d_head", 2),
        entry_index_parameters: (*_compressor("index", "d_index", 2), *ASKING_INDEX),
    },
    order=(
        *(f"attention.{name}" for name in ("query_down", "query", "key_value")),
        *(f"attention.{of}.{name}" for of in ("entry", "long", "index") for name in ("values", "gates")),
        *(WAITING, "attention.index.query", "attention.index.weight", INDEX),
        *(ATTENTION, "attention.output_down", "attention.output"),
    ),
    runs="Compression",
    add=_add,
    copied={"n_output_groups": "groups of heads"},
    fixed={"r_csa": ("entries of unfinished runs per sequence", waiting_bytes)},
    beside="entries of runs",
    blocks=("n_csa", "n_hca"),
    lengths=("r_csa", "r_hca"),
    traits=(("r_csa", Trait.COMPRESSED), ("r_csa", Trait.SHARED)),
)
