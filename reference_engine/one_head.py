"""Attention of one head, in the textbook form and in tiles

Both work on matrices that lie off-chip. The textbook algorithm writes the scores S and the probabilities P there
and reads them back, line by line; the tiled one keeps a running softmax on the chip and never writes either.
"""

from __future__ import annotations

import numpy as np

from . import ops
from .formats import Array
from .memory import Machine, OffChip


def textbook(
    machine: Machine, Q: OffChip, K: OffChip, V: OffChip, O: OffChip, *, scaled: bool = False, stable: bool = False
) -> None:
    """O = softmax(Q·Kᵀ)·V in three lines, each of which loads, computes and stores.

    Args:
        machine: where the matrices lie.
        Q: (n, d) queries.
        K: (N, d) keys.
        V: (N, d) values.
        O: (n, d), written.
        scaled: multiply the scores by 1/√d, in a pass of its own between the first and the second line.
        stable: subtract each row's largest score before the exponential.
    """
    ledger = machine.ledger
    with ledger.scope("line_1"):
        queries, keys = Q.load(), K.load()
        (n, d), N = queries.shape, keys.shape[0]
        scores = ops.matmul(ledger, queries, keys.T)  # (n, d) @ (d, N) -> (n, N)
        S = machine.reserve((n, N), O.format)
        S.store(scores)
    if scaled:
        with ledger.scope("scaling"):
            S.store(ops.elementwise(ledger, "multiply", S.load(), d**-0.5))
    with ledger.scope("line_2"):
        probabilities = (ops.stable_softmax if stable else ops.softmax)(ledger, S.load())
        P = machine.reserve((n, N), O.format)
        P.store(probabilities)
    with ledger.scope("line_3"):
        O.store(ops.matmul(ledger, P.load(), V.load()))  # (n, N) @ (N, d) -> (n, d)


def tiled(machine: Machine, Q: OffChip, K: OffChip, V: OffChip, O: OffChip, *, rows: int, columns: int) -> None:
    """The same O, `rows` queries at a time, with all keys and values passed by them `columns` at a time.

    For each query the chip keeps the largest score so far, the sum of exponentials and the weighted sum of values;
    when a larger score turns up, both sums are rescaled.
    """
    ledger = machine.ledger
    n, N = Q.shape[0], K.shape[0]
    for top in range(0, n, rows):
        here = slice(top, top + rows)
        with ledger.scope("queries"):
            queries = Q.load(here)
        kept: tuple[Array, Array, Array] | None = None  # largest score, sum of exponentials, weighted sum of values
        for left in range(0, N, columns):
            there = slice(left, left + columns)
            with ledger.scope("keys"):
                keys = K.load(there)
            with ledger.scope("scores"):
                scores = ops.matmul(ledger, queries, keys.T)  # (rows, d) @ (d, columns) -> (rows, columns)
            with ledger.scope("softmax"):
                peak = ops.maximum(ledger, scores)
                if kept is not None:
                    peak = ops.maximum(ledger, np.concatenate([kept[0], peak], axis=-1))
                e = ops.elementwise(ledger, "exp", ops.elementwise(ledger, "subtract", scores, peak))
                norm = ops.total(ledger, e)
            with ledger.scope("values"):
                values = V.load(there)
            with ledger.scope("mix"):
                mixed = ops.matmul(ledger, e, values)  # (rows, columns) @ (columns, d) -> (rows, d)
            if kept is not None:
                with ledger.scope("rescale"):
                    shrink = ops.elementwise(ledger, "exp", ops.elementwise(ledger, "subtract", kept[0], peak))
                    norm = ops.elementwise(ledger, "add", ops.elementwise(ledger, "multiply", kept[1], shrink), norm)
                    mixed = ops.elementwise(ledger, "add", ops.elementwise(ledger, "multiply", kept[2], shrink), mixed)
            kept = peak, norm, mixed
        with ledger.scope("outputs"):
            O.store(ops.elementwise(ledger, "divide", mixed, norm), here)
