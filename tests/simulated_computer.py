"""A computer with a clock that nobody waits for, whose bandwidth, arithmetic and fixed times are known"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from symbolic_llm.this_machine.computer import Action, Computer, Noise, Shape, Subject

WIDTHS = {"fp32": 4.0, "fp16": 2.0, "q8_0": 34 / 32, "q4_0": 18 / 32}


@dataclass
class SimulatedComputer(Computer):
    """A computer that takes just as long as these figures say, and longer where noise is drawn.

    Attributes:
        W: bytes a second from memory, by each thread; caches are twice as fast.
        F: operations a second.
        reached: shares of W and of F that products reach, by format.
        W_cache: bytes of caches a second.
        t_step: seconds of a step.
        t_block: seconds of a block.
        t_product: seconds of a product.
        jitter: largest share by which a run takes longer.
        drift: share by which each second makes all that follows slower, so that no two rounds agree.
        waits: share of its time in which another program has the processor.
        disturbed: shares of its time that a spinning thread loses, a host takes and other programs use.
    """

    W: float = 20e9
    F: float = 300e9
    reached: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    W_cache: float = 8e9
    t_step: float = 2e-4
    t_block: float = 3e-4
    t_product: float = 5e-5
    jitter: float = 0.0
    drift: float = 0.0
    waits: float = 0.0
    disturbed: tuple[float, float | None, float | None] = (0.0, None, 0.0)
    title: str = "A simulated processor, 2 threads"
    system: str = "no system"
    threads: int = 2
    memory: int = 2**35
    free: int = 2**34

    def __post_init__(self) -> None:
        self.time, self._random = 0.0, Random(0)

    def now(self) -> float:
        """Seconds on its clock, which reading takes a moment of, too."""
        self.time += 1e-9
        return self.time

    def ran(self) -> float:
        """Time of the clock, less what others have the processor for."""
        return self.time * (1 - self.waits)

    def noise(self, seconds: float) -> Noise:
        """The noise that was asked for."""
        self.time += seconds
        return Noise(*self.disturbed)

    def _takes(self, seconds: float) -> Action:
        def run() -> None:
            self.time += seconds * (1 + self.jitter * self._random.random() ** 2) * (1 + self.drift * self.time)

        return run

    def reading(self, n_bytes: int, threads: int) -> tuple[Action, int]:
        """Reading at W, twice as fast up to 64 MiB."""
        return self._takes(n_bytes / (self.W * threads / self.threads * (1 + (n_bytes <= 2**26)))), n_bytes

    def copying(self, n_bytes: int) -> Action:
        """Copying at W, of which half is read."""
        return self._takes(2 * n_bytes / self.W)

    def width(self, format: str) -> float:
        """Bytes of one number."""
        return WIDTHS[format]

    def _multiplied(self, format: str, weights: int, vectors: int) -> float:
        reading, computing = self.reached.get(format, (1.0, 1.0))
        read = weights * WIDTHS[format] / (reading * self.W)
        return self.t_product + max(read, 2 * weights * vectors / (computing * self.F))

    def products(self, format: str, rows: int, columns: int, copies: int) -> Callable[[int], Action]:
        """The longer of reading and arithmetic, after a fixed time."""
        return lambda vectors: self._takes(self._multiplied(format, rows * columns, vectors))

    def synthetic(self, shape: Shape, format: str, name: str) -> Subject:
        """A decoder that is nothing but its sizes."""
        return Subject(name, shape.config, format, format, shape.n_blocks, 7 * shape.n_blocks + 1, shape)

    def loaded(self, path: str) -> Subject:
        """No file is read."""
        raise NotImplementedError

    def step(self, subject: Subject, batch: int, context: int) -> Action:
        """Every product by itself, then attention, counted here and not by a formula."""
        s: Any = subject.decoder
        queries, keys = s.n_heads * s.d_head, s.n_kv_heads * s.d_head
        of_a_block = [s.d_model * queries] * 2 + [s.d_model * keys] * 2 + [s.d_model * s.d_ff] * 3
        products = of_a_block * s.n_blocks + [s.d_model * s.n_vocab]
        seconds = sum(self._multiplied(subject.format, weights, batch) for weights in products)
        cached = batch * context * s.n_blocks * 2 * keys * 4
        return self._takes(self.t_step + s.n_blocks * self.t_block + seconds + cached / self.W_cache)
