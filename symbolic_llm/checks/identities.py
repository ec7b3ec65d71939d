"""Certificates as neutral records: what a formula says and what the engine counted, for `export`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from ..bridge.certificate import Case, cases_of, certify, decidable, narrower, sides_of
from ..bridge.entered import Uncertifiable
from ..bridge.grids import Axes, Counts
from ..expressions.polynomial import Polynomial
from ..expressions.printing import text
from ..formula import Formula
from .export import Factor, Group, Proof

# An export counts again, on grids of its own, so that it rests on nothing but plain counts
_ASSUMPTION = "each count is a polynomial in each parameter, of no higher degree than its finite differences show"


def proofs_of(formula: Formula) -> Iterator[Proof]:
    """A record for each subject and each case of a formula that a grid proves; none where none does.

    Raises:
        Uncertifiable: a grid decides it, and the engine's counts make no polynomial on any grid that is tried.
    """
    probes = decidable(formula)
    if all(certificate.holds for certificate in certify(formula)):
        for probe in probes:
            for case in cases_of(formula, probe):
                try:
                    found = [_proof(formula, Axes(formula, probe, case.relations), case)]
                except Uncertifiable:  # the counts change their form, and the ratio of them does not
                    several = narrower(formula, probe, case)
                    found = [_proof(formula, Axes(formula, probe, one.relations), one) for one in several]
                yield from found


def _proof(formula: Formula, axes: Axes, case: Case) -> Proof:
    probe, names = axes.probe, axes.names
    over, under = sides_of(case, axes)
    counts = Counts(axes)
    for name in names:
        counts.measure(name, at_least=max(over.degree(name), under.degree(name)))
    groups: tuple[list[Group], list[Group]] = ([], [])
    for grid in counts.groups():
        for side, found in enumerate(groups):
            values = tuple(str(grid.at(side, point)) for point in product(*grid.axes))
            if set(values) != {"0"}:
                shown = tuple(tuple(map(str, axis)) for axis, m in zip(grid.axes, grid.moves, strict=True) if m)
                found.append(Group(grid.moving, grid.degrees, shown, values))
    return Proof(
        name=f"{formula.name}.{probe.subject.name.replace(' ', '_')}",
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
        assumption=_ASSUMPTION,
    )


def _factors(polynomial: Polynomial) -> tuple[Factor, ...]:
    return tuple((str(factor), tuple(map(int, powers))) for powers, factor in polynomial.terms.items())


def _highest(names: Sequence[str], groups: Sequence[Any]) -> dict[str, int]:
    stated = dict.fromkeys(names, 0)
    for group in groups:
        for name, degree in zip(group.parameters, group.degrees, strict=True):
            stated[name] = max(stated[name], degree)
    return stated
