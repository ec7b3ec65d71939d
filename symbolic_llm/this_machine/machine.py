"""Figures of a computer: what it reads at each size, copies and computes, and how far they can be believed"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..api import compile
from ..reports.rows import aligned, told
from ..units import BYTE, FLOP, SECOND, humanize
from .computer import Action, Computer, Noise
from .engine_figures import ATTENTION, FIXED, PLAIN, Measured, measure_engine
from .sampling import CLAIM, FULL, QUICK, Progress, Taken, timed

FORMATS = (PLAIN, "fp16", "q8_0", "q4_0")
_SMALLEST, _LARGEST, _PAGE = 2**14, 2**30, 2**12  # bytes: of a first cache, more than the last ones have, a page
_SPIN = 0.5  # seconds
_LOUD = 0.05  # share of the time, beyond which noise is said to be in the way
RATE = BYTE / SECOND
REFUSED = "refused: too noisy"
_COPY = "copy"
TIMING = ("best", "median", "spread", "runs", "confirmed")  # of what was timed, in data


@dataclass(frozen=True)
class Reading:
    """Bandwidth at one size.

    Attributes:
        n_bytes: the size.
        threads: how many read, each its share.
        moved: bytes that were read in the times.
        taken: the times.
    """

    n_bytes: int
    threads: int
    moved: int
    taken: Taken

    @property
    def best(self) -> float:
        """Bytes a second, at best."""
        return self.moved / self.taken.best


@dataclass(frozen=True)
class Figures:
    """All that was measured of a computer.

    Attributes:
        title: its processor and threads.
        system: its operating system and libraries.
        memory: its bytes of memory.
        noise: what disturbed it before anything was measured.
        readings: bandwidth by size and threads, ascending.
        copy: bytes that were copied, and the times.
        measured: what the engine reaches.
        widths: bytes of a number, by format.
    """

    title: str
    system: str
    memory: int
    noise: Noise
    readings: tuple[Reading, ...]
    copy: tuple[int, Taken]
    measured: Measured
    widths: Mapping[str, float]

    @property
    def farthest(self) -> Reading:
        """Reading of the largest size by all threads, beyond the caches: the bandwidth of memory."""
        return self.readings[-1]

    @property
    def bandwidth(self) -> float:
        """Bytes a second that are read from memory: W."""
        return self.farthest.best

    @property
    def peak(self) -> float:
        """Operations a second of products with weights that need no unpacking: F."""
        return self.measured.engine.paths[PLAIN].peak

    @property
    def refused(self) -> tuple[str, ...]:
        """Figures whose rounds differ by more than they claim."""
        copied = () if self.copy[1].confirmed else ("copying",)
        read = () if self.farthest.taken.confirmed else ("bandwidth",)
        return (*read, *copied, *self.measured.refused)

    @property
    def is_usable(self) -> bool:
        """Whether bandwidth and arithmetic, which a hardware file needs, can be believed."""
        return not {"bandwidth", PLAIN} & set(self.refused)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on noise, on a last cache that was not left behind, and on figures that are refused."""
        said = list(noise_remarks(self.noise))
        before, last = self.readings[-2:]
        if last.best < (1 - CLAIM) * before.best:
            sizes = f"from {_size(before.n_bytes)} to {_size(last.n_bytes)}"
            said.append(f"Bandwidth still falls {sizes}, so caches may have a part in W.")
        if self.refused:
            said.append(
                f"Refused: {', '.join(self.refused)}. Two rounds differ, or other programs had the processor, "
                f"by more than {CLAIM:.0%}; try again when the machine is idle."
            )
        return tuple(said)

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        engine = self.measured.engine
        yield from (self.title, f"{self.system}, {humanize(self.memory, BYTE, 3)} of memory")
        yield from self.remarks
        yield from ("", *aligned(list(self._by_size()), (0, 5)), "")
        rows: list[tuple[str, ...]] = [
            ("W", humanize(self.bandwidth, RATE, 3), "from memory", self._verdict("bandwidth")),
            ("F", humanize(self.peak, FLOP / SECOND, 3), f"with weights in {PLAIN}", self._verdict(PLAIN)),
        ]
        yield from aligned(rows, (0, 2, 3))
        yield from ("", "the engine's products, after a fixed time of each; crossover in sequences", "")
        rows = [("weights in", "reads", "of W", "computes", "fixed", "crossover", "")]
        for format, path in engine.paths.items():
            share, meet = f"{path.bandwidth / self.bandwidth:.0%}", self.crossover(format)
            times = humanize(path.bandwidth, RATE, 3), share, humanize(path.peak, FLOP / SECOND, 3)
            rows.append((format, *times, humanize(path.product, SECOND, 3), f"{meet:.3g}", self._verdict(format)))
        yield from (*aligned(rows, (0, 6)), "")
        rows = [
            (ATTENTION, humanize(engine.attention, RATE, 3), "of the cache", self._verdict(ATTENTION)),
            ("a step", humanize(engine.step, SECOND, 3), "whatever it does", self._verdict(FIXED)),
            ("a block", humanize(engine.block, SECOND, 3), "whatever it does", self._verdict(FIXED)),
        ]
        yield from aligned(rows, (0, 2, 3))

    def _by_size(self) -> Iterator[tuple[str, ...]]:
        """Rows of bandwidth by size: of one thread at best, then of all, and of a copy."""
        all_threads = f"{self.farthest.threads} threads"
        yield "reading", "1 thread", all_threads if self.farthest.threads > 1 else "", "median", "spread", ""
        alone = {one.n_bytes: humanize(one.best, RATE, 3) for one in self.readings if one.threads == 1}
        for one in self.readings:
            if one.threads == self.farthest.threads:
                best, *others = _rate(one.moved, one.taken)
                yield _size(one.n_bytes), alone[one.n_bytes], best if one.threads > 1 else "", *others
        best, *others = _rate(2 * self.copy[0], self.copy[1])
        yield "copy, both ways", *(("", best) if self.farthest.threads > 1 else (best, "")), *others

    def _verdict(self, what: str) -> str:
        return REFUSED if what in self.refused else ""

    def crossover(self, format: str) -> float:
        """Sequences from which the engine's arithmetic takes longer than reading weights in this format."""
        path = self.measured.engine.paths[format]
        return float(compile("batch_crossover")(n_bytes=self.widths[format], F=path.peak, W=path.bandwidth))

    def data(self) -> dict[str, Any]:
        """Dictionary of all figures, for JSON."""
        engine = self.measured.engine
        return {
            **told(self, "title", "system", "memory"),
            "threads": engine.threads,
            "noise": asdict(self.noise),
            **told(self, "bandwidth", "peak"),
            "readings": [
                {"bytes": one.n_bytes, "threads": one.threads, **_rate_data(one.moved, one.taken)}
                for one in self.readings
            ],
            "copy": {"bytes": self.copy[0], **_rate_data(2 * self.copy[0], self.copy[1])},
            "engine": {
                **told(engine, "step", "block", "attention"),
                "formats": {
                    format: {**asdict(path), "crossover": self.crossover(format)}
                    for format, path in engine.paths.items()
                },
            },
            "times": {what: told(one, *TIMING) for what, one in self.measured.times.items()},
            **told(self, "refused"),
        }


