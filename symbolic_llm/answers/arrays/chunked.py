"""Functions of large arrays, computed in tiles that stay in a cache

NumPy does one operation after another, each on whole arrays: what lies between two of them goes out to memory and comes
back. Here the operations are recorded, by calling the function with stand-ins for its arrays, and then done tile by
tile in a few short buffers. They are the same operations on the same numbers, so no bit of the result differs, and
beside it nothing of its size is held. Where llvmlite is installed, and it pays, a tile is one loop (`fused`). Of very
large arrays each core does a part, as NumPy, and a loop, let go of Python's lock while they compute.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

import numpy
from numpy.lib.mixins import NDArrayOperatorsMixin

from ...errors import InvalidValue
from .native import fused

TILE = 2**15  # elements: a tile and the few buffers beside it fit a core's own cache
LONG = 8 * TILE  # elements of a tile that is done in one loop, which holds nothing beside it
_THREADS = 4  # at most: a few keep memory busy
_MOST = 30  # arrays that NumPy iterates over together, one more and the result
_NUMBERS: frozenset[Any] = frozenset({int, float, bool, numpy.float64})
_AS_OPERATOR = {2: numpy.square, 0.5: numpy.sqrt, -1: numpy.reciprocal}  # what an array's own ** does there
_COMPARING = (numpy.less, numpy.less_equal, numpy.greater, numpy.greater_equal, numpy.equal, numpy.not_equal)
_TRUTHS = {*_COMPARING, numpy.logical_and, numpy.logical_not}


def fitting(out: Any, shape: tuple[int, ...]) -> Any:
    """The array for a result of this shape; `InvalidValue` if it cannot take it."""
    if not isinstance(out, numpy.ndarray):
        raise InvalidValue(f"out= must be a NumPy array of float64, not {type(out).__name__}.")
    if out.dtype != numpy.float64:
        raise InvalidValue(f"out= must be an array of float64, not of {out.dtype}.")
    if out.shape != shape:
        raise InvalidValue(f"out= must have the shape of the result, {shape}, not {out.shape}.")
    if not out.flags.writeable:
        raise InvalidValue("out= must be an array that can be written to, but this one is read-only.")
    return out


def in_tiles(
    value: Callable[..., Any], holds: Callable[..., Any] | None, given: Sequence[Any], out: Any = None
) -> Any | None:
    """The function's value for each element of the arrays; None for small arrays and for what is no array of numbers.

    Args:
        value: a function of as many arguments as are given, of NumPy's operations only.
        holds: conditions on the same arguments; where one of them fails, the result is not a number.
        given: numbers and arrays, which go together by NumPy's rules.
        out: an array that fits the result, which is made otherwise.
    """
    arrays = [x for x in given if x.__class__ not in _NUMBERS]
    if not (0 < len(arrays) <= _MOST and all(map(_is_plain, arrays))) or numpy.broadcast(*arrays).size <= 2 * TILE:
        return None
    record = _Record(len(arrays))
    stand_ins = iter([_StandIn(record, place) for place in range(len(arrays))])
    arguments = [x if x.__class__ in _NUMBERS else next(stand_ins) for x in given]
    failing = numpy.logical_not(reduce(numpy.logical_and, holds(*arguments))) if holds else False
    apart = not any(numpy.may_share_memory(out, array) for array in arrays) if out is not None else True
    elements = numpy.broadcast(*arrays).size
    begin, evenly = record.program(value(*arguments), failing, apart, elements)
    anywhere = "overlap_assume_elementwise"  # the result may be one of the arrays: each is read before it is written
    roles: Any = [*(["readonly", anywhere] for _ in arrays), ["writeonly", "allocate", "no_broadcast", anywhere]]
    roles = [[*role, "contig"] for role in roles] if evenly else roles
    tiles = numpy.nditer(
        [*arrays, out],
        ["external_loop", "buffered", "delay_bufalloc", "copy_if_overlap", "ranged"],
        roles,
        [numpy.float64 for _ in roles],  # shorter numbers are turned into it tile by tile
        casting="unsafe",
        buffersize=LONG if evenly else TILE,
    )
    with tiles:
        # what overlaps is written back by the one iterator that copied it
        _in_threads(min(_threads(), max(1, elements // (2 * LONG))) if apart else 1, tiles, begin)
        return tiles.operands[-1] if out is None else out


def _in_threads(number: int, tiles: Any, begin: Callable[[], Compute]) -> None:
    """Go through all tiles, each thread through its share; the first error is raised when no thread runs any more."""
    heeded: Any = {"call": numpy.geterrcall(), **numpy.geterr()}  # a thread begins with what NumPy does by default

    def go_through(share: Any, compute: Compute) -> None:
        with numpy.errstate(**heeded):
            for parts in share:
                compute(parts)

    shares = [tiles, *(tiles.copy() for _ in range(number - 1))]
    for turn, share in enumerate(shares):
        share.iterrange = tuple(tiles.itersize * end // number for end in (turn, turn + 1))
    if number == 1:
        go_through(tiles, begin())
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(number) as pool:  # for this once: a process without threads may be forked
        done = [pool.submit(go_through, share, begin()) for share in shares]
    for one in done:
        one.result()


def _threads() -> int:
    """Number of threads that share the work: 1 outside the main thread, and at most what OMP_NUM_THREADS says."""
    if threading.current_thread() is not threading.main_thread():
        return 1
    said = os.environ.get("OMP_NUM_THREADS", "")
    return min(_THREADS, _cores(), max(1, int(said)) if said.isdecimal() else _THREADS)


def _cores() -> int:
    """Number of the processor's cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_plain(given: Any) -> bool:
    """Whether something is an array of NumPy's own, of numbers that float64 stands for."""
    return type(given) in (numpy.ndarray, numpy.memmap) and given.dtype.kind in "biuf" and given.dtype.itemsize <= 8


