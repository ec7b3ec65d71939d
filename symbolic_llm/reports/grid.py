"""Result of a sweep: a quantity over a grid, with names for its axes, as tables of other libraries too"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from math import isfinite, prod
from typing import Any

from ..errors import MissingDependency, SymbolicLLMError
from ..files import writing
from ..notation import LETTERS, called
from ..presets import NAMES
from ..units import ONE, Unit, humanize
from .rows import aligned

_MOST_ROWS, _MOST_COLUMNS = 20, 8  # of the table that is shown


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
    _blocks: Mapping[tuple[int, ...], Any] = field(default_factory=dict)

    @property
    def reasons(self) -> Mapping[tuple[int, ...], str]:
        """Reasons why cells have no answer: the sentence that `evaluate` raises, by the places of the cell on the axes.

        Each is found when it is asked for.
        """
        return _Reasons(self)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Remarks of `explain` on a cell of each choice of presets: that of the largest letters which has an answer."""
        if lazy(self.values):
            return ()
        chosen, axes = ([axis for axis in self.axes if (axis in NAMES) is preset] for preset in (True, False))
        ends = [(max(one), min(one)) for one in (self._coordinate(axis).tolist() for axis in axes)]
        found: dict[str, None] = {}
        for place, block in self._blocks.items():
            picks = [self._coordinate(axis)[one] for axis, one in zip(chosen, place, strict=True)]
            for corner in product(*ends) if not isinstance(block, SymbolicLLMError) else ():
                with suppress(SymbolicLLMError):
                    where = zip((*chosen, *axes), (*picks, *corner), strict=True)
                    at = ", ".join(f"{axis}={_shown(axis, one)}" for axis, one in where)
                    found |= dict.fromkeys(f"{at}: {note}" for note in block.notes(corner))
                    break
        return (*found,)

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
        if lazy(self.values):
            return self._title
        lines = aligned(self._cells(), words=tuple(range(len(self._named))))
        return "\n".join([self._title, "", *lines, *(f"\n{said}" for said in self._said())])

    def _repr_html_(self) -> str:
        from ..expressions.html import paragraph, table, words

        title = paragraph(f"<strong>{words(self._title)}</strong>")
        if lazy(self.values):
            return title
        head, *rows = [tuple(map(words, row)) for row in self._cells()]
        return title + table(head, rows) + "".join(paragraph(words(said)) for said in self._said())

    @property
    def _title(self) -> str:
        sizes = " × ".join(f"{axis} ({n})" for axis, n in zip(self.axes, self.values.shape, strict=True))
        unit = f" [{self.unit}]" if self.unit.exponents else ""
        return f"{self.quantity}{unit} by {self.formula}, over {sizes}"

    @property
    def _across(self) -> bool:
        """Whether the last axis runs across the table: it is short, and others run down."""
        return len(self.axes) > 1 and self.values.shape[-1] <= _MOST_COLUMNS

    @property
    def _named(self) -> tuple[str, ...]:
        """Axes that run down the table, a column each."""
        return self.axes[:-1] if self._across else self.axes

    def _cells(self) -> list[tuple[str, ...]]:
        """The table: its head, and a row for each place on the axes that run down it, as many as are shown."""
        axes = {axis: [_shown(axis, one) for one in self._coordinate(axis).tolist()] for axis in self.axes}
        columns = [f"{self.axes[-1]}={one}" for one in axes[self.axes[-1]]] if self._across else [self.quantity]
        rows: list[tuple[str, ...]] = [(*self._named, *columns)]
        down = self.values.shape[: len(self._named)]
        for at in islice(_places(down), _MOST_ROWS):
            where = (axes[axis][place] for axis, place in zip(self._named, at, strict=True))
            values = self.values[at] if self._across else [self.values[at]]
            rows.append((*where, *("–" if value != value else self._humanized(value) for value in values)))
        return rows

    def _humanized(self, value: Any) -> str:
        return humanize(Fraction(float(value)), self.unit, 5) if isfinite(value) else str(value)

    def _said(self) -> Iterator[str]:
        """Sentences below the table: rows that are left out, cells without an answer, and remarks."""
        import numpy

        if (rows := prod(self.values.shape[: len(self._named)])) > _MOST_ROWS:
            good = self.values[~numpy.isnan(self.values)]
            ends = (
                f"; values go from {self._humanized(good.min())} to {self._humanized(good.max())}" if good.size else ""
            )
            yield f"{rows - _MOST_ROWS:,} more rows{ends}"
        if lacking := int(numpy.isnan(self.values).sum()):
            place, reason = next(iter(self.reasons.items()))
            at = ", ".join(
                f"{axis}={_shown(axis, self._coordinate(axis)[one])}"
                for axis, one in zip(self.axes, place, strict=True)
            )
            yield f"{lacking:,} of {self.values.size:,} cells have no answer; {at}: {reason}"
        yield from self.notes


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
        block = sweep._blocks[at[: len(named)]]
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


def _shown(axis: str, coordinate: Any) -> str:
    """A place on an axis as a person would write it, in the unit of the letter where the name is that of one."""
    if isinstance(coordinate, str):
        return coordinate
    letters = called(axis)
    unit = LETTERS[letters[0]].unit if len(letters) == 1 else ONE
    return humanize(Fraction(coordinate), ONE if unit.is_count else unit, 6)


def _places(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return product(*map(range, shape))


def lazy(array: Any) -> bool:
    """Whether an array is Dask's, which is computed when it is asked for."""
    return hasattr(array, "__dask_graph__")


def computed(array: Any) -> Any:
    """The array as one of NumPy's, computed now if it is Dask's."""
    return array.compute() if lazy(array) else array
