"""Certificates: polynomial identities proved by counting on a grid

Two polynomials whose degrees in each letter are at most D agree everywhere if they agree on a grid of D + 1 values per
letter. The engine is therefore run on such a grid, for every subject that a formula is for. The degree of the count is
itself measured: along each letter, from two corners of the grid, finite differences are taken until they vanish, with
one point more than the degree needs. What remains assumed is that the count is a polynomial of no higher degree in each
letter than it shows along these lines; points beyond the grid, one far out on every letter, put that to the test.
Letters that the formula does not have are among them, as long as the engine has them.

A ratio of two counts is certified by cross-multiplication: formula p/q and counts a/b agree everywhere if p·b and
q·a do. A count that the engine gives in parts is put together from them: a part that does not change along a letter
has degree 0 in it, and is not run again for its other values. A maximum is taken case by case: where certain of its
arguments are the largest, the claim is a rational function, and a grid that lies there decides it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, product
from math import prod
from typing import Any

from sympy import Ge, Max, Pow, cancel, fraction, together

from reference_engine.probes import Probe

from ..claims import Kind
from ..errors import CatalogueError
from ..expressions.polynomial import Polynomial
from ..formula import Formula
from .comparison import applies, probes_of
from .configurations import OFFERED
from .grids import Axes, Counts, Uncertifiable
from .letters import in_parameters

__all__ = ["ASSUMPTION", "Axes", "Case", "Certificate", "Counts", "Uncertifiable", "cases_of", "certify", "sides_of"]

ASSUMPTION = "the count is a polynomial in each letter, of no higher degree than its finite differences show"


_MANY = 4_000  # points of a grid beyond which counts are interpolated instead of put in one by one
_FAR_OUT = (23, 29, 31, 37, 41, 43, 47)  # of a parameter alone, well beyond any grid


@dataclass(frozen=True)
class Certificate:
    """What the grids showed.

    Attributes:
        subject: whom the engine was asked about.
        points: configurations of the grids.
        degrees: by parameter, the degree up to which agreement was shown.
        counterexample: a configuration where formula and engine differ, or None.
    """

    subject: str
    points: int
    degrees: dict[str, int]
    counterexample: dict[str, int] | None = None

    @property
    def holds(self) -> bool:
        """Whether the formula is proved for all shapes, under the assumption."""
        return self.counterexample is None

    def __str__(self) -> str:
        degrees = ", ".join(f"{degree} in {name}" for name, degree in self.degrees.items() if degree) or "0"
        return f"{self.subject}: a grid of {self.points} point{'s' * (self.points != 1)}, degree {degrees}"


@dataclass(frozen=True)
class Case:
    """What the claim comes to where certain arguments of its maxima are the largest, and the relations that say so."""

    expression: Any
    relations: tuple[Any, ...] = ()


def decidable(formula: Formula) -> tuple[Probe, ...]:
    """The probes on whose grids the claim can be decided: an equation without rounding or letter as exponent there."""
    if not formula.measured_by or formula.kind in (Kind.THEOREM, Kind.APPROXIMATION):
        return ()
    asked = probes_of(formula.measured_by, formula)
    return tuple(
        probe for probe in asked if all(case.expression.is_rational_function() for case in cases_of(formula, probe))
    )


def certifiable(formula: Formula) -> bool:
    """Whether grids can prove the formula, for one subject at least."""
    return bool(decidable(formula))


def excused(formula: Formula) -> str:
    """Why no grid can decide a formula, where that is no fault: "" if nothing excuses it."""
    asked = probes_of(formula.measured_by, formula)
    written = [in_parameters(formula, probe, formula.rhs) for probe in asked]
    if all(any(power.exp.free_symbols for power in expression.atoms(Pow)) for expression in written):
        return "a letter stands in an exponent"
    return ""


@lru_cache(maxsize=2**10)  # asked for by each who decides whether, and on what, grids can prove it
def cases_of(formula: Formula, probe: Probe) -> tuple[Case, ...]:
    """The claim in symbols of the probe's parameters, case by case of its maxima."""
    return tuple(_split(in_parameters(formula, probe, formula.rhs), ()))


