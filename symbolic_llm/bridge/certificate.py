"""The identity certificate: why a finite number of runs proves a formula for all shapes

A count is a polynomial in the shapes. Two polynomials whose degree in each letter is at most D agree everywhere if
they agree on a grid of D + 1 values per letter. The engine is therefore run on such a grid. The degree of the count
is itself measured: along each letter, from two corners of the grid, finite differences are taken until they vanish,
with one point more than the degree needs. What remains assumed is that the count is a polynomial of no higher degree
in each letter than it shows along these lines; two points beyond the grid put that to the test.

A ratio of two counts is certified by cross-multiplication: formula p/q and counts a/b agree everywhere if p·b and
q·a do. A count that the engine gives in parts is put together from them: a part that does not change along a letter
has degree 0 in it, and is not run again for its other values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, combinations, count, islice, product
from math import prod
from typing import Any

from sympy import Ge, Max, Symbol, cancel, fraction, together

from reference_engine.probes import Parts, Probe, Ratio
from reference_engine.probes.registry import Exact

from ..claims import Kind
from ..errors import CatalogueError
from ..expressions.polynomial import Polynomial, divided_differences, interpolated
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from .comparison import applies, ask, by_factors, probe_of
from .configurations import FIGURES, OFFERED

ASSUMPTION = "the count is a polynomial in each letter, of no higher degree than its finite differences show"

Part = tuple[int, str]  # 0 for the numerator or 1 for the denominator, and the name of a part of it


_MANY = 10**5  # points of a grid beyond which counts are interpolated instead of put in one by one
_FAR = 7  # no grid asks for more values of a parameter
_RAISED = 10**12
_HIGHER = 4  # by how much the degree of a count may exceed the formula's before the search for it is given up


@dataclass(frozen=True)
class Certificate:
    """What the grid showed.

    Attributes:
        points: configurations of the grid.
        degrees: by parameter, the degree up to which agreement was shown.
        counterexample: a configuration where formula and engine differ, or None.
    """

    points: int
    degrees: dict[str, int]
    counterexample: dict[str, int] | None = None

    @property
    def holds(self) -> bool:
        """Whether the formula is proved for all shapes, under the assumption."""
        return self.counterexample is None

    def __str__(self) -> str:
        degrees = ", ".join(f"{degree} in {name}" for name, degree in self.degrees.items()) or "0"
        return f"proved on a grid of {self.points} point{'s' * (self.points != 1)}, degree {degrees}"


class Uncertifiable(Exception):
    """A grid cannot decide the formula; the text says why."""


def certifiable(formula: Formula) -> bool:
    """Whether grids can prove the formula: an equation, measured, without rounding or letter as exponent.

    A maximum is taken case by case in identities; times on a machine are not counted but divided out of counts.
    """
    if not formula.measured_by or formula.kind in (Kind.THEOREM, Kind.APPROXIMATION):
        return False
    cases = [case.expression for case in _cases(formula)]
    return all(case.is_rational_function() for case in cases) and (formula.kind is Kind.IDENTITY or len(cases) == 1)


@dataclass(frozen=True)
class Case:
    """What the claim comes to where certain arguments of its maxima are the largest, and the relations that say so."""

    expression: Any
    relations: tuple[Any, ...] = ()


def _cases(formula: Formula) -> list[Case]:
    written = valued(formula.unfold(formula.rhs))
    maxima = sorted(written.atoms(Max), key=str)
    found = []
    for choice in product(*(maximum.args for maximum in maxima)):
        pairs = zip(maxima, choice, strict=True)
        larger = tuple(Ge(best, o, evaluate=False) for m, best in pairs for o in m.args if o != best)
        found.append(Case(written.xreplace(dict(zip(maxima, choice, strict=True))), larger))
    return found


Shift = Mapping[str, int]  # by how much the values of some parameters are raised


def _values(name: str, number: int, shift: Shift) -> list[int]:
    found = list(islice(OFFERED.get(name, count(1 + shift.get(name, 0))), number))
    if len(found) < number:
        raise Uncertifiable(f"the engine offers too few values of {name}")
    return found


def _shift(formula: Formula, probe: Probe, case: Case) -> Shift:
    """The fewest parameters that are raised so that the formula's conditions and the case hold on the grid.

    A polynomial is decided by any grid, so the grid may lie where the formula applies. Shapes are raised for a case
    only, and by little: they are run.
    """
    low, high = ({name: OFFERED.get(name, range(1, _FAR))[at] for name in probe.parameters} for at in (0, -1))
    corners = [low, high]
    corners += [one | {name: other[name]} for one, other in ((low, high), (high, low)) for name in probe.parameters]
    by = {name: _RAISED for name in probe.parameters if name in FIGURES}
    by |= {name: _FAR for name in probe.parameters if case.relations and name not in FIGURES and name not in OFFERED}
    for raised in chain.from_iterable(combinations(by, number) for number in range(min(len(by), 3) + 1)):
        shift = {name: by[name] for name in raised}
        shifted = ({name: value + shift.get(name, 0) for name, value in corner.items()} for corner in corners)
        if all(applies(formula, probe, corner, case.relations) for corner in shifted):
            return shift
    return {}


def certify(formula: Formula) -> Certificate:
    """Run the engine on a grid for each case, which decide the formula for all shapes, and at points beyond them."""
    found = [_certified(formula, case) for case in _cases(formula)]
    degrees = {name: max(one.degrees[name] for one in found) for name in found[0].degrees}
    counterexample = next((one.counterexample for one in found if one.counterexample is not None), None)
    return Certificate(sum(one.points for one in found), degrees, counterexample)


def _certified(formula: Formula, case: Case) -> Certificate:
    probe = probe_of(formula.measured_by, formula)
    written = _in_parameters(formula, probe, case.expression)
    if not written.is_rational_function():
        raise Uncertifiable("only a rational function is decided by a grid")
    over, under = (Polynomial(part, probe.parameters) for part in fraction(cancel(together(written))))
    shift = _shift(formula, probe, case)
    counts = Counts(probe, shift)
    degrees: dict[str, int] = {}
    for name in probe.parameters:
        numerator, denominator = counts.measure(name, at_least=max(over.degree(name), under.degree(name)))
        degrees[name] = max(over.degree(name) + denominator, under.degree(name) + numerator)
    axes = [_values(name, degree + 1, shift) for name, degree in degrees.items()]
    points = prod(map(len, axes))
    if points > _MANY:
        counted, out_of = counts.polynomials()
        apart = over.times(out_of).less(under.times(counted))
        gaps = zip(product(*axes), apart.on_grid(axes), strict=True) if apart.terms else iter(())
        if (point := next((point for point, gap in gaps if gap), None)) is not None:
            return Certificate(points, degrees, counterexample=dict(zip(degrees, point, strict=True)))
        axes = [axis[:1] for axis in axes]  # the rest of the grid is decided
    stated = zip(product(*axes), over.on_grid(axes), under.on_grid(axes), strict=True)
    beyond = ((point, over(point), under(point)) for point in _beyond(degrees, shift))
    for point, above, below in chain(stated, beyond):
        counted_here, out_of_here = counts.at(point)
        if above * out_of_here != below * counted_here:
            return Certificate(points, degrees, counterexample=dict(zip(degrees, point, strict=True)))
    return Certificate(points, degrees)


def _beyond(degrees: dict[str, int], shift: Shift) -> list[tuple[int, ...]]:
    """Two points outside the grid, to show terms that vanish on all lines along which degrees are measured."""
    names = list(degrees)
    ahead = [{name: degrees[name] + 2 + (place + turn) % 2 for place, name in enumerate(names)} for turn in (0, 1)]
    return [tuple(_farthest(name, at, shift) for name, at in point.items()) for point in ahead]


def _farthest(name: str, at: int, shift: Shift) -> int:
    return OFFERED[name][:at][-1] if name in OFFERED else at + shift.get(name, 0)


class Counts:
    """What the engine counts, numerator and denominator, put together from parts.

    The degrees of each part are measured first, along each parameter, with the others at their second value and again
    at their third. A part of degree 0 in a parameter is then asked for at one value of it.
    """

    def __init__(self, probe: Probe, shift: Shift) -> None:
        self._probe, self._shift = probe, shift
        self._base, self._other = ({name: _values(name, n, shift)[-1] for name in probe.parameters} for n in (2, 3))
        self._moving: dict[Part, set[str]] = {}  # the parameters that a part changes with
        self._degrees: dict[str, int] = {}  # the highest of a part, in each parameter
        self._known: dict[tuple[int, ...], list[tuple[Exact, Exact]]] = {}  # by place, what all groups come to

    def _ask(self, config: Mapping[str, int]) -> dict[Part, Exact]:
        answer = ask(self._probe, config)
        over, under = answer if isinstance(answer, Ratio) else (answer, 1)
        sides = [side if isinstance(side, Parts) else {"": side} for side in (over, under)]
        return {(side, part): found for side, parts in enumerate(sides) for part, found in parts.items()}

    def measure(self, name: str, at_least: int) -> tuple[int, int]:
        """The degrees of numerator and denominator in one parameter, the higher of those from two corners."""
        one, other = (self._along(name, base, at_least) for base in (self._base, self._other))
        self._degrees[name] = max(*one, *other)
        return max(one[0], other[0]), max(one[1], other[1])

    def _along(self, name: str, base: dict[str, int], at_least: int) -> tuple[int, int]:
        """Differences are taken at two points more than `at_least`, and then until the last of every part vanishes."""
        seen: list[tuple[int, dict[Part, Exact]]] = []
        while True:
            at = _values(name, len(seen) + 1, self._shift)[-1]
            seen.append((at, self._ask({**base, name: at})))
            if len(seen) < at_least + 2:
                continue
            parts = dict.fromkeys(part for _, found in seen for part in found)
            along = {p: divided_differences([(x, found.get(p, 0)) for x, found in seen]) for p in parts}
            if all(d[-1] == 0 for d in along.values()):
                break
            if len(seen) > at_least + _HIGHER:
                raise Uncertifiable(f"the engine's count does not look like a polynomial in {name}")
        degrees = [0, 0]
        for part, differences in along.items():
            degree = max((i for i, value in enumerate(differences) if value), default=0)
            degrees[part[0]] = max(degrees[part[0]], degree)
            self._moving.setdefault(part, set()).update({name} if degree else ())
        return degrees[0], degrees[1]

    @cached_property
    def _groups(self) -> dict[tuple[bool, ...], list[Part]]:
        """The parts that change with the same parameters, by whether they change with each."""
        groups: dict[tuple[bool, ...], list[Part]] = {}
        for part, moving in self._moving.items():
            groups.setdefault(tuple(name in moving for name in self._base), []).append(part)
        return groups

    def _at(self, where: tuple[int, ...]) -> list[tuple[Exact, Exact]]:
        """Numerator and denominator of each group at this very place."""
        found = self._ask(dict(zip(self._base, where, strict=True)))
        sums = []
        for parts in self._groups.values():
            over, under = (sum(found.get(part, 0) for part in parts if part[0] == side) for side in (0, 1))
            sums.append((over, under))
        return sums

    def at(self, point: Sequence[int]) -> tuple[Exact, Exact]:
        """Numerator and denominator at a point, after all degrees have been measured."""
        over: Exact = 0
        under: Exact = 0
        for group, moves in enumerate(self._groups):
            where = tuple(map(_chosen, moves, point, self._base.values()))
            if where not in self._known:
                self._known[where] = self._at(where)
            above, below = self._known[where][group]
            over, under = over + above, under + below
        return over, under

    def polynomials(self) -> tuple[Polynomial, Polynomial]:
        """Numerator and denominator as polynomials, after all degrees have been measured.

        The parts that change with the same parameters are interpolated together, on a grid of these parameters alone.
        """
        names = tuple(self._base)
        sums: tuple[dict[tuple[int, ...], Exact], ...] = ({}, {})
        for group, moves in enumerate(self._groups):
            axes = [
                _values(n, self._degrees[n] + 1 if m else 1, self._shift) for n, m in zip(names, moves, strict=True)
            ]
            for side, total in enumerate(sums):
                for powers, factor in interpolated(axes, (), partial(self._of_group, group, moves, side)).items():
                    total[powers] = total.get(powers, 0) + factor
        return Polynomial.of(sums[0], names), Polynomial.of(sums[1], names)

    def _of_group(self, group: int, moves: tuple[bool, ...], side: int, point: tuple[int, ...]) -> Exact:
        where = tuple(map(_chosen, moves, point, self._base.values()))
        if where not in self._known:
            self._known[where] = self._at(where)
        return self._known[where][group][side]


def _chosen(moves: bool, there: int, here: int) -> int:
    return there if moves else here


def _in_parameters(formula: Formula, probe: Probe, written: Any) -> Any:
    """What the claim comes to, in symbols named like the parameters of the probe."""
    for symbol, factors in reversed(by_factors(probe.parameters).items()):
        written = written.xreplace({symbol: factors})
    letters = (symbol for symbol in written.free_symbols if symbol in LETTERS)
    written = written.xreplace({s: Symbol(LETTERS[s].engine or s.name, positive=True) for s in letters})
    unknown = sorted(s.name for s in written.free_symbols if s.name not in probe.parameters)
    if unknown:
        raise CatalogueError(
            f"{formula.name} depends on {', '.join(unknown)}, which its probe {probe.name} does not take."
        )
    return written
