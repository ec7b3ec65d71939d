"""Measured figures of a run, each with the work that was done in its time

A program divides tokens by seconds, or seconds by tokens. To hold its figure against a bound, the seconds are taken
back out of it, with what a machine had to read and to compute in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

RATE, REQUESTS, MILLISECONDS, SECONDS = "token/s", "sequence/s", "ms", "s"
ONE = Fraction(1)
NONE = Fraction(0)


class Given(NamedTuple):
    """Options that go before what a file of results says, or add to it; None where one is not given.

    Attributes:
        model: a preset's name, a config.json or a GGUF file.
        hardware: a preset's name or a .toml file.
        dtype: number format of the arithmetic.
        weights: number format of the stored weights.
        cache: number format of the KV cache.
        devices: number of these devices that shared the work.
        prompt: tokens of each prompt, for programs that leave it out.
        output: tokens of each answer, for programs that leave it out.
        batch: sequences in one batch, for programs that leave it out.
    """

    model: Any = None
    hardware: Any = None
    dtype: str | None = None
    weights: str | None = None
    cache: str | None = None
    devices: object = None
    prompt: object = None
    output: object = None
    batch: object = None


NOTHING = Given()


@dataclass(frozen=True)
class Stage:
    """Work of which a machine may overlap all parts, and does no part twice.

    Attributes:
        passes: how often the weights that a token is multiplied with are read, at least.
        prompts: prompts that are computed.
        length: tokens of each of them.
        depth: tokens that are in the cache before them.
        tokens: tokens that are decoded, the first one of an answer aside.
        reads: how often the cache of one sequence is read, at least; as many times as `tokens` unless a step gives
            several.
        contexts: tokens that the first and the last of these reads meet; the others lie evenly between.
        unequal: whether `contexts` are means of sequences whose lengths differ.
        alone: whether one sequence goes through it alone, so that stages of a pipeline work one after the other.
    """

    passes: Fraction = NONE
    prompts: Fraction = NONE
    length: int = 1
    depth: int = 0
    tokens: Fraction = NONE
    reads: Fraction = NONE
    contexts: tuple[int, int] = (1, 1)
    unequal: bool = False
    alone: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure that a program measured.

    Attributes:
        name: as the program calls it.
        meaning: what it is, in words.
        unit: "token/s", "sequence/s", "ms" or "s".
        value: in this unit; None where the file has no number for it.
        seconds: how long the work took by this figure; None where that does not follow from it.
        stages: the work, in stages that follow one another.
        cached: whether prompts may have been taken from a cache of prefixes, so that nobody computed them.
        drafted: whether a step may have given a sequence several tokens, and the file does not say.
        reason: why it is not judged; "" where it is.
    """

    name: str
    meaning: str
    unit: str
    value: Fraction | None = None
    seconds: Fraction | None = None
    stages: tuple[Stage, ...] = ()
    cached: bool = False
    drafted: bool = False
    reason: str = ""

    @property
    def rate(self) -> bool:
        """Whether more is faster."""
        return self.unit in (RATE, REQUESTS)


@dataclass(frozen=True)
class Run:
    """A run of a program, with what its file says of model and machine.

    Attributes:
        program: its name.
        model: what the file calls the model; "" where it does not say.
        hardware: what the file calls the machine; "" where it does not say.
        figures: what was measured.
        weights_stored: weights that the file counts; None where it does not.
        bytes_stored: bytes of these weights; None where it does not say.
        mixture: name of the mixture of number formats that the file states; "" where it states none.
        cache: number format of the KV cache; None where the file does not say.
        computes_in: number formats that the program may compute in, so that the fastest of them bounds it.
        devices: number of devices.
        layered: whether the devices hold blocks of layers each, and one sequence meets them one after the other.
        remarks: sentences on what the bound leaves out.
    """

    program: str
    model: str
    hardware: str
    figures: tuple[Figure, ...]
    weights_stored: int | None = None
    bytes_stored: int | None = None
    mixture: str = ""
    cache: str | None = None
    computes_in: tuple[str, ...] = ()
    devices: int = 1
    layered: bool = False
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Requests:
    """Requests of a run against a server, by their means.

    Attributes:
        number: how many were answered.
        prompt: tokens of a prompt.
        output: tokens of an answer, the first one included.
        equal: whether all prompts are equally long, and all answers.
        beside: length of the prompt of a decoded token, in the mean over these; None where it does not follow.
        together: how many ran at once, at most.
        per_step: tokens that a step gives a sequence, in the mean; None where the file does not say.
    """

    number: Fraction
    prompt: Fraction
    output: Fraction
    equal: bool
    together: Fraction
    beside: Fraction | None = None
    per_step: Fraction | None = None

    @property
    def new(self) -> Fraction:
        """Tokens of an answer that decoding steps give: all but the first."""
        return max(self.output - 1, NONE)

    @property
    def each(self) -> Fraction:
        """Tokens that a step gives a sequence; 1 where the file does not say."""
        return self.per_step or ONE

    def prefill(self, requests: Fraction = ONE) -> Stage:
        """The prompts of so many requests, in one pass."""
        return Stage(passes=ONE, prompts=requests, length=_whole(self.prompt))

    def decoding(self, requests: Fraction = ONE, *, of_tokens: bool = False) -> Stage:
        """The decoding steps of so many requests at once: weights are read once for all, each has its own cache.

        Args:
            requests: how many.
            of_tokens: whether the mean is one over tokens, among which long answers count more, not over requests.
        """
        # long answers may have had short prompts: the mean prompt is none of the tokens' unless all are equal
        prompt = self.prompt if self.equal or not of_tokens else self.beside
        first = 1 + (0 if prompt is None else int(prompt))
        steps = self.new / self.each
        return Stage(
            passes=steps,
            tokens=self.new * requests,
            reads=steps * requests,
            contexts=(first, first + max(int(self.new) - 1, 0)),
            unequal=not self.equal,
        )

    def all_together(self) -> Stage:
        """The whole run: prompts and answers overlap, and a step serves as many as ran at once."""
        steps = self.decoding(self.number, of_tokens=True)
        # a step gives a token to each that runs, so there are at least so many; an answer of one token has its prefill
        passes = max(self.new / self.each, ONE) * self.number / self.together
        return replace(steps, passes=passes, prompts=self.number, length=_whole(self.prompt))


def lengths(prompts: Sequence[Fraction], outputs: Sequence[Fraction]) -> tuple[bool, Fraction | None]:
    """Whether requests are all alike, and the mean length of the prompt of a decoded token; (False, None) for none."""
    if not prompts or len(prompts) != len(outputs):
        return False, None
    decoded = [max(one - 1, NONE) for one in outputs]
    number = sum(decoded)
    beside = sum((p * d for p, d in zip(prompts, decoded, strict=True)), NONE) / number if number else None
    return len({*prompts}) == len({*outputs}) == 1, beside


def _whole(tokens: Fraction) -> int:
    """Tokens rounded down to a whole number of at least one, for which less has to be read and computed."""
    return max(int(tokens), 1)
