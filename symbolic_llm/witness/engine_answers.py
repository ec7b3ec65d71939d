"""The engine's answers to questions: for all shapes, and at one place

A question is put in the engine's own words. What a run enters is known for all shapes (`ledger_entries`), so an answer
is put together from that: with ratios of polynomials for its parameters, or with numbers. The engine is run for it only
where no entry says it. What was answered at a place is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Any, TypeVar, cast

from reference_engine.ledger import Ledger, Tally
from reference_engine.probes import Probe, probes
from reference_engine.probes.counts import Passed
from reference_engine.probes.ledger_audit import entered_and_done
from reference_engine.probes.measures import Value
from reference_engine.probes.runs import Passes, Run
from reference_engine.probes.subjects import Subject

from ..expressions.polynomial import Polynomial
from .ledger_entries import (
    BLOCKS,
    EXPERT,
    EXPERTS,
    TOKENS,
    USUAL,
    Entries,
    Key,
    Uncertifiable,
    border_of,
    memory,
    read,
    written,
)
from .regions import Config, Fact, Symbolic, Way, polynomials_of, ways_through

Entry = tuple[Entries, Key]


entries_of = lru_cache(maxsize=None)(Entries)  # all questions about a run rest on the same


@dataclass(frozen=True)
class Answered:
    """An answer in one branch.

    Attributes:
        way: the way through all comparisons that leads there.
        over: the count, or the numerator of a ratio.
        under: its denominator; 1 for a plain count.
        rests_on: the entries that it was put together from.
    """

    way: Way
    over: Polynomial
    under: Polynomial
    rests_on: frozenset[Entry]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that hold there."""
        return tuple(replace(fact, gap=self.there(fact.gap)) for fact in self.way.facts)

    def there(self, polynomial: Polynomial) -> Polynomial:
        """A polynomial with its number for each parameter that is taken for a plain one in this branch."""
        if not (fixed := self.way.fixed):
            return polynomial
        names = self.over.names
        known = {name: Polynomial.constant(number, names) for name, number in fixed.items()}
        return polynomial.put_in([known.get(name) or Polynomial.letter(name, names) for name in names], names)


Put = Callable[[Way, Entries, Key, tuple[Polynomial, ...]], Symbolic]  # what stands for an entry with these arguments


def answers(
    probe: Probe, given: Mapping[str, Polynomial], place: Config, conditions: Sequence[Fact]
) -> tuple[Answered, ...]:
    """The answers to a question in all its branches where some conditions hold.

    Args:
        probe: the question.
        given: its parameters as polynomials in those that are free.
        place: a value of each parameter, for what is gone through one by one.
        conditions: what holds.

    Raises:
        Uncertifiable: an entry is not known for all shapes.
    """

    def answer(way: Way) -> Answered:
        rests_on = set[Entry]()

        def put_in(way: Way, entries: Entries, key: Key, values: tuple[Polynomial, ...]) -> Symbolic:
            rests_on.add((entries, key))
            return Symbolic(way, entries[key].put_in(values, values[0].names))

        over, under = answer_of(probe, given, way, put_in)
        return Answered(way, over, under, frozenset(rests_on))

    return tuple(answered for _, answered in ways_through(place, conditions, answer))


def answer_of(probe: Probe, given: Mapping[str, Polynomial], way: Way, put: Put) -> tuple[Polynomial, Polynomial]:
    """Numerator and denominator of what a question comes to on one way, whatever is put in the place of entries."""
    names = next(iter(given.values())).names if given else ()

    def passes(run: Run, subject: Subject, values: Mapping[str, Any]) -> Passes:
        """A pass that stands for all of a run; its entries are put together as they are asked for."""
        entries = _entries_at(run, subject, values)
        # nobody runs at a quotient
        every = tuple(polynomials_of(values.get(name, USUAL), names)[0] for name in entries.names)
        return _pass_of(entries, lambda *key: put(way, entries, key, every))

    symbolic = {name: Symbolic(way, polynomial) for name, polynomial in given.items()}
    return polynomials_of(probe.ask(passes, **symbolic), names)


