"""Grids: where the engine is asked, and what it counts there, put together from parts"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from itertools import chain, combinations, count, islice, product
from typing import Any

from reference_engine.probes import Parts, Probe, Ratio

from ..expressions.polynomial import Exact, Polynomial, divided_differences
from ..formula import Formula
from .admitted import applying
from .configurations import FIGURES, OFFERED
from .entered import Uncertifiable
from .letters import conditions_of, tied, tied_values
from .traced import Traced

Part = tuple[int, str]  # 0 for the numerator or 1 for the denominator, and the name of a part of it

_MOST = 4  # few grids ask for more values of a parameter
_FAR = 4
_RAISED = 10**12
# In which proportions rates stand, and by how much shapes are raised that are cheap to raise. The second is for where
# one part of a pass waits for its bytes and the other for its arithmetic, the fifth for where a step waits for its
# bytes and a prompt, which no window cuts short, for its arithmetic. Those with `group` are for query heads that are
# many to each key in two kinds of blocks, the last is for states that cross the bus while a sequence's arithmetic is
# done.
_FARTHER: tuple[tuple[tuple[int, ...], dict[str, tuple[int, ...]]], ...] = (
    ((1, 5, 16), {"batch": (0, 4, 12, 28), "context": (0, 4, 12, 28), "n_vocab": (0, 50_000)}),
    ((1, 5, 16), {"window": (0, 4, 12), "context": (0, 8), "new_tokens": (0, 12)}),
    ((1, 5, 16), {"window": (31, 40), "context": (28,), "new_tokens": (0, 12), "n_vocab": (0, 50_000)}),
    ((1, 5, 7), {"batch": (0, 28), "context": (0, 4), "window": (0, 4), "group": (0, 20), "n_heads": (0, 20)}),
    ((1, 16), {"batch": (0, 124), "group": (0, 124), "n_heads": (0, 124)}),
    ((1, 34), {"batch": (0, 28), "context": (4,), "window": (0, 4), "group": (0, 28)}),
    ((1, 5), {"context": (28,), "window": (32,)}),
    ((1, 17), {"n_vocab": (0, 150_000)}),
    ((1, 70), {"batch": (0, 300), "context": (0, 4), "window": (0, 4)}),
    ((1, 5), {"n_vocab": (150_000,)}),
)
_HIGHER = 4  # by how much the degree of a count may exceed the formula's before the search for it is given up


Shift = Mapping[str, int]  # by how much the values of some parameters are raised


class Axes:
    """The parameters of a probe that the formula's conditions leave free, and where the grid lies along them."""

    def __init__(self, formula: Formula, probe: Probe, relations: tuple[Any, ...]) -> None:
        self._tied = partial(tied_values, formula, probe)
        self.probe = probe
        self._ties = tied(formula, probe)
        taken = {symbol.name for symbol in self._ties}
        self.names = tuple(name for name in probe.parameters if name not in taken)
        self._shift = self._shifted(formula, relations)

    def config(self, values: Mapping[str, int]) -> dict[str, Any]:
        """All parameters, from those that are free."""
        return {**values, **self._tied(values)}

    def values(self, name: str, number: int) -> list[int]:
        """So many values of a parameter."""
        found = list(islice(OFFERED.get(name, count(1 + self._shift.get(name, 0))), number))
        if len(found) < number:
            raise Uncertifiable(f"the engine offers too few values of {name}")
        return found

    def places(self) -> Iterator[dict[str, int]]:
        """The first, the second and the last place of the grid."""
        offered = {name: len(OFFERED.get(name, range(_MOST))) for name in self.names}
        for number in (1, 2, _MOST):
            yield {name: self.values(name, min(number, most))[-1] for name, most in offered.items()}

    def traced(self, values: Mapping[str, int]) -> dict[str, Traced]:
        """All parameters at a place, as polynomials in those that are free."""
        powers = {name: tuple(int(name == other) for other in self.names) for name in self.names}
        free = {name: Polynomial({powers[name]: 1}, self.names) for name in self.names}
        every = free | {symbol.name: Polynomial.of(value, self.names) for symbol, value in self._ties.items()}
        return {name: Traced(value, every[name]) for name, value in self.config(values).items()}

    def farther(self, name: str, at: int) -> int:
        """A value beyond those of the grid."""
        return OFFERED[name][:at][-1] if name in OFFERED else at + self._shift.get(name, 0)

    def _shifted(self, formula: Formula, relations: tuple[Any, ...]) -> Shift:
        """The fewest parameters that are raised so that the formula's conditions and the case hold on the grid.

        A polynomial is decided by any grid, so the grid may lie where the formula applies. Shapes are raised for a case
        only, and by little: they are run.
        """
        low, high = ({name: OFFERED.get(name, range(1, _MOST + 1))[at] for name in self.names} for at in (0, -1))
        corners = [low, high]
        corners += [one | {name: other[name]} for one, other in ((low, high), (high, low)) for name in self.names]
        if not relations and not conditions_of(formula, self.probe):
            return {}
        applies = applying(formula, self.probe, relations)
        for shift in self._shifts(raise_shapes=bool(relations)):
            for place, corner in enumerate(corners):
                shifted = {name: value + shift.get(name, 0) for name, value in corner.items()}
                if not applies(self.config(shifted)):
                    corners.insert(0, corners.pop(place))  # where one way fails, the next is likely to
                    break
            else:
                return shift
        if relations:
            raise Uncertifiable("no grid lies where this argument of the maximum is the largest")
        return {}

    def _shifts(self, *, raise_shapes: bool) -> Iterator[Shift]:
        """Ways to raise up to three parameters, all alike; then those where rates stand in other proportions."""
        figures = [name for name in self.names if name in FIGURES]
        shapes = [name for name in self.names if raise_shapes and name not in (*FIGURES, *OFFERED)]
        by = dict.fromkeys(figures, _RAISED) | dict.fromkeys(shapes, _FAR)
        for raised in chain.from_iterable(combinations(by, number) for number in range(min(len(by), 3) + 1)):
            yield {name: by[name] for name in raised}
        if raise_shapes:
            for proportions, farther in _FARTHER:
                for factors in product(proportions, repeat=len(figures)):
                    rates = {name: factor * _RAISED for name, factor in zip(figures, factors, strict=True)}
                    for far in product(*(raised for name, raised in farther.items() if name in shapes)):
                        yield rates | dict(zip((name for name in farther if name in shapes), far, strict=True))


