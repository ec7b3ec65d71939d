"""What the engine answered before, on the very same sources of the engine

Formulas do not change what the engine counts. Its answers, and its entries for all shapes, are therefore kept in the
user's cache under the sources that they come from, and a formula that was edited asks it only what is new.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from ..cache import Rows, Store, digest
from ..expressions.polynomial import Exact
from ..sources import PACKAGE, below, texts

_ANSWERING = (PACKAGE.parent / "reference_engine", PACKAGE / "bridge", PACKAGE / "expressions")


class Memory:
    """What is remembered, and what came to it since it was last asked for that."""

    def __init__(self) -> None:
        files = [file for folder in _ANSWERING for file in below(folder)]
        self._store = Store("engine", digest(*texts(files), sys.version, version("numpy")), files)
        self._rows = self._store.rows
        self._new: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """What is remembered under this name, or None."""
        return self._rows.get(name)

    def note(self, name: str, row: Any) -> None:
        """Remember this from now on."""
        self._new[name] = row
        self._rows.keep({name: row})

    def row(self, name: str, make: Callable[[], Any]) -> Any:
        """What is remembered under this name; where nothing is, it is made, and remembered from now on unless None."""
        if (found := self.get(name)) is None and (found := make()) is not None:
            self.note(name, found)
        return found

    def disregard(self) -> None:
        """Forget what was remembered before."""
        self._rows = Rows()

    def news(self) -> dict[str, Any]:
        """What was noted since the last time."""
        new, self._new = self._new, {}
        return new

    def keep(self, rows: Mapping[str, Any]) -> None:
        """Keep these, for this process and the next."""
        self._rows.keep(rows)
        self._store.add(rows)


@lru_cache(maxsize=1)
def memory() -> Memory:
    """The memory of this process."""
    return Memory()


def written(number: Exact | bool) -> int | str:
    """An exact number for the store."""
    return f"{number.numerator}/{number.denominator}" if isinstance(number, Fraction) else number


def read(number: Any) -> Exact:
    """An exact number from the store; `ValueError` for anything else."""
    if isinstance(number, str):
        return Fraction(number)
    if isinstance(number, int):
        return number
    raise ValueError(number)
