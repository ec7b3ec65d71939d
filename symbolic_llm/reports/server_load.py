"""Servers under a load: devices of one kind that prefill the prompts whose answers they decode

Prompts come in turn with decoding steps, in chunks beside them, or go to devices of their own. Nothing is computed here
but quotients; every number is what `evaluate` gives for the name that stands with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil

from ..errors import InvalidValue, option, shown
from ..expressions.arithmetic import number
from ..units import ONE, SECOND, TOKEN
from .device_questions import NO_ANSWER, Asked, Figure
from .number_search import largest

IN_TURN, MIXED, APART = "in-turn", "mixed", "apart"
WAYS = {
    IN_TURN: "Prefills take turns with decoding steps: throughput, cost and time per token count both.",
    MIXED: "Prompts are prefilled in the passes of decoding steps, at most one in a pass, further ones by themselves: "
    "throughput, cost and time per token count both.",
    APART: "Prompts are prefilled on devices of their own: throughput and cost count these devices, too.",
}
OVERLAPPING, BY_PARTS = "all overlaps (bound)", "part by part"
LAWS = {
    OVERLAPPING: "All of a pass overlaps, which is the bound of a perfect program.",
    BY_PARTS: "Matrices and attention follow each other in a pass, as in existing programs; overlap gives the bound of "
    "a perfect one.",
}
_SECONDS = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400}
_RATE = re.compile(r"\s*(\d[\d_,]{0,15}(?:\.\d{1,15})?)\s*(?:requests?|req)?\s*/\s*([a-z]{1,6})\s*", re.ASCII)


@dataclass(frozen=True)
class Load:
    """Requests of one kind that arrive.

    Attributes:
        prompt: tokens of a prompt.
        output: tokens of an answer.
        rate: requests per second; None where only the ratio of their tokens counts.
        cached: first tokens of a prompt whose keys and values are there already.
    """

    prompt: int
    output: int
    rate: Fraction | None = None
    cached: int = 0

    @property
    def fresh(self) -> int:
        """Tokens of a prompt that are prefilled."""
        return self.prompt - self.cached

    @property
    def letters(self) -> dict[str, str]:
        """Tokens to prefill and to generate that arrive in a second: of one request where no rate is given."""
        rate = self.rate or 1
        return {name: _a_second(rate * of) for name, of in (("R_in", self.fresh), ("R_out", self.output))}


def read_rate(given: object) -> Fraction:
    """Requests per second, from text such as "20/s" or "1200/min", or from a number of them per second."""
    if isinstance(given, int | float | Fraction) and not isinstance(given, bool) and 0 < given < 10**12:
        return Fraction(str(given))
    said = _RATE.fullmatch(given) if isinstance(given, str) else None
    rate = Fraction(re.sub("[_,]", "", said[1])) / _SECONDS[said[2]] if said and said[2] in _SECONDS else 0
    if not rate:
        raise InvalidValue(
            f"{option('rate')} (requests that arrive) must be a number per time, as in '20/s', not {shown(given)}."
        )
    return Fraction(rate)


@dataclass(frozen=True)
class Server:
    """Devices that share a model and serve a load in one of the ways, by one of the two laws of a step.

    Attributes:
        asked: the questions about these devices.
        load: what arrives.
        way: one of `WAYS`.
        by_parts: whether matrices and attention follow each other in a pass; else all of it overlaps.
    """

    asked: Asked
    load: Load
    way: str
    by_parts: bool = False
    _steps: dict[int, Figure] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def first(self) -> Figure:
        """Time of the prefill of one prompt, as far as it is not cached."""
        if self.load.cached:
            beyond = {"n_chunk": str(self.load.fresh), "N_prompt": str(self.load.prompt)}
            return self.asked.time("prefill after what is cached", self.by_parts, **beyond, B="1")
        return self.asked.time("prefill", self.by_parts, N=str(self.load.prompt), B="1")

    @property
    def prefilled(self) -> str:
        """Prompt tokens per second of a prefill, as a value of R_prefill."""
        return _a_second(self.load.fresh / self.first.value)

    def step(self, batch: int) -> Figure:
        """Time of a decoding step at the end of all answers; asked once of each batch."""
        if batch not in self._steps:
            context = str(self.load.prompt + self.load.output)
            self._steps[batch] = self.asked.time("step", self.by_parts, N=context, B=str(batch))
        return self._steps[batch]

    def _spent(self, batch: int) -> Fraction:
        """Time of devices that a step and the prompts of its tokens take, one after the other."""
        return self.step(batch).value + batch * self.first.value / self.load.output

    def _decoding(self, batch: int) -> str:
        """Tokens per second of decoding steps alone, as a value of R."""
        return _a_second(batch / self.step(batch).value)

    def between(self, batch: int) -> Figure:
        """Time from one token of an answer to the next, on average."""
        if self.way == APART:
            return self.step(batch)
        if self.way == MIXED:
            return self._mixed(batch)
        letters = {**self.load.letters, "R_prefill": self.prefilled, "B": str(batch)}
        letters["T_step"] = f"{number(self.step(batch).value)} s"
        return Figure(self.time(batch), SECOND, "time_between_tokens", letters)

    def time(self, batch: int) -> Fraction:
        """The exact value of `between`, for searches."""
        return self._spent(batch) if self.way == IN_TURN else self.between(batch).value

    def longest(self, batch: int) -> str:
        """Longest part of the time between tokens: "prompts", "reading" or "arithmetic"; "" if nobody can tell."""
        context = str(self.load.prompt + self.load.output)
        prompts = self.time(batch) - self.step(batch).value
        if prompts > self.step(batch).value:
            return "prompts"
        return self.asked.longer(self.by_parts, N=context, B=str(batch))

    def _mixed(self, batch: int) -> Figure:
        """Time of a step beside which as many prompt tokens are prefilled as arrive with its tokens.

        They belong to a prompt of which half is prefilled, on average, of what is not cached. The tokens of further
        prompts are prefilled by themselves.
        """
        tokens = ceil(Fraction(batch * self.load.fresh, self.load.output))
        chunk = min(tokens, self.load.fresh)
        letters = {"N": self.load.prompt + self.load.output, "B": batch, "n_chunk": chunk}
        reached = self.load.cached + ceil(Fraction(self.load.fresh + chunk, 2))
        letters["N_prompt"] = max(1, min(self.load.prompt, reached))
        step = self.asked.time("mixed step", self.by_parts, **{letter: str(value) for letter, value in letters.items()})
        if tokens == chunk:
            return step
        alone = self.first.value * Fraction(tokens - chunk, self.load.fresh)
        return Figure(step.value + alone, SECOND, "", {})

    def batch(self, most: int, target: Fraction | None) -> int:
        """The largest batch of at most `most` sequences whose tokens come within a target; 0 where none does."""
        if target is None or (most and self.time(most) <= target):
            return most
        return largest(lambda batch: self.time(batch) <= target, most)

    def throughput(self, batch: int) -> Figure:
        """Tokens per second that are generated, where the devices' time goes to prompts, too."""
        if self.way == MIXED:
            return Figure(batch / self.time(batch), TOKEN / SECOND, "", {})
        letters = {**self.load.letters, "R_prefill": self.prefilled, "R": self._decoding(batch)}
        return Figure(batch / self._spent(batch), TOKEN / SECOND, "served_throughput", letters)

    def servers(self, batch: int) -> tuple[int, Figure, Figure] | None:
        """Fewest servers that keep up with the rate, each with such a batch, and how many of them are busy.

        None without a rate. Third is their utilisation, which is below 1, as `stable_load` wants.
        """
        if self.load.rate is None:
            return None
        busy = self.load.rate * self.load.output / self.throughput(batch).value
        least, name, letters = int(busy) + 1, "", dict(self.load.letters)
        if self.way != MIXED:
            name, letters = "devices_apart", letters | {"R_prefill": self.prefilled, "R": self._decoding(batch)}
        return least, Figure(busy, ONE, name, letters), Figure(busy / least, ONE, "", {})


def compared(asked: Asked, load: Load, most: int, target: Fraction | None) -> Iterator[tuple[str, ...]]:
    """Cells of a table of ways to serve by laws of a step: batch, time per token, tokens per second and device."""
    for way in WAYS:
        for by_parts in (False, True):
            server = Server(asked, load, way, by_parts)
            cells: tuple[str, ...] = ("–", "–", "–")
            try:
                if batch := server.batch(most, target):
                    rate = server.throughput(batch)
                    each = Figure(rate.value / asked.tensor, rate.unit, "", {})
                    cells = (f"{batch:,}", str(server.between(batch)), str(each))
            except NO_ANSWER:
                pass
            yield (way, BY_PARTS if by_parts else OVERLAPPING, *cells)


def _a_second(tokens: Fraction | int) -> str:
    return f"{number(Fraction(tokens))} token/s"
