"""Questions about devices of one kind that share a model"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .. import presets
from ..answers.explanation import explain_formula
from ..answers.reading import read_value
from ..api import find
from ..errors import ConditionViolated, SymbolicLLMError, Underdetermined
from ..expressions.exact import number
from ..models import Model
from ..models.choices import standing_for
from ..notation import LETTERS, named
from ..units import Unit, humanize


@dataclass(frozen=True)
class Figure:
    """One number of a plan, and how to ask for it.

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

    model: Model
    hardware: str
    named: presets.Presets
    tensor: int

    def of(self, name: str, **letters: str) -> Figure:
        """A number; one of the errors of `explain` where there is none."""
        return figure(standing_for(find(name), self.model.traits).name, letters, self.named)

    def step(self, **letters: str) -> Figure:
        """The time of a decoding step."""
        if self.tensor == 1:
            return self.of("latency_with_cache", **letters)
        return self.of("tensor_parallel_latency", n_tensor=str(self.tensor), **letters)

    def rates(self) -> dict[str, str]:
        """What all devices do together, their messages left out; nothing where there is one."""
        if self.tensor == 1:
            return {}
        return {letter: f"{number(self.tensor * self._given(letter))}" for letter in ("F", "W")}

    def fits(self, **letters: str) -> Figure:
        """How many sequences they hold."""
        if self.tensor == 1:
            return self.of("sequences_that_fit", **letters)
        return self.of("sequences_on_devices", n_tensor=str(self.tensor), n_stages="1", **letters)

    def _given(self, letter: str) -> Fraction:
        found, hints = self.named.letters
        if letter not in found:
            raise Underdetermined(f"{hints.get(letter, f'nothing gives {letter} a value')}.")
        return read_value(LETTERS[named(letter)], found[letter].figure.value)


def figure(name: str, letters: Mapping[str, str], named: presets.Presets) -> Figure:
    """The number that a formula comes to for letters and presets."""
    found = explain_formula(find(name), letters, named)
    return Figure(Fraction(found.exact), found.unit, name, letters)


def why_not(refusal: SymbolicLLMError) -> str:
    """What a refusal says, for a place that has the numbers beside it."""
    _, _, why = str(refusal).partition("does not apply, ")  # of this formula, or of one that it builds on
    said = why or str(refusal)
    values = isinstance(refusal, ConditionViolated) and ": " in said  # after what is wrong, the values that are
    return said.rpartition(": ")[0] if values else said.removesuffix(".")
