"""The computer that this runs on, as NumPy and the reference engine use it

Bandwidth is that of NumPy's sums, arithmetic that of the engine's layers, and steps are those of the engine's decoders:
what is timed is what runs. Nothing here needs a privilege, or to choose its processors.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import cycle
from math import prod
from typing import Any

import numpy

from reference_engine import Config, Decoder, Machine, SuperBlocks
from reference_engine.cores import at_most, cores
from reference_engine.files.hub import read_config
from reference_engine.files.tensors import Values
from reference_engine.formats import NAMED, Array, Format
from reference_engine.layers import Layers
from reference_engine.multiplying import eight_rows

from ..errors import InvalidModel, InvalidValue, installed, unknown_name
from ..units import BYTE, humanize
from ..witness.decoders import loaded
from .computer import Action, Computer, Noise, Shape, Subject

_FLOATS = {"fp32": "F32", "fp16": "F16"}  # whose names differ from llama.cpp's
PACKED = ("fp32", "fp16", "bf16", "q8_0", "q4_0")  # formats that the engine writes and the formulas know by name
_GAP = 5e-5  # seconds between two looks at the clock that are more than Python's own
_PASSES = 2**23  # bytes that each thread reads at least, so that handing the work out takes no time beside it
_EVEN = numpy.uint8(0x30)  # a byte of which every format makes numbers of a moderate size
_DRAWN = 2**12  # numbers that are repeated: how long a step takes does not depend on them
_SHARE = 0.8  # of the free memory


@contextmanager
def this_computer(threads: int | None = None) -> Iterator[Computer]:
    """The computer that this runs on, with libraries that use so many threads: as many as it has cores, if left out.

    Raises:
        MissingDependency: without psutil or threadpoolctl.
        InvalidValue: for more threads than there are cores.
    """
    with installed("measuring this machine", "measure"):
        import psutil
        from threadpoolctl import threadpool_limits
    if threads is not None and threads > cores():
        raise InvalidValue(f"this machine has {cores()} cores for this program, so not {threads:,} threads.")
    used = threads or cores()
    with ExitStack() as stack:
        stack.enter_context(threadpool_limits(used))
        stack.enter_context(at_most(used))
        yield _NumPyComputer(used, stack.enter_context(ThreadPoolExecutor(used)), psutil)


class _NumPyComputer(Computer):
    def __init__(self, threads: int, pool: ThreadPoolExecutor, psutil: Any) -> None:
        self.threads, self._pool, self._psutil = threads, pool, psutil
        self.title = f"{_processor()}, {threads} thread{'' if threads == 1 else 's'}"
        self.system = f"{platform.system()} {platform.machine()}, NumPy {numpy.__version__}"
        self._buffer = numpy.zeros(0, numpy.uint64)

    @property
    def memory(self) -> int:  # type: ignore[override]
        """Bytes of memory there are."""
        return int(self._psutil.virtual_memory().total)

    @property
    def free(self) -> int:  # type: ignore[override]
        """Bytes of memory that are free."""
        return int(self._psutil.virtual_memory().available)

    def now(self) -> float:
        """Seconds on the system's finest clock."""
        return time.perf_counter()

    def ran(self) -> float:
        """Seconds that threads of this program ran, all of them together."""
        return time.process_time()

    def noise(self, seconds: float) -> Noise:
        """Disturbances while a thread spins for so long."""
        processors, own = self._psutil.cpu_times(), time.process_time()
        lost, last = 0.0, time.perf_counter()
        end = last + seconds
        while last < end:
            now = time.perf_counter()
            if now - last > _GAP:
                lost += now - last
            last = now
        return Noise(lost / seconds, *_shares(processors, self._psutil.cpu_times(), time.process_time() - own))

    def _words(self, n_bytes: int) -> Array:
        """So many bytes of one buffer, as integers of 64 bits, that really lie in memory."""
        if self._buffer.nbytes < n_bytes:
            self._buffer = numpy.ones(n_bytes // 8, numpy.uint64)
        return self._buffer[: n_bytes // 8]  # (words,)

    def reading(self, n_bytes: int, threads: int) -> tuple[Action, int]:
        """Action that sums so many bytes again and again, each thread its share, and the bytes of all its passes."""
        shares = numpy.array_split(self._words(n_bytes), threads)  # (words / threads,) each
        passes = max(1, _PASSES // shares[0].nbytes)
        # a view with an axis on which nothing moves: NumPy goes through the same bytes anew without coming back here
        again = [numpy.broadcast_to(share, (passes, share.size)) for share in shares]
        return (lambda: list(self._pool.map(_sums, again))), passes * n_bytes

    def copying(self, n_bytes: int) -> Action:
        """Action that copies so many bytes to the bytes after them."""
        words = numpy.array_split(self._words(2 * n_bytes), 2)
        to, of = (numpy.array_split(half, self.threads) for half in words)
        return lambda: list(self._pool.map(numpy.copyto, to, of))

    def width(self, format: str) -> float:
        """Bytes of one number in this format."""
        return float(_format(format).n_bytes)

    def products(self, format: str, rows: int, columns: int, copies: int) -> Callable[[int], Action]:
        """Actions of the engine's layer, by the number of vectors."""
        stored, machine = _format(format), Machine(dtype="float32", eight_bits=True)
        matrices = {str(number): _filled(machine, stored, (rows, columns)) for number in range(copies)}
        layers, names = Layers(Config(1, 1, 2, 2), machine, matrices), cycle(matrices)

        def action(vectors: int) -> Action:
            x = numpy.resize(_drawn(), (1, vectors, columns))  # (1, vectors, columns)
            return lambda: layers.linear("product", next(names), x)

        return action

    def synthetic(self, shape: Shape, format: str, name: str) -> Subject:
        """Decoder of the engine with these sizes, whose weights are a few drawn numbers repeated."""
        read = read_config(Values(name, shape.config), NAMED["F32"])
        config = replace(read, weights=_format(format), vectors=NAMED["F32"])
        needed = sum(config.stored(one).room(sizes) for one, sizes in config.shapes.items())
        # products read a second copy of a matrix whose rows they lay side by side
        copies = 1 if eight_rows(config.weights) is None else 2
        self._refuse_what_does_not_fit(copies * needed, f"the weights of {name} in {format}")
        machine = Machine(dtype="float32", eight_bits=True)
        weights = {one: _filled(machine, config.stored(one), sizes) for one, sizes in config.shapes.items()}
        return self._subject(Decoder(config, machine=machine, weights=weights), shape.config, name, format)

    def loaded(self, path: str) -> Subject:
        """Decoder of the engine in a model file."""
        decoder = loaded(path, eight_bits=True)
        windows = map(decoder.config.window, range(decoder.config.n_blocks))
        if any(window is not None for window in windows):
            raise InvalidModel(f"{path} has sliding windows, whose steps cannot be repeated at one context.")
        # weights lie in the file, but not those whose rows are laid side by side
        copied = sum(one.nbytes for one in decoder.weights.values() if eight_rows(one.format) is not None)
        self._refuse_what_does_not_fit(copied, f"the weights of {os.path.basename(path)}")
        return self._subject(decoder, path, os.path.basename(path), None)

    def _subject(self, decoder: Decoder, model: Any, name: str, weights: str | None) -> Subject:
        config = decoder.config
        of_format: dict[Format, int] = {}
        for weight in decoder.weights.values():
            of_format[weight.format] = of_format.get(weight.format, 0) + weight.nbytes
        most = max(of_format, key=lambda one: of_format[one])
        matrices = [one for one, sizes in config.shapes.items() if len(sizes) == 2 and "experts." not in one]
        chosen = sum(3 * config.n_active for i in range(config.n_blocks) if config.has_experts(i))
        products = len(matrices) - (not config.tied) + chosen
        return Subject(name, model, weights, _name(most), config.n_blocks, products, decoder)

    def step(self, subject: Subject, batch: int, context: int) -> Action:
        """Action of the engine's decoder, which forgets each token again."""
        decoder: Decoder = subject.decoder
        config = decoder.config
        sizes = [sizes for i in range(config.n_blocks) for sizes in config.cached(i).values()]
        # a pass loads and joins the caches of one block at a time
        needed = batch * context * (sum(map(config.cache.room, sizes)) + 3 * 8 * max(map(prod, sizes)))
        self._refuse_what_does_not_fit(needed, f"the caches of {batch:,} sequences of {context:,} tokens")
        decoder.start(batch, context)
        for cache in (cache for block in decoder.caches for cache in block.values()):
            vectors = (batch, context - 1, *cache.vectors.shape[2:])  # (B, context - 1, ...)
            cache.put(numpy.resize(_drawn(), vectors), 0)
        tokens, filled = numpy.arange(batch) % config.n_vocab, decoder.caches  # (B,)

        def run() -> None:
            # of several such actions each has caches of its own, which it fills and forgets at the same place
            decoder.caches, decoder.batch, decoder.capacity, decoder.context = filled, batch, context, context - 1
            decoder.decode(tokens)

        return run

    def _refuse_what_does_not_fit(self, needed: int, what: str) -> None:
        if needed > _SHARE * self.free:
            takes, has = (humanize(n_bytes, BYTE, 3) for n_bytes in (needed, self.free))
            raise InvalidValue(f"{what} take {takes} of memory, but only {has} is free.")


def _sums(words: Array) -> Array:
    """(passes, words) -> (passes,)."""
    found: Array = numpy.add.reduce(words, axis=1)  # (passes,)
    return found


def _drawn() -> Array:
    found: Array = numpy.random.default_rng(0).standard_normal(_DRAWN, numpy.float32)  # (drawn,)
    return found


def _filled(machine: Machine, format: Format, shape: tuple[int, ...]) -> Any:
    """Off-chip numbers of this shape that lie in memory, each page of it."""
    sizes = format.packed_shape(shape)
    if isinstance(format, SuperBlocks):  # which the engine only reads
        packed = format.blank(shape)
        packed.view(numpy.uint8)[...] = _EVEN
    else:
        # as large as a trained matrix has them, so that activations stay moderate
        packed = numpy.resize(format.pack(_drawn() / numpy.float32(shape[-1]) ** 0.5), sizes)
    return machine.place(packed, format)


def _format(name: str) -> Format:
    try:
        return NAMED[_FLOATS.get(name, name.upper())]
    except KeyError:
        raise unknown_name("number format of the engine", name, map(_name, NAMED.values())) from None


def _name(format: Format) -> str:
    engines = next(name for name, one in NAMED.items() if one == format)
    return next((name for name, one in _FLOATS.items() if one == engines), engines.lower())


def _shares(before: Any, after: Any, own: float) -> tuple[float | None, float | None]:
    """Shares of the processors' time that a host took, and that other programs took; None for what is not counted."""
    spent = {name: getattr(after, name) - getattr(before, name) for name in after._fields}
    # Linux counts a guest's time twice, as its own and as that of the user
    total = sum(seconds for name, seconds in spent.items() if not name.startswith("guest"))
    if total <= 0:  # too short for the system's clock ticks
        return None, None
    stolen = spent.get("steal")
    idle = spent.get("idle", 0.0) + spent.get("iowait", 0.0) + (stolen or 0.0)
    others = min(1.0, max(0.0, (total - idle - own) / total))
    return None if stolen is None else stolen / total, others


def _processor() -> str:
    """Name of the processor, as the system says it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            named = next(line for line in file if line.startswith(("model name", "Model")))
        found = named.partition(":")[2]
    except (OSError, StopIteration):  # no Linux, or one that does not say
        found = platform.processor() or platform.machine()
    kept = "".join(sign for sign in " ".join(found.split()) if sign.isprintable())
    return kept[:80] or "a processor without a name"
