"""The identity certificate: why a finite number of runs proves a formula for all shapes

A count is a polynomial in the shapes. Two polynomials whose degree in each letter is at most D agree everywhere if
they agree on a grid of D + 1 values per letter. The engine is therefore run on such a grid. The degree of the count
is itself measured: along each letter finite differences are taken until they vanish, with one point more than the
degree needs. What remains assumed is that the count is a polynomial of no higher degree in each letter than it
shows along these lines.

A ratio of two counts is certified by cross-multiplication: formula p/q and counts a/b agree everywhere if p·b and
q·a do.
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

from reference_engine.probes import Probe, Ratio

from .claims import Kind
from .compare import ask, probe_of
from .errors import CatalogueError
from .evaluation import exact
from .formula import Formula
from .notation import LETTERS, N, b_q, d_head, d_model, n_heads
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
        probing: configurations at which the degrees were measured.
        degrees: by parameter, the degree up to which agreement was shown.
        counterexample: a configuration where formula and engine differ, or None.
        shortage: the parameter for which the engine offers too few values, or "".
    """

    points: int
    probing: int
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
    over, under = fraction(cancel(together(_in_parameters(formula, probe))))
    degrees: dict[str, int] = {}
    probing = 0
    try:
        for name in probe.parameters:
            stated = _degree(over, name), _degree(under, name)
            counted, runs = _measured_degrees(probe, name, at_least=max(stated))
            degrees[name] = max(stated[0] + counted[1], stated[1] + counted[0])
            probing += runs
        axes = [_values(name, degree + 1) for name, degree in degrees.items()]
    except _Shortage as shortage:
        return Certificate(0, probing, degrees, shortage=str(shortage))
    points = prod(map(len, axes))
    for point in product(*axes):
        config = dict(zip(degrees, point, strict=True))
        numerator, denominator = _counts(probe, config)
        if _at(over, config) * denominator != _at(under, config) * numerator:
            return Certificate(points, probing, degrees, counterexample=config)
    return Certificate(points, probing, degrees)


def _in_parameters(formula: Formula, probe: Probe) -> Any:
    """The claim's right-hand side written out in symbols named like the parameters of the probe."""
    written = valued(formula.unfold(formula.rhs)).xreplace({d_model: n_heads * d_head})
    if "tiles" in probe.parameters:
        written = written.xreplace({N: b_q * Symbol("tiles", positive=True)})
    letters = (symbol for symbol in written.free_symbols if symbol in LETTERS)
    written = written.xreplace({s: Symbol(LETTERS[s].engine or s.name, positive=True) for s in letters})
    unknown = sorted(s.name for s in written.free_symbols if s.name not in probe.parameters)
    if unknown:
        raise CatalogueError(
            f"{formula.name} depends on {', '.join(unknown)}, which its probe {probe.name} does not take."
        )
    return written


def _at(expression: Any, config: dict[str, int]) -> Fraction:
    return Fraction(exact(expression, {s: Fraction(config[s.name]) for s in expression.free_symbols}))


def _degree(expression: Any, name: str) -> int:
    symbol = Symbol(name, positive=True)
    return int(Poly(expand(expression), symbol).degree()) if symbol in expression.free_symbols else 0


def _counts(probe: Probe, config: dict[str, int]) -> tuple[Fraction, Fraction]:
    answer = ask(probe, config)
    over, under = answer if isinstance(answer, Ratio) else (answer, 1)
    return Fraction(over), Fraction(under)


def _measured_degrees(probe: Probe, name: str, at_least: int) -> tuple[tuple[int, int], int]:
    """The degrees of numerator and denominator of the count in one parameter, the others at their second value.

    Differences are taken at two points more than `at_least`, and then until the last of them vanishes.
    """
    base = {other: _values(other, 2)[1] for other in probe.parameters}
    seen: list[tuple[int, tuple[Fraction, Fraction]]] = []
    while True:
        at = _values(name, len(seen) + 1)[-1]
        seen.append((at, _counts(probe, {**base, name: at})))
        differences = [divided_differences([(x, c[side]) for x, c in seen]) for side in (0, 1)]
        if len(seen) >= at_least + 2 and all(d[-1] == 0 for d in differences):
            over, under = (max((i for i, value in enumerate(d) if value), default=0) for d in differences)
            return (over, under), len(seen)


def divided_differences(points: Sequence[tuple[int, Fraction]]) -> list[Fraction]:
    """Newton's coefficients through the points; the one of order k vanishes for polynomials of degree below k."""
    xs = [x for x, _ in points]
    column = [y for _, y in points]
    found = [column[0]]
    for order in range(1, len(points)):
        column = [(b - a) / (xs[i + order] - xs[i]) for i, (a, b) in enumerate(pairwise(column))]
        found.append(column[0])
    return found
