"""Decoders that keep compressed runs of tokens, and those with several residual streams"""

from __future__ import annotations

from ..catalogue.named import (
    compression_vector_parameters,
    compressor_parameters,
    entry_index_parameters,
    overlapping_compressor_parameters,
    shared_vector_parameters,
    stream_parameters,
    stream_vector_parameters,
)
from .builder import Builder


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


def mix_streams(made: Builder, n_streams: int) -> None:
    """Add n_streams residual streams, which every layer mixes."""
    made.letters |= {"n_streams": n_streams, "d_streams": n_streams * made.letters["d_model"]}
    made.add("streams", stream_parameters)
    made.unmultiplied("streams", stream_vector_parameters)
