"""Rows of a table in columns, to select from and to group"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

Numbers = NDArray[numpy.float64]
Array = NDArray[Any]


@dataclass(frozen=True)
class Rows:
    """Rows of a table, each column an array of the same length: numbers as float64, names as text."""

    columns: Mapping[str, Array]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, column: str) -> Array:
        """The values of a column."""
        return self.columns[column]

    def each(self, *columns: str) -> list[tuple[Any, ...]]:
        """The values of each row in some columns."""
        return list(zip(*(self[column].tolist() for column in columns), strict=True))

    def values(self, column: str) -> list[Any]:
        """The different values of a column, ascending."""
        return sorted({*self[column].tolist()})

    def where(self, chosen: Array) -> Rows:
        """The rows at which an array is true, or those that it numbers, in its order."""
        return Rows({name: values[chosen] for name, values in self.columns.items()})

    def of(self, **wanted: str | float) -> Rows:
        """The rows that have these values: `rows.of(device="l40s", format="bfloat16")`."""
        chosen = numpy.ones(len(self), bool)
        for name, value in wanted.items():
            chosen &= self[name] == value
        return self.where(chosen)

    def beside(self, **more: Array) -> Rows:
        """The rows with further columns."""
        return Rows({**self.columns, **more})

    def groups(self, *names: str) -> Iterator[tuple[tuple[Any, ...], Rows]]:
        """The rows that agree in some columns, with their values there; in the order in which they first appear."""
        places: dict[tuple[Any, ...], list[int]] = {}
        for place, key in enumerate(self.each(*names)):
            places.setdefault(key, []).append(place)
        for key, some in places.items():
            yield key, self.where(numpy.array(some))


def joined(parts: Sequence[Rows], *names: str) -> Rows:
    """The rows of several tables, one after the other: columns of these `names`, or all those of the first."""
    return Rows({name: numpy.concatenate([some[name] for some in parts]) for name in names or parts[0].columns})