class Counts:
    """What the engine counts, numerator and denominator, put together from parts.

    The degrees of each part are measured first, along each parameter, with the others at their second value and again
    at their third. A part of degree 0 in a parameter is then asked for at one value of it.
    """

    def __init__(self, axes: Axes) -> None:
        self._axes = axes
        self._base, self._other = ({name: axes.values(name, n)[-1] for name in axes.names} for n in (2, 3))
        self._moving: dict[Part, set[str]] = {part: set() for part in self._ask(self._base)}  # what a part changes with
        self._degrees: dict[str, int] = {}  # the highest of a part, in each parameter
        self._known: dict[tuple[int, ...], list[tuple[Exact, Exact]]] = {}  # by place, what all groups come to

    def _ask(self, config: Mapping[str, int]) -> dict[Part, Exact]:
        answer = self._axes.probe.ask(**self._axes.config(config))
        over, under = answer if isinstance(answer, Ratio) else (answer, 1)
        sides = [side if isinstance(side, Parts) else {"": side} for side in (over, under)]
        return {(side, part): found for side, parts in enumerate(sides) for part, found in parts.items()}

    def measure(self, name: str, at_least: int) -> None:
        """Find the highest degree of a part in one parameter, from two corners."""
        self._degrees[name] = max(self._along(name, base, at_least) for base in (self._base, self._other))

    def _along(self, name: str, base: dict[str, int], at_least: int) -> int:
        """Differences are taken at two points more than `at_least`, and then until the last of every part vanishes."""
        seen: list[tuple[int, dict[Part, Exact]]] = []
        while True:
            at = self._axes.values(name, len(seen) + 1)[-1]
            seen.append((at, self._ask({**base, name: at})))
            if len(seen) < at_least + 2:
                continue
            parts = dict.fromkeys(part for _, found in seen for part in found)
            along = {p: divided_differences([(x, found.get(p, 0)) for x, found in seen]) for p in parts}
            if all(d[-1] == 0 for d in along.values()):
                break
            if len(seen) > at_least + _HIGHER:
                raise Uncertifiable(f"the engine's count does not look like a polynomial in {name}")
        highest = 0
        for part, differences in along.items():
            degree = max((i for i, value in enumerate(differences) if value), default=0)
            highest = max(highest, degree)
            self._moving.setdefault(part, set()).update({name} if degree else ())
        return highest

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

    def groups(self) -> Iterator[Grid]:
        """The parts that change with the same parameters, on a grid of these alone, after all degrees were measured."""
        for group, moves in enumerate(self._groups):
            yield Grid(self, group, moves, tuple(self._base), self._degrees, self._axes)

    def of_group(self, group: int, moves: tuple[bool, ...], side: int, point: tuple[int, ...]) -> Exact:
        """What a group comes to where the parameters that it changes with are those of a point."""
        where = tuple(map(_chosen, moves, point, self._base.values()))
        if where not in self._known:
            self._known[where] = self._at(where)
        return self._known[where][group][side]


class Grid:
    """Parts of a count that change with the same parameters, on a grid that decides them."""

    def __init__(
        self,
        counts: Counts,
        group: int,
        moves: tuple[bool, ...],
        names: tuple[str, ...],
        degrees: Mapping[str, int],
        axes: Axes,
    ) -> None:
        self._counts, self._group = counts, group
        self.moves = moves
        self.moving = tuple(name for name, moved in zip(names, moves, strict=True) if moved)
        self.degrees = tuple(degrees[name] for name in self.moving)
        self.axes = [axes.values(n, degrees[n] + 1 if m else 1) for n, m in zip(names, moves, strict=True)]

    def at(self, side: int, point: tuple[int, ...]) -> Exact:
        """The numerator's part (side 0) or the denominator's (1) at a point of the grid."""
        return self._counts.of_group(self._group, self.moves, side, point)


def _chosen(moves: bool, there: int, here: int) -> int:
    return there if moves else here
