"""Digest of everything that the findings on a formula depend on: its content and that of related formulas

The layout and the prose of a file do not matter. Of title, sources and example only a fault in them matters. Of the
formulas that one uses, and of those that compute its letters where the engine is asked, the checks look at the claim
and its conditions, never at the steps. So a formula is checked anew where one of these changes, and not where a text
has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

from ..algebra import Basic, srepr
from ..cache import digest
from ..formula import Formula
from ..numeral import Numeral
from ..witness.comparison_at_places import beside
from ..witness.configurations import concerning
from ..witness.largest_that_fits import rounds, statements
from ..witness.letters import bound, met, probes_of
from .presentation import fault_of_shown
from .vacuity import possibilities, scopes_of


@lru_cache(maxsize=2**10)
def content(formula: Formula) -> str:
    """Digest of everything that the findings on a formula depend on, beside the checker; "" if there is none.

    Some formulas are so wrong that not even the digest can be made. The findings on them are not kept.
    """
    with suppress(Exception):  # whatever it is, its own check will name it
        return digest(
            fault_of_shown(formula),
            *map(_stated, (formula, *_rounded(formula))),
            *map(_seen, sorted(set(_met(formula)), key=attrgetter("module"))),
        )
    return ""


def _rounded(formula: Formula) -> list[Formula]:
    """Theorems that solvers are asked where a formula rounds down what fits; they are made from other formulas."""
    if rounds(formula):
        with suppress(ValueError):  # it rounds otherwise, whatever they say
            return list(statements(formula))
    return []


def _met(formula: Formula) -> Iterator[Formula]:
    """Formulas that a formula builds on, and those that compute its letters for the engine or for solvers."""
    yield from formula.closure()
    for possibility in possibilities(formula) if not formula.measured_by else ():
        for scope in scopes_of(formula, possibility).values():
            yield from scope.used
    letters = met(formula)
    for name in dict.fromkeys((formula.measured_by, *(step.measured_by for step in formula.steps))):
        for probe in probes_of(name, formula) if name else ():
            yield from concerning(bound(formula, probe), letters)
    for probe in (probe for who in beside(formula) for probe in who):
        yield from concerning(bound(formula, probe), letters)


def _stated(formula: Formula) -> str:
    """Text of all that a formula states, without what only readers look at."""
    shown = ("docstring", "sources", "example")
    return _written(tuple(getattr(formula, one.name) for one in fields(formula) if one.name not in shown))


@lru_cache(maxsize=2**10)
def _seen(formula: Formula) -> str:
    """Digest of all that other formulas see of a formula."""
    traits = sorted(trait.name for trait in formula.traits)
    said = (formula.module, formula.kind, formula.claim, formula.conditions, formula.plain, formula.measured_by)
    return digest(_written((*said, *traits, formula.uses)))


def _written(value: Any) -> str:
    """Text of some data, which no other data have; formulas in it stand by their names."""
    if isinstance(value, Basic):
        return _expression(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))})"
    if isinstance(value, Formula):
        return value.module
    if is_dataclass(value):
        return type(value).__name__ + _written(tuple(getattr(value, one.name) for one in fields(value)))
    return repr(value)


@lru_cache(maxsize=2**15)
def _expression(expression: Any) -> str:
    if isinstance(expression, Numeral):
        return f"Numeral({expression.value}, {expression.unit}, {expression.meaning!r})"
    if not expression.args:
        return str(srepr(expression))
    return f"{type(expression).__name__}({', '.join(map(_expression, expression.args))})"
