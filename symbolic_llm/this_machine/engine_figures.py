"""Figures of the engine on a machine: bandwidth and arithmetic of its products by format, of attention, fixed times

A step is forecast from these: its products each take a fixed time, then the longer of reading and arithmetic; attention
takes the time of reading its cache; and each block, and the step, take a fixed time besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil

import numpy

from ..api import compile, evaluate
from ..catalogue.named import kv_bytes_total
from ..measurements.rows import Numbers
from ..measurements.statistics import line_through
from .computer import Action, Computer, Shape
from .sampling import Pace, Progress, Taken, timed
from .two_lines import two_lines

VECTORS = (1, 2, 4, 8, 16, 32, 64)
MORE = (*VECTORS, 256)  # of floats that are read in place, whose arithmetic is the machine's
_COLUMNS = 4096
_LARGE, _SMALL = 8192, (256, 512, 1024, 2048)  # rows: such matrices wait in memory, and such in a cache
_BLOCKS = (1, 4, 8, 16)
_TINY = Shape(1, 64, 2, 1, 32, 128, 64)  # whose step takes next to nothing but its fixed time
_CONTEXTS = (512, 1024, 2048, 4096)
_CACHED = replace(_TINY, n_blocks=2, n_heads=16, n_kv_heads=4, d_head=64)  # whose step takes the time of attention
_OF_A_BLOCK = 7  # products
PLAIN = "fp32"  # the format that the engine computes in
FIXED, ATTENTION = "fixed times", "attention"


@dataclass(frozen=True)
class Path:
    """Products with weights in one format, as the engine does them.

    Attributes:
        bandwidth: bytes of weights a second, with a single vector.
        peak: operations a second, with many vectors.
        product: fixed time of each product, in seconds.
    """

    bandwidth: float
    peak: float
    product: float


@dataclass(frozen=True)
class Engine:
    """All that a forecast of the engine's steps takes.

    Attributes:
        threads: how many it was measured with.
        step: fixed time of a step, in seconds.
        block: fixed time of each block, in seconds.
        attention: bytes of the cache that attention reads in a second.
        paths: products by the format of their weights.
    """

    threads: int
    step: float
    block: float
    attention: float
    paths: Mapping[str, Path]

    def fixed(self, format: str, n_blocks: int, products: int) -> float:
        """Fixed time of a step with so many blocks and products, in seconds."""
        return self.step + n_blocks * self.block + products * self.paths[format].product


@dataclass(frozen=True)
class Measured:
    """Figures of the engine, with the times that they were taken from.

    Attributes:
        engine: the figures.
        times: of each action, by what it does.
        refused: formats, or other figures, whose times are noisier than they claim.
    """

    engine: Engine
    times: Mapping[str, Taken]
    refused: tuple[str, ...]


def measure_engine(
    computer: Computer, formats: Iterable[str], far: int, pace: Pace, progress: Progress, began: float
) -> Measured:
    """Figures of the engine on a computer.

    Args:
        computer: where it runs.
        formats: number formats of weights; the one that is computed in comes by itself.
        far: bytes that no cache holds.
        pace: how long.
        progress: is told what is being timed.
        began: when measuring this computer began.
    """
    wanted = tuple(dict.fromkeys((PLAIN, *formats)))
    actions: dict[str, Action] = {}
    for format in wanted:
        progress(f"preparing matrices in {format}")
        actions |= dict(_products(computer, format, far))
    progress("preparing small decoders")
    for n_blocks in _BLOCKS:
        tiny = computer.synthetic(replace(_TINY, n_blocks=n_blocks), PLAIN, "a tiny decoder")
        actions[_blocks(n_blocks)] = computer.step(tiny, 1, 1)
    for context in _CONTEXTS:
        cached = computer.synthetic(_CACHED, PLAIN, "a decoder with a long cache")
        actions[_context(context)] = computer.step(cached, 1, context)
    times = timed(computer, actions, pace, progress, began)
    return Measured(_fitted(computer, wanted, times), times, _refused(wanted, times))


def _products(computer: Computer, format: str, far: int) -> Iterator[tuple[str, Action]]:
    """Products with a large matrix of a few vectors and of many, and with small matrices of a single vector."""
    width = computer.width(format)
    large = computer.products(format, _LARGE, _COLUMNS, _copies(far, _LARGE * width))
    yield from ((_large(format, vectors), large(vectors)) for vectors in _vectors(format))
    for rows in _SMALL:
        yield _small(format, rows), computer.products(format, rows, _COLUMNS, 1)(1)


def _vectors(format: str) -> tuple[int, ...]:
    return MORE if format == PLAIN else VECTORS


def _copies(far: int, row_bytes: float) -> int:
    """Number of large matrices that together are too many bytes for a cache."""
    return max(1, ceil(far / (row_bytes * _COLUMNS)))


def _fitted(computer: Computer, formats: Iterable[str], times: Mapping[str, Taken]) -> Engine:
    paths = {format: _path(computer.width(format), format, times) for format in formats}
    each, once = line_through(numpy.array(_BLOCKS, float), _best(times, map(_blocks, _BLOCKS)))
    product = paths[PLAIN].product  # which is part of the times of these, and is not to be counted twice
    cached = [evaluate(kv_bytes_total, model=_CACHED.config, cache=PLAIN, B=1, N=context) for context in _CONTEXTS]
    slope, _ = line_through(numpy.array(cached, float), _best(times, map(_context, _CONTEXTS)))
    return Engine(
        computer.threads,
        step=max(0.0, once - product),
        block=max(0.0, each - _OF_A_BLOCK * product),
        # times that fall with the context are noise, and refused
        attention=1 / slope if slope > 0 else paths[PLAIN].bandwidth,
        paths=paths,
    )


def _path(width: float, format: str, times: Mapping[str, Taken]) -> Path:
    read = compile("memory_time")
    small = numpy.array([read(P=rows * _COLUMNS, n_bytes=width, W=1.0) for rows in _SMALL], float)
    _, product = line_through(small, _best(times, (_small(format, rows) for rows in _SMALL)))
    product = max(0.0, product)
    whole = _best(times, (_large(format, vectors) for vectors in _vectors(format)))
    # a matrix that takes no longer than the fixed time of small ones says nothing about it
    lines = two_lines(numpy.array(_vectors(format), float), numpy.maximum(whole - product, whole / 2))
    weights = _LARGE * _COLUMNS
    # the law's time at a byte or an operation a second, over the time that it took
    bandwidth = read(P=weights, n_bytes=width, W=1.0) / lines.flat
    peak = compile("compute_time")(P=weights, B=1, F=1.0) / lines.straight
    return Path(float(bandwidth), float(peak), product)


def _refused(formats: Iterable[str], times: Mapping[str, Taken]) -> tuple[str, ...]:
    """Formats and fixed figures that rest on a time which no other round confirmed."""
    rests = {
        format: [*(_large(format, n) for n in _vectors(format)), *(_small(format, n) for n in _SMALL)]
        for format in formats
    }
    rests |= {FIXED: [_blocks(one) for one in _BLOCKS], ATTENTION: [_context(one) for one in _CONTEXTS]}
    return tuple(what for what, on in rests.items() if not all(times[key].confirmed for key in on))


def _best(times: Mapping[str, Taken], keys: Iterable[str]) -> Numbers:
    return numpy.array([times[key].best for key in keys])


def _large(format: str, vectors: int) -> str:
    return f"{format}, {vectors} vector{'' if vectors == 1 else 's'}"


def _small(format: str, rows: int) -> str:
    return f"{format}, {rows} rows"


def _blocks(n_blocks: int) -> str:
    return f"a step of {n_blocks} tiny blocks"


def _context(context: int) -> str:
    return f"attention to {context:,} tokens"
