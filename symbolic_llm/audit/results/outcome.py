"""Verdicts on measured figures: impossible, near the bound, or below it, and which side binds"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ...errors import listed
from ...units import BYTE, SECOND, humanize, parse_unit, significant
from ..verdict import Meant
from .figure import NONE, Figure
from .limits import Limits, Times

NEAR = Fraction(9, 10)  # of the bound: kernels measured by themselves reach about so much of a data sheet
_ON_CHIP = 256 * 10**6  # bytes: no device here has a larger cache on its chip


class Reached(Meant):
    """Verdict on a measured figure."""

    IMPOSSIBLE = "impossible", "it is faster than the machine can read or compute what it takes"
    NEAR = "near the bound", "it reaches nine tenths of the bound or more"
    BELOW = "below the bound", "it reaches less than nine tenths of the bound"
    OPEN = "not judged", "no bound on it follows from what the file says"


class Term(Enum):
    """Term of the formulas that a figure can break."""

    WEIGHTS = "weights read"
    CACHE = "KV cache read"
    ARITHMETIC = "arithmetic"


@dataclass(frozen=True)
class Outcome:
    """Result of holding a figure against its bound.

    Attributes:
        figure: the figure.
        verdict: what follows.
        bound: in the figure's unit, the most that a rate or the least that a time can be; None where it is not judged.
        share: which part of the bound it reaches; above 1 where it is impossible.
        times: least times of what it takes; None where it is not judged.
        broken: terms that take longer than the figure leaves, the longest first.
        memory_binds: whether reading takes longer than arithmetic.
        unless: what would make a figure above the bound possible, in words.
        reason: why it is not judged.
    """

    figure: Figure
    verdict: Reached
    bound: Fraction | None = None
    share: Fraction | None = None
    times: Times | None = None
    broken: tuple[Term, ...] = ()
    memory_binds: bool = True
    unless: tuple[str, ...] = ()
    reason: str = ""

    @property
    def value(self) -> str:
        """The measured figure as a person would write it; "" where the file has none."""
        return "" if self.figure.value is None else _shown(self.figure.value, self.figure.unit)

    @property
    def sentence(self) -> str:
        """The verdict with the figures it follows from."""
        if self.bound is None or self.share is None or self.times is None or self.figure.seconds is None:
            return self.reason
        limit = f"{'at most' if self.figure.rate else 'at least'} {_shown(self.bound, self.figure.unit)}"
        took = _time(self.figure.seconds)
        if self.verdict is not Reached.IMPOSSIBLE:
            binds = "memory" if self.memory_binds else "arithmetic"
            share = significant(100 * self.share, 3)
            return f"{share} % of the bound, {limit}; {binds} binds: {_parts(self.times)}, in {took}"
        terms = [f"{term.value} ({_said(term, self.times)})" for term in self.broken]
        why = f"broken by {listed(terms)}" if terms else f"{_parts(self.times)}, one after the other"
        unless = f"; unless {', or '.join(self.unless)}" if self.unless else ""
        return f"{limit}; {why}: the figure leaves {took}{unless}"


def _said(term: Term, times: Times) -> str:
    """Time that a term takes; of the cache with the weights, which are read too."""
    if term is Term.ARITHMETIC:
        return _time(times.arithmetic)
    if term is Term.CACHE:
        return f"{_time(times.memory)}, with the weights"
    return _time(times.weights or NONE)


def _parts(times: Times) -> str:
    """The least times of all parts."""
    named = {"weights": times.weights, "cache": times.cache, "arithmetic": times.arithmetic}
    return listed(f"{name} {_time(time)}" for name, time in named.items() if time)


def judge(figure: Figure, limits: Limits, devices: int = 1, *, layered: bool = False) -> Outcome:
    """Hold a figure against the least times of its work.

    Args:
        figure: the figure.
        limits: of model and machine.
        devices: how many share the work.
        layered: whether they hold layers each, so that a sequence alone meets them one after the other.
    """
    if figure.value is None or figure.seconds is None:
        return Outcome(figure, Reached.OPEN, reason=figure.reason)
    stages = [limits.of_stage(one, 1 if layered and one.alone else devices) for one in figure.stages]
    whole, least = _together(stages), sum((one.least for one in stages), NONE)
    if not least:
        return Outcome(figure, Reached.OPEN, reason="neither bandwidth nor peak of the machine is known")
    share = least / figure.seconds
    bound = figure.value * (1 / share if figure.rate else share)
    verdict = Reached.IMPOSSIBLE if share > 1 else Reached.NEAR if share >= NEAR else Reached.BELOW
    # of stages that follow one another, the side binds on which more of the time is spent
    memory = sum((one.least for one in stages if one.memory >= one.arithmetic), NONE)
    impossible = verdict is Reached.IMPOSSIBLE
    return Outcome(
        figure,
        verdict,
        bound,
        share,
        whole,
        tuple(_broken(whole, figure.seconds)) if impossible else (),
        2 * memory >= least,
        tuple(_excuses(figure, stages, limits)) if impossible else (),
    )


def _together(stages: list[Times]) -> Times:
    """Times of several stages added up; None where one of them is not known."""

    def added(times: list[Fraction | None]) -> Fraction | None:
        return None if None in times else sum((one for one in times if one is not None), NONE)

    kinds = ("weights", "cache", "prompts", "answers")
    return Times(**{kind: added([getattr(one, kind) for one in stages]) for kind in kinds})


def _broken(times: Times, seconds: Fraction) -> Iterator[Term]:
    """Terms that take longer than a figure leaves, the longest first: of reading, the first that does not fit."""
    found = []
    if (times.weights or NONE) > seconds:
        found.append((times.weights or NONE, Term.WEIGHTS))
    elif times.memory > seconds:
        found.append((times.memory, Term.CACHE))
    if times.arithmetic > seconds:
        found.append((times.arithmetic, Term.ARITHMETIC))
    yield from (term for _, term in sorted(found, key=lambda one: -one[0]))


def _excuses(figure: Figure, stages: list[Times], limits: Limits) -> Iterator[str]:
    """Circumstances that a file does not state and that make a figure above the bound possible, each by itself."""
    seconds = figure.seconds or NONE
    # drafted tokens save reading and no arithmetic: each that is kept was computed
    without_prompts = sum((max(one.memory, one.answers or NONE) for one in stages), NONE)
    without_reading = sum((one.arithmetic for one in stages), NONE)
    if figure.cached and without_prompts <= seconds:
        yield "the prompts were in a prefix cache, as those of a second run are"
    if figure.drafted and without_reading <= seconds:
        yield "a step gave several tokens (speculative decoding)"
    surely = sum(
        (max(one.memory - (1 - limits.surely_read) * (one.weights or NONE), one.arithmetic) for one in stages), NONE
    )
    if surely <= seconds:
        yield "the weights that are not read have more bytes than the mean of the file"
    read = limits.read_bytes
    if read is not None and read <= _ON_CHIP and without_reading <= seconds:
        yield f"the weights, {humanize(read, BYTE, 3)} of them, stayed in a cache on the chip"


def _time(seconds: Fraction) -> str:
    return humanize(seconds, SECOND, 3)


def _shown(value: Fraction, unit: str) -> str:
    """A value in a figure's unit as a person would write it."""
    said = parse_unit(unit)
    return humanize(value * said.scale, said.dimension, 4)
