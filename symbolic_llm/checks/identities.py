"""Certificates as neutral records: what a formula says and what the engine counted, for `export`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

from sympy import cancel, fraction, together

from ..bridge.certificate import (
    ASSUMPTION,
    Case,
    Counts,
    _cases,
    _in_parameters,
    _shift,
    _values,
    certifiable,
    certify,
)
from ..bridge.comparison import probe_of
from ..expressions.polynomial import Polynomial
from ..expressions.printing import text
from ..formula import Formula
from .export import Factor, Group, Proof


def proofs_of(formula: Formula) -> Iterator[Proof]:
    """A record for each case of a formula that a grid proves; none where none does."""
    if certifiable(formula) and certify(formula).holds:
        for case in _cases(formula):
            yield _proof(formula, case)


def _proof(formula: Formula, case: Case) -> Proof:
    probe = probe_of(formula.measured_by, formula)
    names = probe.parameters
    written = _in_parameters(formula, probe, case.expression)
    over, under = (Polynomial(part, names) for part in fraction(cancel(together(written))))
    shift = _shift(formula, probe, case)
    counts = Counts(probe, shift)
    for name in names:
        counts.measure(name, at_least=max(over.degree(name), under.degree(name)))
    groups: tuple[list[Group], list[Group]] = ([], [])
    for number, moves in enumerate(counts._groups):
        moving = tuple(name for name, moved in zip(names, moves, strict=True) if moved)
        degrees = tuple(counts._degrees[name] for name in moving)
        axes = [_values(n, counts._degrees[n] + 1 if m else 1, shift) for n, m in zip(names, moves, strict=True)]
        for side, found in enumerate(groups):
            at = partial(counts._of_group, number, moves, side)
            values = tuple(str(at(point)) for point in product(*axes))
            if set(values) != {"0"}:
                shown = tuple(tuple(map(str, axis)) for axis, m in zip(axes, moves, strict=True) if m)
                found.append(Group(moving, degrees, shown, values))
    if not names:  # nothing varies: one count
        for (side, _), value in counts._ask({}).items():
            groups[side].append(Group((), (), (), (str(value),)))
    return Proof(
        name=formula.name,
        case=tuple(map(text, case.relations)),
        claim=text(formula.claim),
        probe=probe.name,
        question=probe.question,
        parameters=names,
        formula=_factors(over),
        divided_by=_factors(under),
        counts=tuple(groups[0]),
        counts_divided_by=tuple(groups[1]),
        degrees=_highest(names, (*groups[0], *groups[1])),
        assumption=ASSUMPTION,
    )


def _factors(polynomial: Polynomial) -> tuple[Factor, ...]:
    return tuple((str(factor), tuple(map(int, powers))) for powers, factor in polynomial.terms.items())


def _highest(names: Sequence[str], groups: Sequence[Any]) -> dict[str, int]:
    stated = dict.fromkeys(names, 0)
    for group in groups:
        for name, degree in zip(group.parameters, group.degrees, strict=True):
            stated[name] = max(stated[name], degree)
    return stated
