"""Questions about devices of one kind that share a model"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from .. import presets
from ..answers.explanation import explain_formula
from ..api import formula_of
from ..errors import ConditionViolated, NoSolution, Overdetermined, SymbolicLLMError, Underdetermined
from ..expressions.arithmetic import number
from ..units import Unit, humanize
from .number_search import largest

NO_ANSWER = (ConditionViolated, NoSolution, Underdetermined, Overdetermined)
# Of a pass what gives its time on one device and on several, where all overlaps; then the same part by part
TIMES = {
    "step": (
        ("latency_with_cache", "tensor_parallel_latency"),
        ("separate_latency", "separate_tensor_parallel_latency"),
    ),
    "prefill": (
        ("prefill_time_with_attention", "tensor_parallel_prefill_time"),
        ("separate_prefill_time", "separate_tensor_parallel_prefill_time"),
    ),
    "prefill after what is cached": (("T_chunk", "T_chunk_device"), ("T_chunk_parts", "T_chunk_parts_device")),
    "mixed step": (("T_mixed", "T_mixed_device"), ("T_mixed_parts", "T_mixed_parts_device")),
}
_LIMITS = (("memory", ""), ("target", "reading"), ("target", "arithmetic"))  # the cases of batch_limits, in order


@dataclass(frozen=True)
class Figure:
    """A number of a plan, with the formula and the letters to ask for it.

    Attributes:
        value: exact.
        unit: of the value.
        formula: the name with which `evaluate` gives it.
        letters: what it was given beside the presets.
    """

    value: Fraction
    unit: Unit
    formula: str
    letters: Mapping[str, str]

    def __str__(self) -> str:
        return humanize(self.value, self.unit)


@dataclass(frozen=True)
class Asked:
    """The questions about devices of one kind, of which some share the model."""

    hardware: str
    named: presets.Presets
    tensor: int

    def of(self, name: str, **letters: str) -> Figure:
        """Figure that a formula gives for these devices; one of the errors of `explain` where it gives none."""
        return figure(name, letters, self.named)

    def time(self, what: str, by_parts: bool = False, /, **letters: str) -> Figure:
        """The time of a pass of `TIMES`, where all overlaps or part by part."""
        alone, shared = TIMES[what][by_parts]
        return self.of(alone, **letters) if self.tensor == 1 else self.of(shared, n_tensor=str(self.tensor), **letters)

    def batch(self, context: str, fits: Figure, target: Fraction | None) -> tuple[Figure, str, str]:
        """The largest batch of those that fit whose step meets a target, what limits it and by what; 0 where none does.

        Where no formula gives it, for models with experts and for several devices, it is found by search: each
        sequence makes a step longer, until with one sequence more it would take too long.
        """
        if target is None:
            return replace(fits, formula="", letters={}), "memory", ""
        if self.tensor == 1:
            letters = {"N": context, "T_target": f"{number(target)} s"}
            with suppress(*NO_ANSWER):
                case = int(self.of("batch_limits", **letters).value)
                return self.of("largest_batch", **letters), *_LIMITS[case - 1]
        most = int(fits.value)
        found = largest(lambda batch: self.time("step", N=context, B=str(batch)).value <= target, most)
        batch, limited = Figure(Fraction(found), fits.unit, "", {}), found < most
        by = self.longer(N=context, B=str(found + 1)) if limited else ""
        return batch, "target" if limited else "memory", by

    def longer(self, by_parts: bool = False, /, **letters: str) -> str:
        """Longer of both in a decoding step, "reading" or "arithmetic"; "" for several devices.

        Of a step part by part it is "arithmetic and reading" where matrices wait for the one, attention for the other.
        """
        if self.tensor > 1:
            return ""
        step = self.time("step", by_parts, **letters).value
        if step == self.of("memory_time_with_cache", **letters).value:
            return "reading"
        alone = not by_parts or step == self.of("compute_time_with_attention", **letters).value
        return "arithmetic" if alone else "arithmetic and reading"

    def fits(self, **letters: str) -> Figure:
        """Number of sequences that fit on the devices beside the weights."""
        if self.tensor == 1:
            return self.of("sequences_that_fit", **letters)
        return self.of("sequences_on_devices", n_tensor=str(self.tensor), n_stages="1", **letters)


def figure(name: str, letters: Mapping[str, str], named: presets.Presets) -> Figure:
    """Figure that a formula, or the model's own for a letter, gives for letters and presets."""
    found = explain_formula(formula_of(name, named.model), letters, named)
    return Figure(Fraction(found.exact), found.unit, name, letters)


def why_not(refusal: SymbolicLLMError) -> str:
    """Reason that a refusal gives, without its numbers, for a place that shows them anyway."""
    _, _, why = str(refusal).partition("does not apply, because ")  # of this formula, or of one that it builds on
    said = why or str(refusal)
    values = isinstance(refusal, ConditionViolated) and ": " in said  # after what is wrong, the values that are
    return said.rpartition(": ")[0] if values else said.removesuffix(".")