def measure_machine(
    computer: Computer,
    formats: Iterable[str] = FORMATS,
    *,
    quick: bool = False,
    progress: Progress = lambda line: None,
) -> Figures:
    """Figures of a computer, in less than a minute.

    Args:
        computer: what is measured.
        formats: number formats of weights.
        quick: shorter, and so noisier.
        progress: is told what is being done.
    """
    pace, began = QUICK if quick else FULL, computer.now()
    progress("noise")
    noise = computer.noise(_SPIN)
    # a quarter of what is free: the engine needs some, too
    sizes = _sizes(max(_SMALLEST, min(_LARGEST, computer.free // 4)), 16 if quick else 4)
    threads = sorted({1, computer.threads})
    moved: dict[str, tuple[int, int, int]] = {}
    actions: dict[str, Action] = {}
    for n_bytes in reversed(sizes):  # the largest makes room for the others
        for number in threads:
            said = _reads(n_bytes, number)
            actions[said], passes = computer.reading(n_bytes, number)
            moved[said] = (number, n_bytes, passes)
    actions[_COPY] = computer.copying(sizes[-1] // 2)
    times = timed(computer, actions, pace, progress, began)
    readings = [Reading(n, number, passes, times[said]) for said, (number, n, passes) in moved.items()]
    readings.sort(key=lambda one: (one.threads, one.n_bytes))
    measured = measure_engine(computer, formats, sizes[-1] // 4, pace, progress, began)
    widths = {format: computer.width(format) for format in measured.engine.paths}
    copied = (sizes[-1] // 2, times[_COPY])
    return Figures(computer.title, computer.system, computer.memory, noise, tuple(readings), copied, measured, widths)


def _sizes(most: int, step: int) -> list[int]:
    """Sizes up to `most`, a quarter of it among them, and from there down to a first cache's in such steps."""
    sizes = [most // 4 // _PAGE * _PAGE, most // _PAGE * _PAGE]
    while sizes[0] // step >= _SMALLEST:
        sizes.insert(0, sizes[0] // step // _PAGE * _PAGE)
    return sizes


def _reads(n_bytes: int, threads: int) -> str:
    return f"reading {_size(n_bytes)}, {threads} thread{'' if threads == 1 else 's'}"


def _size(n_bytes: int) -> str:
    power = next(power for power in (3, 2, 1) if n_bytes >= 2 ** (10 * power))
    return f"{n_bytes / 2 ** (10 * power):.4g} {' KMG'[power]}iB"


def _rate(amount: int, taken: Taken) -> tuple[str, str, str, str]:
    found = _rate_data(amount, taken)
    verdict = "" if taken.confirmed else REFUSED
    return humanize(found["best"], RATE, 3), humanize(found["median"], RATE, 3), f"{taken.spread:.0%}", verdict


def _rate_data(amount: int, taken: Taken) -> dict[str, Any]:
    return {**told(taken, *TIMING), "best": amount / taken.best, "median": amount / taken.median}


def noise_remarks(noise: Noise) -> Iterator[str]:
    """Sentences on what takes time from a program on this computer."""
    for share, what in (
        (noise.lost, "a thread that spins loses {:.0%} of its time"),
        (noise.stolen, "the host gives {:.0%} of the processors to others"),
        (noise.others, "other programs use {:.0%} of the processors"),
    ):
        if share is not None and share > _LOUD:
            yield f"Noise: {what.format(share)}."
