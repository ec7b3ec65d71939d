"""What a run enters into the ledger, for all shapes: each entry as a polynomial in the parameters

Two polynomials whose degrees in each parameter are at most D agree everywhere if they agree on a grid of D + 1 values
per parameter. The degree of an entry is itself measured: along each parameter, from two corners of the grid, finite
differences are taken until they vanish, with one point more than the degree needs. The engine is then run on the grid
that this asks for; an entry that does not change along a parameter is not run again for its other values. What remains
assumed is that an entry is a polynomial of no higher degree in each parameter than it shows along these lines. It is
put to the test beyond the grid, far out on each parameter, where the engine is run once for all entries.

A run decides several entries at once: where the grid of one lies along other parameters than that of another, a point
belongs to both (`covering`). Where a window fills, every expert is used or every token is picked, entries change their
form: there they are looked at on either side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache, partial
from itertools import count, islice
from typing import Any

from reference_engine.probes.runs import HEAD, Run
from reference_engine.probes.subjects import Subject

from ..cache import digest
from ..expressions.polynomial import Exact, Polynomial, divided_differences, interpolated
from .borders import Side, border_of
from .configurations import OFFERED
from .covering import Grid, covering, of_grid
from .entered import Key, Uncertifiable, entered
from .remembered import memory, read, written

ASSUMPTION = (
    "each entry of the ledger is a polynomial in each parameter, of no higher degree than its finite differences show"
)

_HIGHEST = 3  # degree of an entry that is looked for; it has one of 2 in the context at most
_OF_A_KIND = (
    *("n_blocks", "n_dense", "n_moe", "n_global", "n_local", "n_state", "n_conv", "n_index", "n_follow"),
    *("n_sliding", "n_csa", "n_hca"),
)
_FAR_OUT = (23, 29, 31, 37, 41, 43, 47)  # of a parameter alone, well beyond any grid
_MANY_DEVICES = 13  # well beyond it too: what devices send each other goes with the square of their number


class Bent(Uncertifiable):
    """Beyond the grids, an entry is not what its polynomial says."""


class Entries:
    """What a run enters for a subject, on one side of its border.

    Attributes:
        names: the parameters.
        keys: which entries there are.
    """

    def __init__(self, run: Run, subject: Subject, raised: Side = ()) -> None:
        widths = (
            ("n_bytes", "n_bytes_kv", *(("n_bytes_state",) * ("hybrid" in subject.traits)))
            if subject.is_decoder
            else ("n_bytes_act",)
            if run is HEAD
            else ()
        )
        self.names = tuple(dict.fromkeys((*subject.shape, *run.takes, *widths)))
        self._raised = dict(raised)
        self._name = f"{run.name} of {subject.name}, {' and '.join(self._raised)} raised"
        self._counted = lru_cache(maxsize=None)(partial(entered, run, subject, self.names))
        self._border = border_of(run, subject)
        self._base, other = (tuple(self._corner(name, number) for name in self.names) for number in (2, 3))
        self._degrees: dict[Key, dict[int, int]] = defaultdict(dict)  # by place of the parameter, if it is not zero
        self._irregular: dict[Key, str] = {}
        self._known: dict[Key, Polynomial] = {}
        self._lines: set[tuple[int, ...]] = set()
        if (row := memory().get(self._name)) is None:
            for place in range(len(self.names)):
                for corner in (self._base, other):
                    self._look_along(place, corner)
            memory().note(self._name, self._row())
        else:
            self._read(row)
        self.keys = tuple(self._degrees)

    def _row(self) -> list[Any]:
        degrees = [(key, list(by.items())) for key, by in self._degrees.items()]
        return [degrees, list(self._irregular.items()), sorted(self._lines)]

    def _read(self, row: list[Any]) -> None:
        degrees, irregular, lines = row
        self._degrees |= {tuple(key): dict(by) for key, by in degrees}
        self._irregular |= {tuple(key): name for key, name in irregular}
        self._lines |= set(map(tuple, lines))

    def runs(self, keys: Iterable[Key]) -> int:
        """How often the engine has to be run to know these entries."""
        asked = sorted(keys)
        name = f"{self._name}: runs for {digest(*map(' '.join, asked))}"
        runs = partial(self._runs, asked)
        return int(memory().row(name, runs))

    def _runs(self, keys: list[Key]) -> int:
        return len(self._lines.union(*(of_grid(self._grid(key), self._points).values() for key in keys)))

    def __getitem__(self, key: Key) -> Polynomial:
        """An entry in all parameters, from its counts on a grid of those that it changes with."""
        if key in self._irregular:
            along = self._irregular[key]
            raise Uncertifiable(f"the engine's count of {key[1]} does not look like a polynomial in {along}")
        if key not in self._known:
            row = memory().row(f"{self._name}: {' '.join(key)}", partial(self._terms, key))
            self._known[key] = Polynomial({tuple(powers): read(factor) for powers, factor in row}, self.names)
        return self._known[key]

    def _terms(self, key: Key) -> list[Any]:
        terms = self._interpolated(key)
        self._put_to_the_test(key, Polynomial(terms, self.names))
        return [(powers, written(factor)) for powers, factor in terms.items()]

    def _interpolated(self, key: Key) -> dict[tuple[int, ...], Exact]:
        grid = self._grid(key)
        where, places = of_grid(grid, self._points), [place for place, _ in grid]
        axes = [list(dict(grid).get(place, [here])) for place, here in enumerate(self._base)]
        return interpolated(
            axes, (), lambda point: self._counted(where[tuple(point[place] for place in places)]).get(key, 0)
        )

    def _grid(self, key: Key) -> Grid:
        """The values that decide an entry, of each parameter that it changes with."""
        degrees = self._degrees[key]
        return tuple((place, tuple(self._values(self.names[place], degrees[place] + 1))) for place in sorted(degrees))

    @cached_property
    def _points(self) -> list[tuple[int, ...]]:
        """Where the engine is run: along the lines, and where that is enough to meet the grid of every entry."""
        regular = (key for key in self.keys if key not in self._irregular)
        return covering(map(self._grid, regular), sorted(self._lines), self._base)

    def _put_to_the_test(self, key: Key, found: Polynomial) -> None:
        """Run the engine beyond the grids; `Bent` if it enters something else there."""
        for point, counts in self._beyond:
            if found(point) != counts.get(key, 0):
                raise Bent(f"beyond the grids the engine's count of {key[1]} is not what its finite differences show")

    @cached_property
    def _beyond(self) -> list[tuple[tuple[int, ...], dict[Key, Exact]]]:
        """What is entered at points outside the grids on the same side; `Bent` if that is something new."""
        found = [(point, self._counted(point)) for point in self._points_beyond()]
        for key in (key for _, counts in found for key, number in counts.items() if number):
            if key not in self._degrees:
                raise Bent(f"beyond the grids the engine enters {key[1]}, and on them it does not")
        return found

    def _points_beyond(self) -> Iterator[tuple[int, ...]]:
        """Two with all parameters beyond, to show what vanishes on all lines, and those far out on one of them."""
        for turn in (0, 1):
            at = (4 if name in _devices(self.names) else 5 + (i + turn) % 2 for i, name in enumerate(self.names))
            if self._is_on_side(point := tuple(map(self._farther, self.names, at))):
                yield point
        for name in self.names:
            if name not in OFFERED:
                far = far_out(name, self.names)
                for moved in ({name}, {name, *self._raised}):  # what has to stay larger than it goes along
                    there = (self._farther(one, far) if one in moved else here for one, here in self._at_base())
                    if self._is_on_side(point := tuple(there)):
                        yield point
                        break

    def _is_on_side(self, point: tuple[int, ...]) -> bool:
        """Whether the entries that a point is on are these."""
        values = dict(zip(self.names, point, strict=True))
        return self._border is None or dict(self._border.side(values)) == self._raised

    def _at_base(self) -> Iterator[tuple[str, int]]:
        return zip(self.names, self._base, strict=True)

    def _farther(self, name: str, at: int) -> int:
        """A value beyond those of the grid."""
        return OFFERED[name][:at][-1] if name in OFFERED else at + self._raised.get(name, 0)

    def _corner(self, name: str, number: int) -> int:
        """The value of so high a number; of each kind of block there is one fewer, as all runs lie at the corners."""
        return self._values(name, number - 1 if name in _OF_A_KIND else number)[-1]

    def _values(self, name: str, number: int) -> list[int]:
        """So many values of a parameter, or all there are."""
        return list(islice(OFFERED.get(name, count(1 + self._raised.get(name, 0))), number))

    def _look_along(self, place: int, corner: tuple[int, ...]) -> None:
        """Take differences from three points on until the last of every entry vanishes, and note the degrees."""
        name = self.names[place]
        seen: list[tuple[int, dict[Key, Exact]]] = []
        while True:
            values = self._values(name, len(seen) + 1)
            if len(values) == len(seen) or len(seen) > _HIGHEST + 1:
                break
            self._lines.add(point := (*corner[:place], values[-1], *corner[place + 1 :]))
            seen.append((values[-1], self._counted(point)))
            if len(seen) < 3:
                continue
            keys = dict.fromkeys(key for _, found in seen for key in found)
            along = {key: divided_differences([(x, found.get(key, 0)) for x, found in seen]) for key in keys}
            if not any(differences[-1] for key, differences in along.items() if key not in self._irregular):
                break
        for key, differences in along.items():
            degrees, degree = self._degrees[key], max((order for order, d in enumerate(differences) if d), default=0)
            if differences[-1]:
                self._irregular.setdefault(key, name)
            if degree:
                degrees[place] = max(degree, degrees.get(place, 0))


def far_out(name: str, names: tuple[str, ...]) -> int:
    """A value of one of some parameters alone, well beyond any grid."""
    return _MANY_DEVICES if name in _devices(names) else _FAR_OUT[names.index(name) % len(_FAR_OUT)]


def _devices(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of some parameters that say how many devices there are."""
    return ("n_kv_heads", "copies") if "copies" in names else ("devices",)
