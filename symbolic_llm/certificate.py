"""The identity certificate: why a finite number of runs proves a formula for all shapes

A count is a polynomial in the shapes. Two polynomials whose degree in each letter is at most D agree everywhere if
they agree on a grid of D + 1 values per letter. The engine is therefore run on such a grid. The degree of the count
is itself measured: along each letter finite differences are taken until they vanish, with one point more than the
degree needs. What remains assumed is that the count is a polynomial of no higher degree in each letter than it
shows along these lines.

A ratio of two counts is certified by cross-multiplication: formula p/q and counts a/b agree everywhere if p·b and
q·a do. A count that the engine gives in parts is put together from them: a part that does not change along a letter
has degree 0 in it, and is not run again for its other values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice, pairwise, product
from math import prod
from typing import Any

from sympy import Poly, Symbol, cancel, expand, fraction, together
from sympy import floor as rounding

from reference_engine.probes import Parts, Probe, Ratio

from .claims import Kind
from .compare import ask, by_factors, probe_of
from .errors import CatalogueError
from .formula import Formula
from .notation import LETTERS
from .numeral import valued

ASSUMPTION = "the count is a polynomial in each letter, of no higher degree than its finite differences show"

# The values a parameter may take, where not all whole numbers are possible; blocks fill whole bytes at 2 bits already.
_VALUES: dict[str, Sequence[int]] = {
    "n_bytes": (2, 4, 8),
    "n_bytes_kv": (2, 4, 8),
    "n_bytes_act": (2, 4, 8),
    "bits": (2, 4, 8),
    "scale_bits": (16, 32, 64),
    "block": tuple(range(4, 64, 4)),
}


@dataclass(frozen=True)
class Certificate:
    """What the grid showed.

    Attributes:
        points: configurations of the grid.
        degrees: by parameter, the degree up to which agreement was shown.
        counterexample: a configuration where formula and engine differ, or None.
        shortage: the parameter for which the engine offers too few values, or "".
    """

    points: int
    degrees: dict[str, int]
    counterexample: dict[str, int] | None = None
    shortage: str = ""

    @property
    def holds(self) -> bool:
        """Whether the formula is proved for all shapes, under the assumption."""
        return self.counterexample is None and not self.shortage

    def __str__(self) -> str:
        degrees = ", ".join(f"{degree} in {name}" for name, degree in self.degrees.items()) or "0"
        return f"proved on a grid of {self.points} point{'s' * (self.points != 1)}, degree {degrees}"


def certifiable(formula: Formula) -> bool:
    """Whether the formula is an exact count that a grid can prove: an identity, measured, without rounding."""
    return formula.kind is Kind.IDENTITY and bool(formula.measured_by) and not formula.rhs.has(rounding)


class _Shortage(Exception):
    """The engine offers too few values of a parameter."""


def _values(name: str, number: int) -> list[int]:
    found = list(islice(_VALUES.get(name, count(1)), number))
    if len(found) < number:
        raise _Shortage(name)
    return found


def certify(formula: Formula) -> Certificate:
    """Run the engine on a grid that decides the formula for all shapes."""
    probe = probe_of(formula.measured_by, formula)
    stated = fraction(cancel(together(_in_parameters(formula, probe))))
    over, under = (Polynomial(part, probe.parameters) for part in stated)
    counts = _Counts(probe)
    degrees: dict[str, int] = {}
    try:
        for name in probe.parameters:
            numerator, denominator = counts.measure(name, at_least=max(over.degree(name), under.degree(name)))
            degrees[name] = max(over.degree(name) + denominator, under.degree(name) + numerator)
        axes = [_values(name, degree + 1) for name, degree in degrees.items()]
    except _Shortage as shortage:
        return Certificate(0, degrees, shortage=str(shortage))
    points = prod(map(len, axes))
    for point in product(*axes):
        counted, out_of = counts.at(point)
        if over(point) * out_of != under(point) * counted:
            return Certificate(points, degrees, counterexample=dict(zip(degrees, point, strict=True)))
    return Certificate(points, degrees)


class _Counts:
    """What the engine counts, numerator and denominator, put together from parts.

    The degrees of each part are measured first, along each parameter with the others at their second value. A part
    of degree 0 in a parameter is then asked for at one value of it.
    """

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._base = {name: _values(name, 2)[1] for name in probe.parameters}
        self._moving: dict[tuple[int, str], set[str]] = {}  # side and part -> the parameters it changes with
        self._known: dict[tuple[Any, ...], Fraction] = {}

    def _ask(self, config: dict[str, int]) -> dict[tuple[int, str], Fraction]:
        """0 for the numerator or 1 for the denominator, and the part -> its count."""
        answer = ask(self._probe, config)
        if isinstance(answer, Parts):
            return {(0, part): Fraction(found) for part, found in answer.items()} | {(1, ""): Fraction(1)}
        over, under = answer if isinstance(answer, Ratio) else (answer, 1)
        return {(0, ""): Fraction(over), (1, ""): Fraction(under)}

    def measure(self, name: str, at_least: int) -> tuple[int, int]:
        """The degrees of numerator and denominator in one parameter.

        Differences are taken at two points more than `at_least`, and then until the last of every part vanishes.
        """
        seen: list[tuple[int, dict[tuple[int, str], Fraction]]] = []
        while True:
            at = _values(name, len(seen) + 1)[-1]
            seen.append((at, self._ask({**self._base, name: at})))
            parts = dict.fromkeys(part for _, found in seen for part in found)
            along = {p: divided_differences([(x, found.get(p, Fraction(0))) for x, found in seen]) for p in parts}
            if len(seen) >= at_least + 2 and all(d[-1] == 0 for d in along.values()):
                break
        degrees = [0, 0]
        for part, differences in along.items():
            degree = max((i for i, value in enumerate(differences) if value), default=0)
            degrees[part[0]] = max(degrees[part[0]], degree)
            self._moving.setdefault(part, set()).update({name} if degree else ())
        return degrees[0], degrees[1]

    def at(self, point: Sequence[int]) -> tuple[Fraction, Fraction]:
        """Numerator and denominator at a point, after all degrees have been measured."""
        totals = [Fraction(0), Fraction(0)]
        for part, moving in self._moving.items():
            where = tuple(x if name in moving else self._base[name] for name, x in zip(self._base, point, strict=True))
            if (part, where) not in self._known:
                for other, found in self._ask(dict(zip(self._base, where, strict=True))).items():
                    self._known[other, where] = found
            totals[part[0]] += self._known.get((part, where), Fraction(0))
        return totals[0], totals[1]


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
        self._terms = [(Fraction(int(factor.p), int(factor.q)), powers) for powers, factor in terms]

    def degree(self, name: str) -> int:
        """Its degree in one argument."""
        place = self._names.index(name)
        return max(int(powers[place]) for _, powers in self._terms)

    def __call__(self, point: Sequence[int]) -> Fraction:
        """Its value at a point."""
        return sum(
            (
                factor * prod(x**power for x, power in zip(point, powers, strict=True) if power)
                for factor, powers in self._terms
            ),
            Fraction(0),
        )


def divided_differences(points: Sequence[tuple[int, Fraction]]) -> list[Fraction]:
    """Newton's coefficients through the points; the one of order k vanishes for polynomials of degree below k."""
    xs = [x for x, _ in points]
    column = [y for _, y in points]
    found = [column[0]]
    for order in range(1, len(points)):
        column = [(b - a) / (xs[i + order] - xs[i]) for i, (a, b) in enumerate(pairwise(column))]
        found.append(column[0])
    return found
