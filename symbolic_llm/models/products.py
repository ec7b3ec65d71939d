"""Matrix products of a pass, the operations that they are part of, and the pass itself

What a product computes and reads is not said here but by matrix_matrix_flops and product_bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..catalogue.named import matrix_matrix_flops, product_bytes
from .part import count

Shapes = Mapping[str, Any]  # letters by name
Width = Callable[[Shapes], Any]


@dataclass(frozen=True)
class Matrix:
    """A matrix of a part: its name in the engine's ledger, its rows (outputs) and its columns (inputs)."""

    name: str
    rows: Width
    columns: Width


def one_width(name: str) -> Width:
    """The width that a letter gives."""
    return lambda at: at[name]


def total_width(number: str, *widths: str) -> Width:
    """The width of so many heads, each as wide as the letters `widths` together."""
    return lambda at: at[number] * sum(at[width] for width in widths)


D_MODEL = one_width("d_model")
# Operations with what blocks keep, as the engine's ledger calls them
ATTENTION, INDEX = "attention.scores and mix", "attention.index.scores and sum"
WAITING, STATE = "attention.pending", "state.kept"


@dataclass(frozen=True)
class Product:
    """Product of an m × n and an n × k matrix, `copies` times: weights with tokens, keys or values with queries."""

    copies: Fraction
    m: Fraction
    n: Fraction
    k: Fraction

    @property
    def flops(self) -> Fraction:
        """Operations of all copies."""
        return self.copies * count(matrix_matrix_flops, {"m": self.m, "n": self.n, "k": self.k})

    @property
    def numbers(self) -> Fraction:
        """Numbers of the first matrix, of all copies."""
        return self.copies * count(product_bytes, {"m": self.m, "n": self.n, "n_bytes": Fraction(1)})


@dataclass(frozen=True)
class Operation:
    """An operation of a pass, in all blocks together.

    Attributes:
        name: as the engine's ledger calls it, blocks and experts taken together.
        flops: operations of its products.
        numbers: how many numbers it reads, or writes back, by the letter for the bytes of one.
        place: `Part.place` of the weights that it reads, which a file may store in a format of its own; "" without
            weights.
    """

    name: str
    flops: Fraction
    numbers: Mapping[str, Fraction]
    place: str = ""


@dataclass(frozen=True)
class Pass:
    """A pass through a model: a decoding step, or the prefill of prompts.

    A prefill is as servers do it: nothing that is masked is computed, and the last position alone gets logits.

    Attributes:
        sequences: number of sequences that go through it together.
        new: new tokens of each sequence.
        kept: tokens that a block without a window keeps of each sequence.
        distinct: experts of a block that the tokens are expected to use; 1 where there are none.
        decodes: whether it is a decoding step: there latent attention is absorbed.
    """

    sequences: Fraction
    new: Fraction
    kept: Fraction
    distinct: Fraction = Fraction(1)
    decodes: bool = True

    @property
    def tokens(self) -> Fraction:
        """New tokens of all sequences."""
        return self.sequences * self.new

    @property
    def asked(self) -> Fraction:
        """Positions of all sequences that get logits."""
        return self.tokens if self.decodes else self.sequences
