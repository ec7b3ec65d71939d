"""A part of a model: some weights, counted by a formula"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from ..expressions.exact import exact
from ..formula import Formula
from ..frozen_dict import fix
from ..notation import named


def count(formula: Formula, letters: Mapping[str, int | Fraction]) -> Fraction:
    """The value of a formula for letters given by name; those it does not have are passed over."""
    # not `evaluate`, which takes models as presets and stands on them
    return Fraction(exact(formula.rhs, {named(name): Fraction(value) for name, value in letters.items()}))


def of_width(letter: str) -> Mapping[str, str]:
    """Renaming of d_model to the letter for the length of a vector; empty where that is d_model itself."""
    return {"d_model": letter} if letter != "d_model" else {}


@dataclass(frozen=True)
class Part:
    """Some weights of a model, counted by a formula.

    Attributes:
        kind: "embedding", "attention", "index", "mlp", "experts", "router", "norms", "biases", "sinks", "activations",
            "states", "positions", "block embeddings", "streams", "learned residuals" or "output".
        formula: what counts one copy.
        letters: the letters of the formula.
        renamed: the formula's letters that are the model's under another name: an embedding's width may not be its own.
        stored: copies that the model stores.
        multiplied: copies that a token is multiplied with.
        used: copies that a token makes use of; all that are stored, but for experts.
    """

    kind: str
    formula: Formula
    letters: Mapping[str, int] = field(hash=False)
    stored: int
    multiplied: int
    used: int
    renamed: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        fix(self)

    @cached_property
    def each(self) -> int:
        """Weights of one copy."""
        return int(count(self.formula, self.letters))

    @property
    def routed(self) -> bool:
        """Whether a token is multiplied with some of its copies only: experts that a router picks from."""
        return 0 < self.multiplied < self.stored

    @property
    def place(self) -> str:
        """Name of its group of weights, which a file has in one format: its kind, or "routed experts"."""
        return "routed experts" if self.routed else self.kind

    @property
    def width(self) -> str:
        """Name of the letter for the length of its vectors."""
        return self.renamed.get("d_model", "d_model")

    def together_with(self, other: Part) -> Part:
        """The part with the copies of another one added to its own."""
        copies = (self.stored + other.stored, self.multiplied + other.multiplied, self.used + other.used)
        return replace(self, stored=copies[0], multiplied=copies[1], used=copies[2])
