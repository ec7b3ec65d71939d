"""A decoding step of the reference engine in each format of its weights, beside reading the same bytes once"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from row import Row, best

from reference_engine import Config, Decoder, Format, Machine
from reference_engine.formats import F16, F32, Q4_0, Q8_0

# a block as wide as those of a model of seven billion parameters, and a short vocabulary
SHAPE = Config(1, 32, 128, 4096, vectors=F32, n_kv_heads=8, d_ff=11_008, norm="rms", activation="silu", gated=True)


def decoder(weights: Format) -> Decoder:
    """A decoder that repeats a few drawn numbers: how long a step takes does not depend on them."""
    config, machine = replace(SHAPE, weights=weights), Machine(dtype="float32")
    drawn = np.random.default_rng(0).standard_normal(2**12, np.float32)
    found = {}
    for name, shape in config.shapes.items():
        format = config.stored(name)
        with machine.ledger.scope(f"weights.{name}"):
            found[name] = machine.place(np.resize(format.pack(drawn), format.packed_shape(shape)), format)
    return Decoder(config, machine=machine, weights=found, growing=True)


def step(made: Decoder) -> Callable[[], object]:
    """A decoding step of one token more, after a short prompt."""
    made.prefill(np.arange(8))
    return lambda: made.decode(np.int64(1))


def reading(made: Decoder) -> Callable[[], object]:
    """A pass over the bytes of all weights, as fast as NumPy makes one."""
    words = [weight.load_packed().reshape(-1).view(np.uint8).view(np.uint64) for weight in made.weights.values()]
    return lambda: [piece.sum() for piece in words]


def rows(rounds: int = 15) -> list[Row]:
    """Steps beside reading, and a narrower format beside a wider one.

    BLAS multiplies floats where they lie, and for a tenth of a second its threads look for more: whoever has a turn
    then shares the processor with them. So floats are measured by themselves.
    """
    took = {}
    for formats in ({"f16": F16, "q8_0": Q8_0, "q4_0": Q4_0}, {"f32": F32}):
        made = [decoder(format) for format in formats.values()]
        names = [*formats, *(f"reading {name}" for name in formats)]
        took |= dict(zip(names, best([*map(step, made), *map(reading, made)], rounds), strict=True))
    limits = (("f32", "reading f32", 1.2), ("f16", "reading f16", 2.0), ("q8_0", "f16", 1.0), ("q4_0", "q8_0", 1.0))
    return [
        Row(f"decoding, {one} beside {other}", took[one], took[other], limit, of_beside=True)
        for one, other, limit in limits
    ]


if __name__ == "__main__":
    for row in rows():
        print(row)