Compute = Callable[[Sequence[Any]], None]  # fills a tile of the result, which comes last, from those of the arrays


class _StandIn(NDArrayOperatorsMixin):
    """Stands for an array, or for what comes of one, while operations are recorded."""

    def __init__(self, record: _Record, place: int) -> None:
        self.record, self.place = record, place

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any) -> _StandIn:
        return self.record.done(ufunc, operands)


class _Record:
    """Operations in the order they were asked for, each once, however often it is asked for.

    What they are done on are cells: the arrays, then the result, then the numbers and what operations give.
    """

    def __init__(self, arrays: int) -> None:
        self._result = arrays
        self._steps: list[tuple[Any, tuple[int, ...], int]] = []
        self._cells: dict[Any, int] = {}
        self._numbers: dict[int, Any] = {}

    def done(self, ufunc: Any, operands: Sequence[Any]) -> _StandIn:
        """The stand-in for what an operation gives."""
        if ufunc is numpy.power and not isinstance(operands[1], _StandIn) and operands[1] in _AS_OPERATOR:
            ufunc, operands = _AS_OPERATOR[operands[1]], operands[:1]
        # the larger of an array and a number is not vectorised, of two arrays it is
        spread = ufunc is numpy.maximum
        places = tuple(self._place(operand, spread) for operand in operands)
        if (ufunc, places) not in self._cells:
            self._steps.append((ufunc, places, self._cell((ufunc, places))))
        return _StandIn(self, self._cells[ufunc, places])

    def _cell(self, key: Any) -> int:
        return self._cells.setdefault(key, self._result + 1 + len(self._cells))

    def _place(self, operand: Any, spread: bool = False) -> int:
        if isinstance(operand, _StandIn):
            return operand.place
        number = float(operand)
        place = self._cell((number.hex(), spread))  # 0.0 and -0.0 are two
        self._numbers[place] = numpy.full(TILE, number) if spread else numpy.asarray(number)
        return place

    def program(self, found: Any, failing: Any, apart: bool, elements: int) -> tuple[Callable[[], Compute], bool]:
        """Maker of functions that compute the tiles, one for each thread, with buffers of its own.

        With it comes whether the tiles have to be contiguous.

        Args:
            found: the stand-in for the result, or a number.
            failing: the stand-in for the truth that the result is not a number, or a truth.
            apart: whether the result lies apart from the arrays, so that it may be written before they are read.
            elements: how many there are in all tiles.
        """
        everywhere = not isinstance(failing, _StandIn) and failing
        place, result = self._place(numpy.nan if everywhere else found), self._result
        if self._steps and self._steps[-1][2] == place:
            self._steps[-1] = (*self._steps[-1][:2], result)  # it need not be copied there
        else:
            self._steps.append((numpy.positive, (place,), result))
        spoiled = failing.place if isinstance(failing, _StandIn) else None
        numbers = {place: float(number.flat[0]) for place, number in self._numbers.items()}
        loop = fused(self._steps, numbers, result, spoiled, elements)
        if isinstance(failing, _StandIn):
            self._steps.append((_spoil, (failing.place,), result))
        steps, held = self._placed(apart)

        def by_numpy() -> Compute:
            whole = [numpy.empty(TILE, cell) if isinstance(cell, type) else cell for cell in held]

            def compute(parts: Sequence[Any]) -> None:
                size = len(parts[-1])
                cells = [*parts, *(whole if size == TILE else [cell[:size] if cell.ndim else cell for cell in whole])]
                for ufunc, places, to in steps:
                    ufunc(*[cells[place] for place in places], out=cells[to])

            return compute

        if loop is None:
            return by_numpy, False

        def by_loop() -> Compute:
            compute = cache(by_numpy)
            beside = None if apart else numpy.empty(LONG)  # so that NumPy can be asked what the loop was asked

            def compute_fused(parts: Sequence[Any]) -> None:
                into = parts[-1] if beside is None else beside[: len(parts[-1])]
                if loop(parts[:-1], into):
                    for start in range(0, len(into), TILE):
                        compute()([part[start : start + TILE] for part in parts])
                elif beside is not None:
                    parts[-1][...] = into

            return compute_fused

        return by_loop, True

    def _placed(self, apart: bool) -> tuple[list[tuple[Any, tuple[int, ...], int]], list[Any]]:
        """The steps, with cells used again after they were last read, and the content of the cells after the result's.

        The content is numbers, and the types of buffers.
        """
        last = {place: turn for turn, (_, places, _) in enumerate(self._steps) for place in places}
        held, at = list(self._numbers.values()), {place: place for place in range(self._result + 1)}
        at |= {place: self._result + 1 + turn for turn, place in enumerate(self._numbers)}
        # the result's tile goes out to memory while it is worked on, so it is taken first
        free = {float: [self._result] if apart else [], bool: []}
        kind_of: dict[int, Any] = {}
        steps = []
        for turn, (ufunc, places, to) in enumerate(self._steps):
            read = tuple(at[place] for place in places)
            for place in set(places) & kind_of.keys():
                if last[place] == turn:  # the same operation may write there: it reads each element before
                    free[kind_of[place]].append(at[place])
            if to != self._result:
                kind = kind_of[to] = bool if ufunc in _TRUTHS else float
                if free[kind]:
                    at[to] = free[kind].pop()
                else:
                    at[to] = self._result + 1 + len(held)
                    held.append(kind)
            steps.append((ufunc, read, at[to]))
        return steps, held


def _spoil(failing: Any, out: Any) -> None:
    numpy.copyto(out, numpy.nan, where=failing)