def _split(expression: Any, relations: tuple[Any, ...]) -> Iterator[Case]:
    """The cases of the innermost maximum, each split further."""
    innermost = [maximum for maximum in expression.atoms(Max) if not any(arg.has(Max) for arg in maximum.args)]
    if not innermost:
        yield Case(expression, relations)
        return
    maximum = min(innermost, key=str)
    for best in maximum.args:
        larger = (Ge(best, other, evaluate=False) for other in maximum.args if other != best)
        yield from _split(expression.xreplace({maximum: best}), (*relations, *larger))


def certify(formula: Formula) -> tuple[Certificate, ...]:
    """For each subject, run the engine on a grid for each case, which decide the formula, and at points beyond them."""
    return tuple(_certified_for(formula, probe) for probe in decidable(formula))


def _certified_for(formula: Formula, probe: Probe) -> Certificate:
    found: list[Certificate] = []
    for case in cases_of(formula, probe):
        found.append(_certified(formula, probe, case))
        if not found[-1].holds:
            break
    degrees = {name: max(one.degrees.get(name, 0) for one in found) for name in found[0].degrees}
    return Certificate(probe.subject.name, sum(one.points for one in found), degrees, found[-1].counterexample)


def sides_of(case: Case, axes: Axes) -> tuple[Polynomial, Polynomial]:
    """Numerator and denominator of what the claim comes to; `CatalogueError` for a letter that the probe lacks."""
    unknown = sorted(symbol.name for symbol in case.expression.free_symbols if symbol.name not in axes.names)
    if unknown:
        probe = axes.probe
        raise CatalogueError(
            f"the claim depends on {', '.join(unknown)}, which {probe.name} of {probe.subject.name} does not take."
        )
    over, under = (Polynomial(part, axes.names) for part in fraction(cancel(together(case.expression))))
    return over, under


def _certified(formula: Formula, probe: Probe, case: Case) -> Certificate:
    axes = Axes(formula, probe, case.relations)
    over, under = sides_of(case, axes)
    counts = Counts(axes)
    degrees: dict[str, int] = {}
    for name in axes.names:
        numerator, denominator = counts.measure(name, at_least=max(over.degree(name), under.degree(name)))
        degrees[name] = max(over.degree(name) + denominator, under.degree(name) + numerator)
    grid = [axes.values(name, degree + 1) for name, degree in degrees.items()]
    points = prod(map(len, grid))
    refuted = partial(Certificate, probe.subject.name, points, degrees)
    if points > _MANY:
        counted, out_of = counts.polynomials()
        apart = over.times(out_of).less(under.times(counted))
        gaps = zip(product(*grid), apart.on_grid(grid), strict=True) if apart.terms else iter(())
        if (point := next((point for point, gap in gaps if gap), None)) is not None:
            return refuted(axes.config(dict(zip(degrees, point, strict=True))))
        grid = [axis[:1] for axis in grid]  # the rest of the grid is decided
    stated = zip(product(*grid), over.on_grid(grid), under.on_grid(grid), strict=True)
    beyond = ((point, over(point), under(point)) for point in _beyond(axes, degrees))
    for point, above, below in chain(stated, beyond):
        counted_here, out_of_here = counts.at(point)
        if above * out_of_here != below * counted_here:
            return refuted(axes.config(dict(zip(degrees, point, strict=True))))
    for far in _far_out(axes):
        if not applies(formula, probe, axes.config(far), case.relations):
            continue  # there another argument of a maximum is the largest, and its case is tested
        counted_here, out_of_here = counts.asked(far)
        if over(tuple(far.values())) * out_of_here != under(tuple(far.values())) * counted_here:
            return refuted(axes.config(far))
    return Certificate(probe.subject.name, points, degrees)


def _beyond(axes: Axes, degrees: dict[str, int]) -> list[tuple[int, ...]]:
    """Two points outside the grid, to show terms that vanish on all lines along which degrees are measured."""
    names = list(degrees)
    ahead = [{name: degrees[name] + 2 + (place + turn) % 2 for place, name in enumerate(names)} for turn in (0, 1)]
    return [tuple(axes.farther(name, at) for name, at in point.items()) for point in ahead]


def _far_out(axes: Axes) -> Iterable[dict[str, int]]:
    """Points that lie far out on one axis, to show what vanishes or is hidden by rounding near the grid."""
    base = {name: axes.values(name, 2)[-1] for name in axes.names}
    for place, name in enumerate(axes.names):
        if name not in OFFERED:
            yield {**base, name: axes.farther(name, _FAR_OUT[place % len(_FAR_OUT)])}
