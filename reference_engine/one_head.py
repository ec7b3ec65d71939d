"""Attention of one head, in the textbook form and in tiles

Both work on matrices that lie off-chip. The textbook algorithm writes the scores S and A, their softmax, there
and reads them back, line by line; the tiled one keeps a running softmax on the chip and never writes either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import ops
from .formats import Array, Format
from .ledger import Ledger
from .memory import Machine, OffChip

Pair = tuple[OffChip, OffChip]  # keys and values


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
        queries, keys = Q.load(), K.load()  # (n, d), (N, d)
        (n, d), N = queries.shape, keys.shape[0]
        scores = ops.matmul(ledger, queries, keys.T)  # (n, d) @ (d, N) -> (n, N)
        S = machine.reserve((n, N), O.format)  # (n, N)
        S.store(scores)
    if scaled:
        with ledger.scope("scaling"):
            S.store(ops.elementwise(ledger, "multiply", S.load(), d**-0.5))
    with ledger.scope("line_2"):
        shares = (ops.stable_softmax if stable else ops.softmax)(ledger, S.load())  # (n, N)
        A = machine.reserve((n, N), O.format)  # (n, N)
        A.store(shares)
    with ledger.scope("line_3"):
        O.store(ops.matmul(ledger, A.load(), V.load()))  # (n, N) @ (N, d) -> (n, d)


def tiled(machine: Machine, Q: OffChip, K: OffChip, V: OffChip, O: OffChip, *, rows: int, columns: int) -> None:
    """O = softmax(Q·Kᵀ)·V in tiles: `rows` queries at a time, each with all keys and values, `columns` at a time.

    For each query the chip keeps the largest score so far, the sum of exponentials and the weighted sum of values;
    when a larger score turns up, both sums are rescaled. What the chip has to hold at a time is entered as held at
    `chip`, as wide as off the chip; what takes the place of something counts once: exponentials that of their scores,
    values that of keys, a rescaled sum that of the sum.
    """
    ledger = machine.ledger
    chip = _Chip(Q.format)
    n, N = Q.shape[0], K.shape[0]
    for i in ledger.loop(-(-n // rows)):
        here = slice(rows * i, rows * i + rows)
        with ledger.scope("queries"):
            queries = chip.keep("queries", Q.load(here))  # (rows, d)
        kept: tuple[Array, Array, Array] | None = None  # largest score, sum of exponentials, weighted sum of values
        for j in ledger.loop(-(-N // columns)):
            there = slice(columns * j, columns * j + columns)
            with ledger.scope("keys"):
                keys = chip.keep("keys or values", K.load(there))  # (columns, d)
            with ledger.scope("scores"):
                scores = ops.matmul(ledger, queries, keys.T)  # (rows, d) @ (d, columns) -> (rows, columns)
                chip.keep("scores", scores)
            with ledger.scope("softmax"):
                peak = ops.maximum(ledger, scores)  # (rows, 1)
                if kept is not None:
                    peak = ops.maximum(ledger, np.concatenate([kept[0], peak], axis=-1))  # (rows, 1)
                e = ops.elementwise(ledger, "exp", ops.elementwise(ledger, "subtract", scores, peak))  # (rows, columns)
                norm = ops.total(ledger, e)  # (rows, 1)
            with ledger.scope("values"):
                values = chip.keep("keys or values", V.load(there))  # (columns, d)
            with ledger.scope("mix"):
                mixed = ops.matmul(ledger, e, values)  # (rows, columns) @ (columns, d) -> (rows, d)
            if kept is not None:
                with ledger.scope("rescale"):
                    # (rows, 1)
                    shrink = ops.elementwise(ledger, "exp", ops.elementwise(ledger, "subtract", kept[0], peak))
                    # (rows, 1)
                    norm = ops.elementwise(ledger, "add", ops.elementwise(ledger, "multiply", kept[1], shrink), norm)
                    # (rows, d)
                    mixed = ops.elementwise(ledger, "add", ops.elementwise(ledger, "multiply", kept[2], shrink), mixed)
            kept = peak, norm, mixed  # (rows, 1), (rows, 1), (rows, d)
            for name, array in zip(("peaks", "norms", "sums"), kept, strict=True):
                chip.keep(name, array)
        with ledger.scope("outputs"):
            O.store(ops.elementwise(ledger, "divide", mixed, norm), here)
    chip.enter(ledger)


def shared(machine: Machine, Q: OffChip, prefix: Pair, own: Sequence[Pair], O: OffChip) -> None:
    """Attention of one query of each sequence to a shared prefix and to tokens of its own, without writing scores.

    Keys and values of the prefix cross to the chip once, for all queries together. The two halves of each query's
    softmax are then put together as two tiles are.

    Args:
        machine: where the matrices lie.
        Q: (B, d) queries, one of each sequence.
        prefix: (N, d) keys and (N, d) values that all sequences have in common.
        own: of each sequence its keys and values, (n, d) each.
        O: (B, d), written.
    """
    ledger = machine.ledger
    with ledger.scope("queries"):
        queries = Q.load()  # (B, d)
    with ledger.scope("prefix"):
        peaks, norms, sums = _part(ledger, queries, *prefix)  # (B, 1), (B, 1), (B, d)
    for row in ledger.loop(queries.shape[0]):
        pair = own[row]
        one = slice(row, row + 1)
        with ledger.scope("own"):
            peak, norm, mixed = _part(ledger, queries[one], *pair)  # (1, 1), (1, 1), (1, d)
        with ledger.scope("merge"):
            both = ops.maximum(ledger, np.concatenate([peaks[one], peak], axis=-1))  # (1, 1)
            shrink, grown = (
                ops.elementwise(ledger, "exp", ops.elementwise(ledger, "subtract", old, both))
                for old in (peaks[one], peak)
            )  # (1, 1), (1, 1)
            norm, mixed = (
                ops.elementwise(
                    ledger,
                    "add",
                    ops.elementwise(ledger, "multiply", old, shrink),
                    ops.elementwise(ledger, "multiply", new, grown),
                )
                for old, new in ((norms[one], norm), (sums[one], mixed))
            )  # (1, 1), (1, d)
        with ledger.scope("outputs"):
            O.store(ops.elementwise(ledger, "divide", mixed, norm), one)


def _part(ledger: Ledger, queries: Array, K: OffChip, V: OffChip) -> tuple[Array, Array, Array]:
    """(n, d) queries against some keys and values -> (n, 1) peaks, (n, 1) norms, (n, d) weighted sums."""
    keys, values = K.load(), V.load()  # (N, d), (N, d)
    with ledger.scope("scores"):
        scores = ops.matmul(ledger, queries, keys.T)  # (n, d) @ (d, N) -> (n, N)
    with ledger.scope("softmax"):
        peaks = ops.maximum(ledger, scores)  # (n, 1)
        e = ops.elementwise(ledger, "exp", ops.elementwise(ledger, "subtract", scores, peaks))  # (n, N)
        norms = ops.total(ledger, e)  # (n, 1)
    with ledger.scope("mix"):
        return peaks, norms, ops.matmul(ledger, e, values)  # (n, 1), (n, 1), (n, d)


class _Chip:
    """Bytes of the arrays on the chip, by name: now, and when they were most."""

    def __init__(self, format: Format) -> None:
        self._n_bytes = format.n_bytes
        self._kept: dict[str, int] = {}
        self._most: dict[str, int] = {}

    def keep(self, name: str, array: Array) -> Array:
        """Keep an array in the place of the one that had this name."""
        self._kept[name] = array.size * self._n_bytes  # type: ignore[assignment]
        if sum(self._kept.values()) > sum(self._most.values()):
            self._most = dict(self._kept)
        return array

    def enter(self, ledger: Ledger) -> None:
        """Enter the most that was kept at a time."""
        for name, nbytes in self._most.items():
            with ledger.scope(f"chip.{name}"):
                ledger.hold(nbytes)
