"""Layers of a decoder that can lie in a second memory, as sums over its parts

Of a decoder with experts these are the experts of each block that a router picks from, and all else stays: a step reads
few of them. Of any other they are the matrices that every block has; where blocks have attention of several kinds, that
are all but attention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..catalogue.named import distinct_experts
from ..formula import Formula
from ..notation import D_layer, M_layer, P_layer, n_active, n_blocks, n_bytes, n_distinct, n_experts, n_moe, n_movable
from ..numeral import count
from ..steps import premise
from ..units import BYTE, WEIGHT
from .part import Part
from .sums import Addend, derived, summed

# The letters that these sums have values for
OF_LAYERS = frozenset({M_layer, D_layer, P_layer, n_movable})
_WHOLE = frozenset({"embedding", "output", "positions", "router"})  # what stays, as it is of no block, or small


@dataclass(frozen=True)
class Layer:
    """Some weights of a layer that can lie in the second memory.

    Attributes:
        kind: the kind of part.
        formula: what counts one copy.
        renamed: letters of the formula that are the decoder's under another name.
        copies: number of copies of a layer; experts have as many as there are, are read or are active.
        each: bytes of a weight, where they are not a letter.
    """

    kind: str
    formula: Formula
    renamed: Mapping[str, str] = field(default_factory=dict)
    copies: int = 1
    each: Fraction | None = None

    def addend(self, experts: Any, *, in_bytes: bool) -> Addend:
        """Addend for the weights of one layer, or their bytes; `experts` is None, or how many of them are meant."""
        factors: list[tuple[Any, str]] = []
        if self.copies != 1:
            factors.append((count(self.copies, f"{self.kind}: of these in a layer"), "so many of them"))
        if experts is not None:
            factors.append((experts, "so many of them"))
        if in_bytes:
            width = n_bytes if self.each is None else count(self.each, f"bytes of a weight: {self.kind}", BYTE / WEIGHT)
            factors.append((width, "bytes of each weight"))
        uses = (distinct_experts,) if experts == n_distinct else ()
        return Addend(self.kind, self.formula, self.renamed, tuple(factors), uses)


def layers(parts: Iterable[Part], letters: Mapping[str, int], widths: Mapping[str, Fraction]) -> Iterator[Layer]:
    """Parts of a layer of a model that can lie in the second memory; none where some format is not known.

    Args:
        parts: of the model.
        letters: its shapes.
        widths: places of parts with the bytes of a weight, where a file has several formats; else none.
    """
    routed, number = "n_experts" in letters, letters["n_blocks"]
    for part in parts:
        each = widths.get(part.place)
        if routed and part.routed:
            yield Layer(part.kind, part.formula, part.renamed, each=each)
        of_blocks = part.kind not in _WHOLE and part.multiplied == part.stored and not part.stored % number
        if not routed and part.multiplied and of_blocks:
            yield Layer(part.kind, part.formula, part.renamed, part.stored // number, each)


def speaks_of_layers(formula: Formula) -> bool:
    """Whether a formula has letters that these sums have values for."""
    conditions = (condition.relation.free_symbols for condition in formula.conditions)
    return not OF_LAYERS.isdisjoint(formula.statement.symbols.union(*conditions))


def of_layers(owner: str, layer: Iterable[Layer], *, routed: bool) -> tuple[Formula, ...]:
    """Formulas for bytes of such a layer, bytes of it that a step reads, its weights, and the number of layers.

    Args:
        owner: name of the model.
        layer: what a layer has; without any, there are no formulas.
        routed: whether these are experts.
    """
    if not (layer := tuple(layer)):
        return ()
    found = []
    for letter, title, experts, in_bytes in (
        (M_layer, "Bytes of a layer that can lie in the second memory", n_experts, True),
        (D_layer, "Bytes of it that a decoding step reads", n_distinct, True),
        (P_layer, "Weights of it that a token is multiplied with", n_active, False),
    ):
        addends = [one.addend(experts if routed else None, in_bytes=in_bytes) for one in layer]
        found.append(summed(owner, letter, title, addends))
    blocks = premise(n_moe, "blocks with experts") if routed else premise(n_blocks, "all blocks")
    return (*found, derived(owner, n_movable, "Layers that can lie in the second memory", [blocks]))
