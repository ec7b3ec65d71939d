"""The formulas that are a model's own: its weights as a sum over its parts

Every part has a formula in the catalogue; how many of each there are is the model's. What comes out is a formula like
any other, with steps that can be checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Eq

from ..formula import Formula
from ..notation import named
from ..numeral import count
from ..steps import Step, add, cite, multiply
from .part import Part


def sum_of_parts(model: str, letter: Any, title: str, parts: Sequence[tuple[Part, int]]) -> Formula:
    """A formula for a letter: so many copies of each part.

    Args:
        model: its name, which the formula has before its own.
        letter: what the sum is.
        title: the formula's title.
        parts: each with its number of copies.
    """
    terms: list[Any] = []
    for part, copies in parts:
        weights = part.formula.rhs.xreplace({named(old): named(new) for old, new in part.renamed.items()})
        # the number of copies is counted, so that a page can say what it counts
        terms.append(weights if copies == 1 else count(copies, f"{part.kind}: of these") * weights)
    (first, copies), so_far = parts[0], terms[0]
    steps: list[Step] = [cite(first.formula, first.kind)]
    if copies > 1:
        steps.append(multiply(count(copies, f"{first.kind}: of these"), so_far, f"{copies:,} of them"))
    for (part, _), term in zip(parts[1:], terms[1:], strict=True):
        so_far = so_far + term
        steps.append(add(term, so_far, part.kind))
    used = tuple(dict.fromkeys(part.formula for part, _ in parts))
    return Formula(
        f"{model}.{letter.name}",
        title,
        claim=Eq(letter, so_far),
        uses=used,
        steps=tuple(steps),
        unmeasured="the model's own sum; each of its parts is measured",
    )