def known(run: Run, subject: Subject, values: Mapping[str, Any]) -> Passes:
    """Passes of a run at one place, from the polynomials of its entries: the engine is not run."""
    entries = _entries_at(run, subject, values)
    return _known_at(entries, tuple(values.get(name, USUAL) for name in entries.names))


@lru_cache(maxsize=2**12)  # a question asks about one place several times, and many ask about the same
def _known_at(entries: Entries, point: tuple[Any, ...]) -> Passes:
    return _pass_of(entries, lambda *key: entries.at(key, point))


def _entries_at(run: Run, subject: Subject, values: Mapping[str, Any]) -> Entries:
    """Entries of a run on the side of the border that these values are on."""
    border = border_of(run, subject)
    return entries_of(run, subject, border.side(values) if border else ())


def _pass_of(entries: Entries, entry: Callable[[str, str, str], Any]) -> Passes:
    """A pass with these entries, each computed when it is read, and multiplied by the number of its blocks."""

    @cache
    def value(what: str, path: str, op: str) -> Any:
        top, _, below = path.partition(".")
        found = entry(what, path, op)
        return found * value(BLOCKS, below.partition(".")[0], "") if top == BLOCKS else found

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
    """A mapping whose values are made when they are asked for, since others may be unknown."""

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
    """Places of a ledger where something is held, and places where something is done.

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
    """Paths in a ledger of what one block and one expert hold, each with the number of its copies."""
    found: list[tuple[str, tuple[_Number, ...]]] = [(path, ())]
    top, block, below = path.partition(f".{BLOCKS}.")
    if block:
        kind, _, rest = below.partition(".")
        every = (BLOCKS, kind, "")
        # block 0 is of the first kind and has a path of its own, so of its kind one fewer is left for path 1
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
    """The tally of an op at a path; each count is put together when it is asked for."""

    def __init__(self, value: Callable[[str, str, str], Any], path: str, op: str) -> None:
        self._value, self._at = value, (path, op)

    def __getattr__(self, what: str) -> Any:
        return self._value(what, *self._at)


# Answers at one place, each asked for once


@lru_cache(maxsize=2**16)  # a check of everything asks some ten thousand questions, many of them for several formulas
def _asked_for(probe: Probe, answers_to: tuple[int | Fraction, ...]) -> Value:
    values = dict(zip(probe.parameters, answers_to, strict=True))

    def answer() -> Value:
        with suppress(Uncertifiable):
            return probe.ask(known, **values)
        return run_for(probe, values)

    return _remembered("answer to", probe, values, answer)


def run_for(probe: Probe, values: Config) -> Value:
    """The answer for which the engine is run at this very place."""
    at = {name: values[name] for name in probe.parameters}
    return _remembered("run for", probe, at, lambda: probe.ask(**at))


def _remembered(what: str, probe: Probe, values: Config, answer: Callable[[], Value]) -> Value:
    """An answer, kept under this name: another process need not look for it again."""
    if not _is_the_engines(probe):
        return answer()
    name = f"{what} {probe.subject.name}/{probe.name}({', '.join(map(str, values.values()))})"
    return read(memory().row(name, lambda: written(answer())))


def _is_the_engines(probe: Probe) -> bool:
    """Whether its name is enough to remember its answers by: others may have the name of one of these."""
    return probe in probes(probe.name)


def counted(probe: Probe, config: Config) -> Value:
    """The number that the engine's answer comes to, or whether it says yes; kept for the next time."""
    return _asked_for(probe, tuple(config[name] for name in probe.parameters))


def miscounted(probe: Probe) -> str:
    """A fault of the ledger of what the probe runs, found by scalars that count themselves; "" if there is none."""
    run, subject = probe.asks.run, probe.subject
    name = f"entered and done in {run.name if run else 'nothing'} of {subject.name}"
    look = partial(entered_and_done, subject, run)
    entered, done = memory().row(name, look) if _is_the_engines(probe) else look()
    if entered == done:
        return ""
    return f"the ledger of {subject.name} enters {entered:,} operations where {done:,} are done"
