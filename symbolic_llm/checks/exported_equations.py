"""Equations beside the engine's counts as records, for `export`: all that is needed to decide them again"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..algebra import Ge, Gt, Le, Lt
from ..expressions.arithmetic import plain
from ..expressions.polynomial import Exact, Polynomial
from ..expressions.trees import terms, tree, trees
from ..formula import Formula
from ..witness.certificate_for_all_shapes import About, asking, decidable
from ..witness.engine_answers import Answered, answer_of
from ..witness.ledger_entries import Entries, Key
from ..witness.letters import bound, conditions_of, tied, written
from ..witness.regions import Fact, Symbolic, Way, excluded
from ..witness.subjects import counts
from . import verify_alone

Table = dict[str, Any]


class Tables:
    """Tables of the engine's entries on which formulas rest, one table for each side of each run."""

    def __init__(self) -> None:
        self.by_file = dict[str, Table]()

    def place(self, entries: Entries, key: Key) -> tuple[str, str]:
        """Take in an entry; its file, and its name there: what is entered, at which path, by which op."""
        side = f", {entries.side} more" if entries.side else ""
        file = f"{entries.subject.name}, {entries.run.name}{side}.json".replace(" ", "_")
        if file not in self.by_file:
            about = {"subject": entries.subject.name, "run": entries.run.name, "side": entries.side}
            names = {"parameters": list(entries.names), "whole": [*filter(counts, entries.names)]}
            self.by_file[file] = {**about, **names, "entries": {}}
        name = " ".join(filter(None, key))
        if name not in (table := self.by_file[file]["entries"]):
            table[name] = terms(entries[key])
        return file, name

    def add(self, others: Mapping[str, Table]) -> None:
        """Take over the tables of another object of this class."""
        for file, table in others.items():
            entries = self.by_file.setdefault(file, table)["entries"]
            entries |= table["entries"]


def subjects_of(formula: Formula, claim: Mapping[str, Any], tables: Tables) -> list[dict[str, Any]]:
    """The records of what decides a formula, one for each subject.

    Args:
        formula: what is decided.
        claim: the record of its claim and its conditions.
        tables: take in the entries that it rests on.

    Raises:
        ValueError: it is not decided: the program that readers get would not verify it.
    """
    return [_subject(formula, claim, probe, tables) for probe in decidable(formula)]


def _subject(formula: Formula, claim: Mapping[str, Any], probe: Any, tables: Tables) -> dict[str, Any]:
    about = asking(formula, probe)
    every = [one.relation for one in conditions_of(formula, probe) if isinstance(one.relation, Ge | Gt | Le | Lt)]
    record: dict[str, Any] = {
        "subject": probe.subject.name,
        "question": probe.name,
        "asks": probe.question,
        "measures": probe.quantity,
        "parameters": list(about.names),
        "whole": [*filter(counts, about.names)],
        "letters": [*_letters(formula, probe, [formula.rhs, *every])],
        "conditions": trees(one for one in every if one not in [own.relation for own in formula.conditions]),
        "answers": [*_answers(about, tables)],
    }
    # by the program that readers get: pairs have its names, and what it would reject is not written
    pairs = dict(verify_alone.compared(claim, record, tables.by_file))
    record["apart"] = {key: _multipliers(about.names, pair) for key, pair in pairs.items() if not pair.same}
    verify_alone.decided(record, pairs)
    return record


def _letters(formula: Formula, probe: Any, expressions: Sequence[Any]) -> Iterator[list[Any]]:
    """Definitions of letters in the order in which they are put in: by formulas, by parameters, by conditions."""
    met = set[Any]().union(*(expression.free_symbols for expression in expressions))
    given = written(probe)
    for one in reversed(bound(formula, probe)):
        if one.quantity in met and one.quantity not in given:
            met |= one.rhs.free_symbols
            yield [one.quantity.name, tree(one.rhs)]
    for stands_for in (given, tied(formula, probe)):
        for symbol, value in stands_for.items():
            if symbol.name in {one.name for one in met} and symbol.name != (named := tree(value)):
                met |= value.free_symbols
                yield [symbol.name, named]


