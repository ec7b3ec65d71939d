"""Few points that cover many grids

A grid lies along some of the parameters, and what is looked at on it does not change with the others. One point can
therefore belong to many grids: to one along the widths and to one along the batch at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import prod

Point = tuple[int, ...]
Grid = tuple[tuple[int, Sequence[int]], ...]  # places of the parameters that it lies along, and its values of each


def covering(grids: Iterable[Grid], known: Iterable[Point], usual: Point) -> list[Point]:
    """Points among which every one of each grid is met; those beyond what is known are few, though not the fewest.

    Args:
        grids: what has to be covered.
        known: points that are there anyway.
        usual: the values where no grid asks for others.
    """
    points: list[list[int | None]] = [list(point) for point in known]
    for grid in sorted(set(grids), key=lambda grid: (-_size(grid), grid)):
        met = set[tuple[int | None, ...]]()
        left = defaultdict[tuple[int | None, ...], list[list[int | None]]](list)
        for point in points:
            there = tuple(point[place] for place, _ in grid)
            if None in there:
                left[there].append(point)
            else:
                met.add(there)
        for wanted in product(*(values for _, values in grid)):
            if wanted not in met:
                fits = [there for there, of in left.items() if of and _may_become(there, wanted)]
                if fits:
                    point = left[min(fits, key=lambda there: there.count(None))].pop()
                else:
                    point = [None for _ in usual]
                    points.append(point)
                for (place, _), value in zip(grid, wanted, strict=True):
                    point[place] = value
    return [tuple(there if one is None else one for one, there in zip(point, usual, strict=True)) for point in points]


def of_grid(grid: Grid, points: Sequence[Point]) -> Mapping[Point, Point]:
    """The first of some points for each of a grid, by the values of the parameters that it lies along."""
    found = {tuple(point[place] for place, _ in grid): point for point in reversed(points)}
    return {wanted: found[wanted] for wanted in product(*(values for _, values in grid))}


def _size(grid: Grid) -> int:
    return prod(len(values) for _, values in grid)


def _may_become(there: tuple[int | None, ...], wanted: Point) -> bool:
    return all(one is None or one == value for one, value in zip(there, wanted, strict=True))
