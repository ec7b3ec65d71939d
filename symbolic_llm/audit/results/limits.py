"""Times that no run of a model on a machine can fall below: weights read, caches read, arithmetic

Each is what a formula of the catalogue gives for one token, one context or one prompt, times how often it is done at
least. Devices share everything evenly, and their messages take no time. Of a mixture of experts only those of one token
are read, as if all tokens of a step chose the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from ... import presets
from ...answers.explanation import Explanation
from ...answers.memory_fit import given
from ...architecture import Trait
from ...catalogue.named import compute_time_with_attention, memory_time, memory_time_with_cache, prefill_product_flops
from ...formula import Formula
from ...models import Model
from ...notation import F, W
from ...reports.report import Report
from .figure import NONE, ONE, Stage

# Where what is kept of a context does not grow evenly with it
_CURVED = frozenset({Trait.WINDOWED, Trait.MIXED, Trait.TWOFOLD, Trait.BORROWING, Trait.PICKED, Trait.COMPRESSED})


@dataclass(frozen=True)
class Times:
    """Times in seconds that some work takes at least; None where a figure of the machine is missing.

    Attributes:
        weights: to read the weights.
        cache: to read keys, values and states.
        prompts: to compute the prompts.
        answers: to compute what is decoded.
    """

    weights: Fraction | None
    cache: Fraction | None
    prompts: Fraction | None
    answers: Fraction | None

    @property
    def memory(self) -> Fraction:
        """Time of all that is read; 0 where that is not known."""
        return (self.weights or NONE) + (self.cache or NONE)

    @property
    def arithmetic(self) -> Fraction:
        """Time of all that is computed; 0 where that is not known."""
        return (self.prompts or NONE) + (self.answers or NONE)

    @property
    def least(self) -> Fraction:
        """Time of all of it, reading and arithmetic at once."""
        return max(self.memory, self.arithmetic)


class Limits(Report):
    """The least times of a model on a machine.

    Args:
        model: the model.
        machine: the device.
        dtype: number format of the arithmetic; None where the machine has no peak for any.
        weights: number format of the weights, or the name of a mixture; None where `n_bytes` says it.
        cache: number format of the cache.
        n_bytes: bytes of a weight, in the mean over a file.
    """

    def __init__(
        self,
        model: Model,
        machine: presets.Device,
        *,
        dtype: str | None,
        weights: str | None,
        cache: str | None,
        n_bytes: Fraction | None = None,
    ) -> None:
        self.model, self.context, self.batch, self.prefill = model, 1, 1, "full"
        self.machine = machine
        self.presets = presets.Presets(model, machine, dtype, weights, cache)
        self.n_bytes = n_bytes
        self._found: dict[tuple[str, int], Fraction | None] = {}

    def of_stage(self, stage: Stage, devices: int = 1) -> Times:
        """Least times of some work that is shared evenly by so many devices."""

        def time(number: Fraction, each: Callable[[], Fraction | None]) -> Fraction | None:
            found = each() if number else NONE
            return None if found is None else number * found / devices

        return Times(
            weights=time(stage.passes, self.weights_time),
            cache=time(stage.reads, lambda: self._mean(self.cache_time, stage)),
            prompts=time(stage.prompts, lambda: self.prompt_time(stage.length, stage.depth)),
            answers=time(stage.tokens, lambda: self._mean(self.token_time, stage)),
        )

    def weights_time(self) -> Fraction | None:
        """Time to read the weights that one token is multiplied with."""
        return self._explained(memory_time, 0)

    def cache_time(self, context: int) -> Fraction | None:
        """Time to read what one sequence keeps of a context."""
        whole, weights = self._explained(memory_time_with_cache, context), self.weights_time()
        return None if whole is None or weights is None else whole - weights

    def token_time(self, context: int) -> Fraction | None:
        """Time to compute one token that attends to a context."""
        return self._explained(compute_time_with_attention, context)

    def prompt_time(self, length: int, depth: int = 0) -> Fraction | None:
        """Time to compute so many tokens of one prompt behind others: masked scores and all logits but one left out."""
        peak = given(self.presets, F)
        # both counts have logits of one token, so the difference has none: a little less than is computed
        whole, before = self._flops(depth + length), self._flops(depth) if depth else NONE
        return None if peak is None or whole is None or before is None else (whole - before) / peak

    @property
    def read_bytes(self) -> Fraction | None:
        """Bytes of the weights that a token is multiplied with."""
        time, bandwidth = self.weights_time(), given(self.presets, W)
        return None if time is None or bandwidth is None else time * bandwidth

    @property
    def surely_read(self) -> Fraction:
        """Share of the weights' time that is left if what is not read has two bytes a weight, and not the file's mean.

        The embedding is not read, and some files keep it in more bits than the rest. 1 where the formats are known.
        """
        read = self.read_bytes
        if self.n_bytes is None or read is None or Trait.EXPERTS in self.model.traits:
            return ONE
        left_out = self.model.parameters - read / self.n_bytes
        return min(ONE, max(NONE, 1 - (2 - self.n_bytes) * left_out / read))

    # How they are asked

    def _mean(self, each: Callable[[int], Fraction | None], stage: Stage) -> Fraction | None:
        """Mean of the times at the first and the last context, which is the mean of all, or less where they curve."""
        first, last = stage.contexts
        if self.model.traits & _CURVED and stage.unequal:  # a mean of lengths tells nothing then
            first = last = 1
        elif Trait.COMPRESSED in self.model.traits:  # what is kept grows in steps
            last = first
        begin, end = each(first), each(last)
        return None if begin is None or end is None else (begin + end) / 2

    def _flops(self, length: int) -> Fraction | None:
        """Operations of a prompt without masked scores, and with the logits of its last token alone."""
        return self._explained(prefill_product_flops, length)

    def _explained(self, formula: Formula, context: int) -> Fraction | None:
        """The value of a formula for one sequence, asked once for each context; None where there is none."""
        key = formula.name, context
        if key not in self._found:
            asked = {"N": Fraction(context)} if context else {}
            if context or Trait.EXPERTS in self.model.traits:  # of weights alone only experts know a batch
                asked["B"] = ONE
            if self.n_bytes is not None and formula in (memory_time, memory_time_with_cache):
                asked["n_bytes"] = self.n_bytes
            found = self.explained(formula, asked)
            self._found[key] = Fraction(found.exact) if isinstance(found, Explanation) else None
        return self._found[key]


def fastest(machine: presets.Device, formats: Iterable[str]) -> str | None:
    """Number format, of those given, in which a machine has its highest peak; None where it has none."""
    peaks = {
        name: peak
        for name in formats
        if name in machine.figures and (peak := given(presets.Presets(hardware=machine, dtype=name), F)) is not None
    }
    return max(peaks, key=lambda name: peaks[name], default=None)