def _answers(about: About, tables: Tables) -> Iterator[dict[str, Any]]:
    """Records of all branches of the answer, those with the same plain numbers together."""
    places: dict[int, list[Answered]] = {}
    for branch in about.branches:
        # branches of one place share the very object
        places.setdefault(id(branch.way.place), []).append(branch)
    for branches in places.values():
        fixed = {name: value for branch in branches for name, value in branch.way.fixed.items()}
        yield {"at": fixed, "tree": _node(about, branches, 0, tables)}


def _node(about: About, branches: list[Answered], depth: int, tables: Tables) -> dict[str, Any]:
    """Tree of the branches that go the same ways up to a comparison, which is number `depth`."""
    first = branches[0]
    if len(first.way.taken) == depth:
        return _leaf(about, first, tables)
    gap, _ = first.way.taken[depth]
    sides = ([one for one in branches if one.way.taken[depth][1] is way] for way in (True, False))
    then, other = (_node(about, side, depth + 1, tables) for side in sides)
    return {"gap": terms(gap), "then": then, "else": other}


def _leaf(about: About, branch: Answered, tables: Tables) -> dict[str, Any]:
    """Answer in one branch, put together from entries, each of which has a letter there."""
    used: dict[tuple[Any, ...], tuple[Entries, Key, tuple[Polynomial, ...]]] = {}
    numbers = list[Exact]()  # what the entries are at the place, for a clock that is moved there

    def noted(way: Way, entries: Entries, key: Key, values: tuple[Polynomial, ...]) -> Symbolic:
        found = Symbolic(way, entries[key].put_in(values, values[0].names))
        if found and (use := _use(entries, key, values, len(about.names))) not in used:
            used[use] = entries, key, values
            numbers.append(found.value)
        return found

    def lettered(way: Way, entries: Entries, key: Key, values: tuple[Polynomial, ...]) -> Symbolic:
        names = values[0].names
        if not entries[key].terms:
            return Symbolic(way, Polynomial({}, names))
        place = len(about.names) + [*used].index(_use(entries, key, values, len(about.names)))
        return Symbolic(way, Polynomial.letter(names[place], names))

    # twice: first to hear which entries are used, then with a letter for each, since a polynomial has all its letters
    # from the start
    answer_of(about.probe, about.given(), _again(branch, {}), noted)
    letters = [f"entry {number}" for number in range(1, len(used) + 1)]
    again = _again(branch, dict(zip(letters, numbers, strict=True)))
    over, under = answer_of(about.probe, about.given(letters), again, lettered)
    entries = {}
    for letter, (its, key, values) in zip(letters, used.values(), strict=True):
        if not over.degree(letter) and not under.degree(letter):
            continue  # it is taken away again
        concerned = zip(its.names, values, strict=True)
        moved = {name: terms(value) for name, value in concerned if its[key].degree(name)}
        put_in = {name: found for name, found in moved.items() if found != [[1, {name: 1}]]}
        entries[letter] = [*tables.place(its, key), put_in]
    return {"over": terms(over), "under": terms(under), "entries": entries}


def _use(entries: Entries, key: Key, values: tuple[Polynomial, ...], number: int) -> tuple[Any, ...]:
    """Key of an entry with its arguments, as polynomials in the first letters, whose number is given."""
    arguments = tuple(
        tuple(sorted((powers[:number], factor) for powers, factor in value.terms.items())) for value in values
    )
    return entries, key, arguments


def _again(branch: Answered, more: Mapping[str, Exact]) -> Way:
    """Way that repeats the comparisons of a branch, with values of more letters."""
    return Way({**branch.way.place, **more}, (), replayed=branch.way.outcomes)


def _multipliers(names: tuple[str, ...], pair: verify_alone.Pair) -> dict[str, Any]:
    """The multipliers that show that a case and a branch do not meet; none where nothing shows it."""
    facts = [Fact(_polynomial(gap, names), strict) for gap, strict in pair.facts]
    stated = tuple(_polynomial(gap, names) for gap in pair.stated)
    found = excluded(facts, stated, _polynomial(pair.difference, names)) or {}
    return {str(place): terms(by) for place, by in found.items()}


def _polynomial(found: verify_alone.Terms, names: tuple[str, ...]) -> Polynomial:
    return Polynomial({powers: plain(factor) for powers, factor in found.items()}, names)
