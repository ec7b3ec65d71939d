"""Questions about devices of one kind that share a model"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .. import presets
from ..answers.explanation import explain_formula
from ..answers.reading import read_value
from ..api import find
from ..errors import ConditionViolated, Underdetermined
from ..expressions.exact import number
from ..models import Model
from ..models.choices import mismatch, standing_for
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
        formula = standing_for(find(name), self.model.traits)
        if reason := mismatch(formula, self.model.name, self.model.traits):
            raise ConditionViolated(reason)
        return figure(formula.name, letters, self.named)

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

    def together(self) -> dict[str, str]:
        """What all devices hold together, copies of keys and values included; nothing where there is one."""
        if self.tensor == 1:
            return {}
        each = {"n_tensor": str(self.tensor)}
        cache = self.of("cache_bytes_per_device", **each).value * self.tensor
        copied = self.of("weights_per_device", **each).value * self.tensor - self.model.multiplied_parameters
        letters = {"M": f"{number(self.tensor * self._given('M'))}", "m_token": f"{number(cache)}"}
        return letters | ({"P_total": f"{number(self.model.parameters + copied)}"} if copied else {})

    def _given(self, letter: str) -> Fraction:
        found, hints = self.named.letters
        if letter not in found:
            raise Underdetermined(f"{hints.get(letter, f'nothing gives {letter} a value')}.")
        return read_value(LETTERS[named(letter)], found[letter].figure.value)


def figure(name: str, letters: Mapping[str, str], named: presets.Presets) -> Figure:
    """The number that a formula comes to for letters and presets."""
    found = explain_formula(find(name), letters, named)
    return Figure(Fraction(found.exact), found.unit, name, letters)
