"""Result of a sweep: a quantity over a grid, with names for its axes, as tables of other libraries too"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from ..errors import MissingDependency, SymbolicLLMError
from ..files import writing
from ..presets import NAMES
from ..units import Unit, humanize


@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """A quantity over a grid.

    Attributes:
        formula: the formula, by name.
        quantity: the letter that it computes, by name.
        unit: the unit of the values.
        axes: names of the axes, in the order of the dimensions: presets, then letters as they were given.
        coordinates: by axis what varies along it: names of presets, or numbers in the unit of the letter.
        fixed: letters and presets that are the same in every cell.
        values: an array of float64, nan where there is no answer; a Dask array if an axis was one.
    """

    formula: str
    quantity: str
    unit: Unit
    axes: tuple[str, ...]
    coordinates: Mapping[str, Any]
    fixed: Mapping[str, object]
    values: Any
    _blocks: tuple[Any, ...] = field(default=())

    @property
    def reasons(self) -> Mapping[tuple[int, ...], str]:
        """Reasons why cells have no answer: the sentence that `evaluate` raises, by the places of the cell on the axes.

        Each is found when it is asked for.
        """
        return _Reasons(self)

    def to_xarray(self) -> Any:
        """An `xarray.DataArray` with the axes as dimensions and the unit among the attributes."""
        xarray = _needed("xarray")
        attributes = {"units": str(self.unit), "formula": self.formula, **{k: str(v) for k, v in self.fixed.items()}}
        return xarray.DataArray(
            self.values, dims=self.axes, coords=dict(self.coordinates), name=self.quantity, attrs=attributes
        )

    def to_pandas(self) -> Any:
        """A `pandas.Series` of the values, indexed by the axes."""
        pandas = _needed("pandas")
        levels = [self._coordinate(axis) for axis in self.axes]
        index = pandas.MultiIndex.from_product(levels, names=self.axes)
        index = index if len(levels) > 1 else index.get_level_values(0)
        return pandas.Series(computed(self.values).ravel(), index=index, name=self.quantity)

    def to_polars(self) -> Any:
        """A `polars.DataFrame` with a column for each axis and one for the quantity, a row for each cell."""
        polars = _needed("polars")
        return polars.DataFrame(self._columns())

    def to_csv(self, path: str | os.PathLike[str], *, reasons: bool = False) -> None:
        """Write a row for each cell: where it is on the axes, and the value, empty where there is none.

        Args:
            path: the file, which is replaced once all rows are written.
            reasons: whether there is a column more, which says why a cell has no value; each takes milliseconds.
        """
        import csv

        with writing(path, newline="", encoding="utf-8") as file:
            self.write_csv(csv.writer(file, lineterminator="\n"), reasons=reasons)

    def write_csv(self, writer: Any, *, reasons: bool = False) -> None:
        """Write the rows of `to_csv` to a writer of Python's csv module."""
        why = self.reasons
        writer.writerow([*self.axes, self.quantity, *(["reason"] if reasons else [])])
        values = computed(self.values)
        axes = [self._coordinate(axis).tolist() for axis in self.axes]
        for at, coordinates in zip(_places(values.shape), product(*axes), strict=True):
            value = float(values[at])
            row = [*coordinates, "" if value != value else _written(value)]
            writer.writerow([*row, why.get(at, "")] if reasons else row)

    def _coordinate(self, axis: str) -> Any:
        return computed(self.coordinates[axis])

    def _columns(self) -> dict[str, Any]:
        import numpy

        grids = numpy.meshgrid(*(numpy.arange(n) for n in self.values.shape), indexing="ij")
        columns = {axis: self._coordinate(axis)[grid.ravel()] for axis, grid in zip(self.axes, grids, strict=True)}
        return {**columns, self.quantity: computed(self.values).ravel()}

    def __repr__(self) -> str:
        sizes = " × ".join(f"{axis} ({n})" for axis, n in zip(self.axes, self.values.shape, strict=True))
        unit = f" [{self.unit}]" if self.unit.exponents else ""
        head = f"{self.quantity}{unit} by {self.formula}, over {sizes}"
        if lazy(self.values):
            return head
        import numpy

        values = self.values
        good = values[~numpy.isnan(values)]
        if not good.size:
            return f"{head}: no cell has an answer"
        low, high = (humanize(_fraction(end), self.unit, 5) for end in (good.min(), good.max()))
        lacking = values.size - good.size
        without = f"; {lacking} of {values.size} cells have no answer" if lacking else ""
        return f"{head}: from {low} to {high}{without}"


class _Reasons(Mapping[tuple[int, ...], str]):
    """Reasons why cells have no answer, by cell, each found when it is asked for."""

    def __init__(self, sweep: Sweep) -> None:
        self._sweep, self._values = sweep, computed(sweep.values)

    def __getitem__(self, at: tuple[int, ...]) -> str:
        sweep = self._sweep
        try:
            lacking = len(at) == len(sweep.axes) and bool(self._values[at] != self._values[at])
        except (IndexError, TypeError, ValueError):
            lacking = False
        if not lacking:
            raise KeyError(at)
        at = tuple(place % size for place, size in zip(at, self._values.shape, strict=True))
        named = [axis for axis in sweep.axes if axis in NAMES]
        block = sweep._blocks[_flat(at[: len(named)], self._values.shape)]
        try:
            if isinstance(block, SymbolicLLMError):
                raise block
            block.evaluate([sweep._coordinate(a)[i] for a, i in zip(sweep.axes, at, strict=True) if a not in NAMES])
        except SymbolicLLMError as error:
            return str(error)
        raise KeyError(at)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        import numpy

        return (tuple(map(int, at)) for at in numpy.argwhere(numpy.isnan(self._values)))

    def __len__(self) -> int:
        import numpy

        return int(numpy.isnan(self._values).sum())


def _needed(library: str) -> Any:
    from importlib import import_module

    try:
        return import_module(library)
    except ModuleNotFoundError:
        raise MissingDependency(f"this needs {library}; install it with pip install {library}.") from None


def _written(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def _fraction(value: Any) -> Any:
    return Fraction(float(value))


def _flat(at: tuple[int, ...], shape: tuple[int, ...]) -> int:
    found = 0
    for place, size in zip(at, shape, strict=False):
        found = found * size + place
    return found


def _places(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return product(*map(range, shape))


def lazy(array: Any) -> bool:
    """Whether an array is Dask's, which is computed when it is asked for."""
    return hasattr(array, "__dask_graph__")


def computed(array: Any) -> Any:
    """The array as one of NumPy's, computed now if it is Dask's."""
    return array.compute() if lazy(array) else array
