"""A decoding step of the reference engine in each format of its weights, beside reading the same bytes once

Matrices in codes are multiplied by vectors in eight bits, as `measure` does.
"""

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
    config, machine = replace(SHAPE, weights=weights), Machine(dtype="float32", eight_bits=True)
    drawn = np.random.default_rng(0).standard_normal(2**12, np.float32)
    found = {}
    for name, shape in config.shapes.items():
        format = config.stored(name)
        with machine.ledger.scope(f"weights.{name}"):
            found[name] = machine.place(np.resize(format.pack(drawn), format.packed_shape(shape)), format)
    return Decoder(config, machine=machine, weights=found, growing=True)


def step(weights: Decoder, batch: int = 1) -> Callable[[], object]:
    """A decoding step of one token more for each of so many sequences, after short prompts."""
    made = Decoder(weights.config, machine=weights.machine, weights=weights.weights, growing=True)
    made.prefill(np.resize(np.arange(8), (batch, 8)))
    return lambda: made.decode(np.ones(batch, np.int64))


def reading(made: Decoder) -> Callable[[], object]:
    """A pass over the bytes of all weights, as fast as NumPy makes one."""
    words = [weight.load_packed().reshape(-1).view(np.uint8).view(np.uint64) for weight in made.weights.values()]
    return lambda: [piece.sum() for piece in words]


def rows(rounds: int = 15) -> list[Row]:
    """Steps beside reading, a narrower format beside a wider one, and twice as many vectors.

    BLAS multiplies floats where they lie, and for a tenth of a second its threads look for more: whoever has a turn
    then shares the processor with them. So floats are measured by themselves.
    """
    took = {}
    for formats in ({"f16": F16, "q8_0": Q8_0, "q4_0": Q4_0}, {"f32": F32}):
        made = [decoder(format) for format in formats.values()]
        names = [*formats, *(f"reading {name}" for name in formats)]
        took |= dict(zip(names, best([*map(step, made), *map(reading, made)], rounds), strict=True))
        if "f32" not in formats:
            pairs = [(name, batch) for name in formats for batch in (8, 16)]
            steps = [step(made[names.index(name)], batch) for name, batch in pairs]
            took |= {f"{name} × {batch}": time for (name, batch), time in zip(pairs, best(steps, rounds), strict=True)}
    limits = (
        *(("f32", "reading f32", 1.2), ("f16", "reading f16", 1.5), ("q8_0", "f16", 0.8), ("q4_0", "q8_0", 1.0)),
        *((f"{name} × 16", f"{name} × 8", 2.4) for name in ("f16", "q8_0", "q4_0")),
    )
    return [
        Row(f"decoding, {one} beside {other}", took[one], took[other], limit, of_beside=True)
        for one, other, limit in limits
    ]


if __name__ == "__main__":
    for row in rows():
        print(row)
