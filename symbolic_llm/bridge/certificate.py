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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, count, islice, pairwise, product
from math import prod
from typing import Any

from sympy import Poly, Symbol, cancel, expand, fraction, together

from reference_engine.probes import Parts, Probe, Ratio
from reference_engine.probes.registry import Exact

from ..claims import Kind
from ..errors import CatalogueError
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from .comparison import applies, ask, by_factors, probe_of
from .configurations import OFFERED

ASSUMPTION = "the count is a polynomial in each letter, of no higher degree than its finite differences show"

Part = tuple[int, str]  # 0 for the numerator or 1 for the denominator, and the name of a part of it


_FAR = 12  # no grid asks for more values of a parameter
_RAISED = 10**12
_FIGURES = ("memory", "flops", "bandwidth")
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
    """Whether a grid can prove the formula: an equation, measured, without maximum, rounding or letter as exponent."""
    if not formula.measured_by or formula.kind in (Kind.THEOREM, Kind.APPROXIMATION):
        return False
    return bool(valued(formula.unfold(formula.rhs)).is_rational_function())


Shift = Mapping[str, int]  # by how much the values of some parameters are raised


def _values(name: str, number: int, shift: Shift) -> list[int]:
    found = list(islice(OFFERED.get(name, count(1 + shift.get(name, 0))), number))
    if len(found) < number:
        raise Uncertifiable(f"the engine offers too few values of {name}")
    return found


def _shift(formula: Formula, probe: Probe) -> Shift:
    """The least raised figures of the machine with which the formula's conditions hold on every grid that is asked for.

    A polynomial is decided by any grid, so the grid may lie where the formula applies. Shapes stay small: they are run.
    """
    figures = [name for name in probe.parameters if name in _FIGURES]
    ends = [(OFFERED.get(name, (1,))[0], OFFERED.get(name, range(_FAR + 1))[-1]) for name in probe.parameters]
    for number in range(len(figures) + 1):
        for raised in combinations(figures, number):
            shift = dict.fromkeys(raised, _RAISED)
            corners = product(
                *(
                    (low + shift.get(n, 0), high + shift.get(n, 0))
                    for n, (low, high) in zip(probe.parameters, ends, strict=True)
                )
            )
            if all(applies(formula, dict(zip(probe.parameters, corner, strict=True))) for corner in corners):
                return shift
    return {}


def certify(formula: Formula) -> Certificate:
    """Run the engine on a grid that decides the formula for all shapes, and at some points beyond it."""
    probe = probe_of(formula.measured_by, formula)
    written = _in_parameters(formula, probe)
    if not written.is_rational_function():
        raise Uncertifiable("only a rational function is decided by a grid")
    over, under = (Polynomial(part, probe.parameters) for part in fraction(cancel(together(written))))
    shift = _shift(formula, probe)
    counts = Counts(probe, shift)
    degrees: dict[str, int] = {}
    for name in probe.parameters:
        numerator, denominator = counts.measure(name, at_least=max(over.degree(name), under.degree(name)))
        degrees[name] = max(over.degree(name) + denominator, under.degree(name) + numerator)
    axes = [_values(name, degree + 1, shift) for name, degree in degrees.items()]
    points = prod(map(len, axes))
    stated = zip(product(*axes), over.on_grid(axes), under.on_grid(axes), strict=True)
    beyond = ((point, over(point), under(point)) for point in _beyond(degrees, shift))
    for point, above, below in chain(stated, beyond):
        counted, out_of = counts.at(point)
        if above * out_of != below * counted:
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
        self._known: dict[tuple[int, ...], list[tuple[Exact, Exact]]] = {}  # by place, what all groups come to

    def _ask(self, config: Mapping[str, int]) -> dict[Part, Exact]:
        answer = ask(self._probe, config)
        over, under = answer if isinstance(answer, Ratio) else (answer, 1)
        sides = [side if isinstance(side, Parts) else {"": side} for side in (over, under)]
        return {(side, part): found for side, parts in enumerate(sides) for part, found in parts.items()}

    def measure(self, name: str, at_least: int) -> tuple[int, int]:
        """The degrees of numerator and denominator in one parameter, the higher of those from two corners."""
        one, other = (self._along(name, base, at_least) for base in (self._base, self._other))
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


def _chosen(moves: bool, there: int, here: int) -> int:
    return there if moves else here


def _in_parameters(formula: Formula, probe: Probe) -> Any:
    """The claim's right-hand side written out in symbols named like the parameters of the probe."""
    written = valued(formula.unfold(formula.rhs))
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


class Polynomial:
    """A polynomial with exact coefficients, quick to evaluate at whole numbers.

    Args:
        expression: a polynomial in symbols of these names.
        names: the order of its arguments.
    """

    def __init__(self, expression: Any, names: Sequence[str]) -> None:
        symbols = [Symbol(name, positive=True) for name in names]
        terms = Poly(expand(expression), *symbols).terms() if names else [((), expression)]
        self._names = tuple(names)
        self._terms = {powers: _plain(Fraction(int(factor.p), int(factor.q))) for powers, factor in terms}

    def degree(self, name: str) -> int:
        """Its degree in one argument."""
        place = self._names.index(name)
        return max(int(powers[place]) for powers in self._terms)

    def __call__(self, point: Sequence[int]) -> Exact:
        """Its value at a point."""
        return next(self.on_grid([(x,) for x in point]))

    def on_grid(self, axes: Sequence[Sequence[int]]) -> Iterator[Exact]:
        """Its values on a grid, the last argument changing fastest."""
        return _on_grid(self._terms, axes)


def _plain(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else value


def _on_grid(terms: Mapping[tuple[int, ...], Exact], axes: Sequence[Sequence[int]]) -> Iterator[Exact]:
    """Put in the first argument's values one by one; what is left is a polynomial of fewer arguments and terms."""
    if not axes:
        yield terms.get((), 0)
        return
    for x in axes[0]:
        rest: dict[tuple[int, ...], Exact] = {}
        for powers, factor in terms.items():
            rest[powers[1:]] = rest.get(powers[1:], 0) + factor * x ** powers[0]
        yield from _on_grid(rest, axes[1:])


def divided_differences(points: Sequence[tuple[int, Exact]]) -> list[Exact]:
    """Newton's coefficients through the points; the one of order k vanishes for polynomials of degree below k."""
    xs = [x for x, _ in points]
    column = [y for _, y in points]
    found = [column[0]]
    for order in range(1, len(points)):
        rises = ((b - a, xs[i + order] - xs[i]) for i, (a, b) in enumerate(pairwise(column)))
        column = [_plain(Fraction(rise, run)) if rise else 0 for rise, run in rises]
        found.append(column[0])
    return found
