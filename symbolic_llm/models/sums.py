"""The formulas that are a model's own: its weights, and their bytes, as a sum over its parts

Every part has a formula in the catalogue; how many of each there are, and in which format, is the model's. What comes
out is a formula like any other, with steps that can be checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

from ..algebra import Eq
from ..catalogue.named import distinct_experts, prefill_distinct_experts
from ..claims import Condition, Kind
from ..formula import Formula
from ..notation import D_weights, D_weights_all, D_weights_prompt, n_distinct, n_distinct_prompt, n_experts, named
from ..numeral import count
from ..steps import Step, add, cite, multiply, premise
from ..units import BYTE, WEIGHT
from .part import Part


@dataclass(frozen=True)
class Addend:
    """A formula in a sum, with its factors.

    Attributes:
        kind: what it counts, in words.
        formula: the formula.
        renamed: its letters that stand in the sum under another name.
        factors: what it is multiplied with, each with a reason.
        uses: the formulas that count letters of the factors.
        shares: its letters of which a device has only a part, each with that part.
        less: whether the rest is counted: the whole less what the device has.
    """

    kind: str
    formula: Formula
    renamed: Mapping[str, str]
    factors: tuple[tuple[Any, str], ...] = ()
    uses: tuple[Formula, ...] = ()
    shares: Mapping[Any, Any] = field(default_factory=dict, hash=False)
    less: bool = False

    @cached_property
    def one(self) -> Any:
        """The formula, in the letters of the sum."""
        whole = self.formula.rhs.xreplace({named(old): named(new) for old, new in self.renamed.items()})
        part = whole.xreplace(self.shares)
        return whole - part if self.less else part

    @property
    def is_cited(self) -> bool:
        """Whether it stands in the sum as in its formula."""
        return not self.renamed and self.one == self.formula.rhs

    def beyond(self, shares: Mapping[Any, Any]) -> Addend:
        """Addend for the rest: what a device with these shares does not have."""
        return replace(self, shares=shares, less=True)


def addend_of(
    part: Part,
    copies: int,
    each: Fraction | None = None,
    of_block: tuple[Any, tuple[Formula, ...]] | None = None,
    shares: Mapping[Any, Any] | None = None,
) -> Addend:
    """Addend for a part: weights of one copy and its factors, each with a reason that a page can show.

    Args:
        part: the part.
        copies: number of copies.
        each: bytes of a weight; None in a sum of weights.
        of_block: experts of one block that are read, in the place of one copy: a letter, with the formulas that count
            it; None for all other parts.
        shares: what a device has of the part's letters, where it is a device's part that is summed.
    """
    found: list[tuple[Any, str]] = []
    if copies != 1:
        number = count(copies, f"{part.kind}: of these{' in a block' if of_block else ''}")
        found.append((number, number.meaning))
    letter, counted = of_block or (None, ())
    if letter is not None:
        found.append((letter, "so many of them"))
    if each is not None:
        width = count(each, f"bytes of a weight: {part.kind}", BYTE / WEIGHT)
        found.append((width, width.meaning))
    return Addend(part.kind, part.formula, part.renamed, tuple(found), counted, shares or {})


def summed(owner: str, letter: Any, title: str, addends: Iterable[Addend]) -> Formula:
    """Formula for a letter of a decoder, or of a kind of them, as a sum of other formulas, each with its factors."""
    steps, uses = added_up(addends)
    return derived(owner, letter, title, steps, uses=uses)


def added_up(addends: Iterable[Addend]) -> tuple[list[Step], list[Formula]]:
    """The steps of a sum of other formulas, each with its factors, and the formulas."""
    addends = tuple(addends)
    first, *others = [addend for addend in addends if addend.one != 0]
    so_far = first.one
    steps: list[Step] = [cite(first.formula, first.kind) if first.is_cited else premise(so_far, first.kind)]
    for factor, reason in first.factors:
        so_far = factor * so_far
        steps.append(multiply(factor, so_far, reason))
    for addend in others:
        value = prod((factor for factor, _ in addend.factors), start=addend.one)
        so_far = so_far + value
        steps.append(add(value, so_far, addend.kind))
    counted = [formula for addend in addends for formula in addend.uses]
    return steps, [*(addend.formula for addend in addends), *counted]


def derived(
    owner: str,
    letter: Any,
    title: str,
    steps: Iterable[Step],
    *,
    uses: Iterable[Formula] = (),
    where: Iterable[Condition] = (),
    kind: Kind = Kind.IDENTITY,
    unmeasured: str = "a sum over parts; each of its parts is measured",
) -> Formula:
    """Formula of a decoder, or of a kind of them, for what its steps come to; its name is its owner's and a letter."""
    steps = tuple(steps)
    return Formula(
        f"{owner}.{letter.name}",
        title,
        claim=Eq(letter, steps[-1].result),
        kind=kind,
        where=tuple(where),
        uses=tuple(dict.fromkeys(uses)),
        steps=steps,
        unmeasured=unmeasured,
        of_parts=True,
    )


def bytes_by_part(model: str, parts: Sequence[tuple[Part, Fraction]], n_active: int) -> tuple[Formula, ...]:
    """Formulas for the bytes of weights that a decoding step reads, a prefill, and a step that uses every expert.

    Args:
        model: its name.
        parts: each with the bytes of a weight.
        n_active: experts that a token is sent to, of each block that has some.
    """
    found = []
    for letter, title, experts in (
        (D_weights, "Bytes of weights that a decoding step reads", (n_distinct, (distinct_experts,))),
        (D_weights_prompt, "Bytes of weights that a prefill reads", (n_distinct_prompt, (prefill_distinct_experts,))),
        (D_weights_all, "Bytes of weights that a step reads which uses every expert", (n_experts, ())),
    ):
        addends = [
            addend_of(part, part.multiplied // n_active, each, experts)
            if part.routed
            else addend_of(part, part.multiplied, each)
            for part, each in parts
            if part.multiplied
        ]
        if letter is not D_weights_all or any(part.routed for part, _ in parts):
            found.append(summed(model, letter, title, addends))
    return tuple(found)
