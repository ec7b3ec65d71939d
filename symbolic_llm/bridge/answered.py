"""The engine's answer to a question for all shapes: calculated with polynomials instead of numbers

A question is put in the engine's own words, with traced numbers for its parameters. What a run enters comes from the
polynomials of its entries, so the engine need not be run again; all that the answer does with it, it does to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar, cast

from reference_engine.ledger import Ledger, Tally
from reference_engine.probes import Parts, Probe, Ratio
from reference_engine.probes.answers import Value
from reference_engine.probes.counts import Passed
from reference_engine.probes.runs import Passes, Run
from reference_engine.probes.subjects import Subject

from ..expressions.polynomial import Polynomial
from .borders import border_of
from .entered import BLOCKS, EXPERT, EXPERTS, TOKENS, USUAL, Key, Uncertifiable
from .entries import Entries
from .traced import Traced, polynomial_of, value_of

Entry = tuple[Entries, Key]


def sides(answer: Value) -> tuple[Any, Any]:
    """Numerator and denominator of an answer; of a plain count, 1 divides it."""
    over, under = answer if isinstance(answer, Ratio) else (answer, 1)
    return tuple(side.value if isinstance(side, Parts) else side for side in (over, under))  # type: ignore[return-value]


entries_of = lru_cache(maxsize=None)(Entries)  # all questions about a run rest on the same


class Answered:
    """What a question comes to where all comparisons come out as at one place.

    Attributes:
        over: the count, or the numerator of a ratio.
        under: its denominator; 1 for a plain count.
        rests_on: the entries that it was put together from.
    """

    over: Polynomial
    under: Polynomial

    def __init__(self, probe: Probe, names: tuple[str, ...], values: Mapping[str, Traced]) -> None:
        self._names = names
        self.rests_on: set[Entry] = set()
        self.over, self.under = map(self._polynomial, sides(probe.ask(self._passes, **values)))

    def _polynomial(self, number: Any) -> Polynomial:
        found = polynomial_of(number, self._names)
        if found is None:
            raise Uncertifiable("the engine's answer is no ratio of polynomials")
        return found

    def _passes(self, run: Run, subject: Subject, values: Mapping[str, Any]) -> Passes:
        """One pass that stands for all of a run; its entries are put together as they are asked for."""
        entries = _entries_at(run, subject, values)
        put_in = _PutIn(entries, [values.get(name, USUAL) for name in entries.names], self._names, self.rests_on)
        return _pass_of(entries, put_in)


def known(run: Run, subject: Subject, values: Mapping[str, Any]) -> Passes:
    """What the passes of a run come to at one place by the polynomials of their entries: the engine is not run."""
    entries = _entries_at(run, subject, values)
    return _known_at(entries, tuple(values.get(name, USUAL) for name in entries.names))


@lru_cache(maxsize=2**12)  # a question asks about one place several times, and many ask about the same
def _known_at(entries: Entries, point: tuple[Any, ...]) -> Passes:
    return _pass_of(entries, lambda *key: entries.at(key, point))


def _entries_at(run: Run, subject: Subject, values: Mapping[str, Any]) -> Entries:
    """Those of the side that these values are on."""
    border = border_of(run, subject)
    return entries_of(run, subject, border.side(values) if border else ())


def _pass_of(entries: Entries, entry: Callable[[str, str, str], Any]) -> Passes:
    """One pass with these entries, each asked for when it is read; of a block as often as there are such."""

    @cache
    def value(what: str, path: str, op: str) -> Any:
        top, _, below = path.partition(".")
        found = entry(what, path, op)
        return found * entry(BLOCKS, below.partition(".")[0], "") if top == BLOCKS else found

    def held(at: _Held) -> Any:
        path, so_often = at
        found = value("held", path, "")
        for key, without in so_often:
            found = found * (value(*key) - without)
        return found

    all_held, entered = _places(entries)
    ledger = Ledger()
    ledger.held = cast(dict[str, int], _Each(all_held, held))
    ledger.entries = cast(dict[tuple[str, str], Tally], _Each(entered, lambda at: _Tally(value, *at)))
    return (Passed(1, ledger, cast(int, value(*TOKENS))),)


_At = TypeVar("_At")


class _Each(Mapping[_At, Any]):
    """What is made for each place when it is asked for: others may be unknown."""

    def __init__(self, places: Mapping[_At, Any], make: Callable[[Any], Any]) -> None:
        self._places, self._make = places, make

    def __getitem__(self, at: _At) -> Any:
        return self._make(self._places[at])

    def __iter__(self) -> Iterator[_At]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


_Number = tuple[Key, int]  # an entry that says how many there are, and how many of them are left out
_Held = tuple[str, tuple[_Number, ...]]  # the path of an entry, and how often it is held so


@cache  # asked for by everything that is calculated from the entries
def _places(entries: Entries) -> tuple[dict[str, _Held], dict[tuple[str, str], tuple[str, str]]]:
    """Where something is held, and where something is done, in a ledger.

    The first block and the first expert have paths of their own, as questions are about one of them.
    """
    held = (path for what, path, _ in entries.keys if what == "held")
    done = ((path, op) for what, path, op in entries.keys if what not in ("held", TOKENS[0], EXPERTS[0], BLOCKS))
    return (
        {at: (path, so_often) for path in held for at, so_often in _written_out(path)},
        {at: at for at in done},
    )


@lru_cache(maxsize=2**12)
def _written_out(path: str) -> tuple[tuple[str, tuple[_Number, ...]], ...]:
    """Where what one block and one expert hold stands in a ledger, and how often."""
    found: list[tuple[str, tuple[_Number, ...]]] = [(path, ())]
    top, block, below = path.partition(f".{BLOCKS}.")
    if block:
        kind, _, rest = below.partition(".")
        every = (BLOCKS, kind, "")
        of_kind = [("0", ()), ("1", ((every, 1),))] if kind == "0" else [(str(1 + int(kind)), ((every, 0),))]
        found = [(f"{top}{block}{number}.{rest}", often) for number, often in of_kind]
    if EXPERT in path:
        of_all = [("0", ()), ("1", ((EXPERTS, 1),))]
        found = [
            (at.replace(EXPERT, f"experts.{number}."), (*often, *more))
            for at, often in found
            for number, more in of_all
        ]
    return tuple(found)


class _Tally:
    """What an op at a path comes to, each put together when it is asked for."""

    def __init__(self, value: Callable[[str, str, str], Any], path: str, op: str) -> None:
        self._value, self._at = value, (path, op)

    def __getattr__(self, what: str) -> Any:
        return self._value(what, *self._at)


class _PutIn:
    """Entries with traced or plain numbers in the place of their parameters."""

    def __init__(self, entries: Entries, values: list[Any], names: tuple[str, ...], rests_on: set[Entry]) -> None:
        self._entries, self._names, self._rests_on = entries, names, rests_on
        self._numbers, self._polynomials = [*map(value_of, values)], [_polynomial(one, names) for one in values]
        self._known: dict[Key, Traced] = {}

    def __call__(self, what: str, path: str, op: str) -> Traced:
        key = what, path, op
        if key not in self._known:
            self._rests_on.add((self._entries, key))
            self._known[key] = self._put_in(key)
        return self._known[key]

    def _put_in(self, key: Key) -> Traced:
        entry = self._entries[key]
        return Traced(entry(self._numbers), entry.put_in(self._polynomials, self._names))


def _polynomial(number: Any, names: tuple[str, ...]) -> Polynomial:
    found = polynomial_of(number, names)
    assert found is not None, "no run is asked for at a quotient"
    return found
