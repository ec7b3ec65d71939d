"""Searches for numbers that no closed form gives

Where a batch decides which experts are read, or what is kept grows by runs of tokens, a bound is met nowhere in closed
form. But what is bounded grows with the number, so the last number that meets the bound is found by halving. And where
some steps of an answer wait for their arithmetic and others for their reading, their times are added up one by one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from ..answers.bindings import lacks
from ..answers.explanation import Explanation
from ..answers.memory_fit import given
from ..api import formula_of
from ..expressions.exact import exact
from ..models.own_formulas import own
from ..notation import LETTERS, B, C_seq, C_seq_device, D_seq, D_seq_device, D_weights, F, M, N, P, T_decode, W
from ..units import SECOND, SEQUENCE, TOKEN, humanize
from .rows import Row

if TYPE_CHECKING:
    from .report import Report

_STEPS = 2**16  # more of them take seconds to add up
_MOST = 2**40  # sequences, or tokens, beyond which nobody asks


def largest(holds: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` for which something holds that holds for all smaller ones; 0 if for none."""
    return bisect_left(range(1, most + 1), True, key=lambda number: not holds(number))


def last(holds: Callable[[int], bool]) -> int:
    """The largest number, up to 2^40, for which something holds that holds for all smaller ones; 0 if for none."""
    most = 1
    while most < _MOST and holds(most):
        most *= 2
    return largest(holds, most)


def read_in_time(report: Report, section: str, target: Fraction) -> Row:
    """Row with the largest batch that is read within a target, where the batch decides which experts are read."""
    row = partial(Row, section, "sequences whose bytes are read in time", "sequences_read_in_time")

    def time(batch: int) -> Fraction | str:
        found = report.explained("memory_time_with_cache", {**report.at, "B": Fraction(batch)})
        return found if isinstance(found, str) else Fraction(found.exact)

    return _within(row, time, "memory_time_with_cache", target, "reading for one sequence alone")


def done_in_time(report: Report, section: str, target: Fraction) -> Row:
    """Row with the largest batch whose step is done within a target, by the report's law."""
    row = partial(Row, section, "sequences whose step is done in time", "sequences_done_in_time")

    def time(batch: int) -> Fraction | str:
        found = report.explained(report.law("step"), {**report.served, "B": Fraction(batch)})
        sent = report.handed_on(Fraction(batch))
        if isinstance(found, str):
            return found
        return sent if isinstance(sent, str) else Fraction(found.exact) + sent

    return _within(row, time, report.with_hops(report.law("step")), target, "a step of one sequence alone")


def _within(
    row: Callable[..., Row], time: Callable[[int], Fraction | str], law: str, target: Fraction, alone: str
) -> Row:
    """Row with the largest batch whose time meets a target.

    Args:
        row: makes the row of value, unit and note.
        time: seconds of a batch, or the reason why they are not known.
        law: the words for what gives them.
        target: seconds.
        alone: the words for what is too slow if not even one sequence is in time.
    """

    def meets(batch: int) -> bool:
        return not isinstance(found := time(batch), str) and found <= target

    if isinstance(one := time(1), str):
        return row(None, note=one)
    if one > target:
        return row(None, note=f"{alone} takes {humanize(one, SECOND)}")
    return row(Fraction(last(meets)), SEQUENCE, note=f"the largest batch whose {law} meets the target")


def fewest(section: str, how_many: str, limits: Mapping[str, Row]) -> Row:
    """Row with the smallest of several limits on the batch, and a note on which it is: the first of equal ones.

    Args:
        section: the heading it stands under.
        how_many: the end of its label, as in "smallest of the three".
        limits: the rows of the limits, by what is said of the smallest.
    """
    row = partial(Row, section, f"largest batch ({how_many})", "largest_batch_within_target")
    there = {said: one.value for said, one in limits.items() if one.value is not None}
    if missing := next((one for one in limits.values() if one.value is None), None):
        return row(None, note=missing.note, bound=f"≤ {humanize(min(there.values()), SEQUENCE, 4)}" if there else "")
    return row(min(there.values()), SEQUENCE, note=min(there, key=lambda said: there[said]))


def longest(report: Report, section: str, batch: int, limit: int | None) -> Row:
    """Row with the longest context whose caches fit beside the weights, where what is kept grows by runs of tokens."""
    row = partial(Row, section, "largest context", "largest_context")

    def held(context: int) -> Explanation | str:
        return report.explained("footprint", {"N": Fraction(context), "B": Fraction(batch)})

    if (memory := given(report.presets, M)) is None:
        most = f"≤ {humanize(Fraction(limit), TOKEN, 4)}" if limit else ""
        return row(None, note=lacks([M.name], report.presets), bound=most)
    if isinstance(one := held(1), str):
        return row(None, note=one)

    def fits(context: int) -> bool:
        return _is_at_most(held(context), memory)

    found = largest(fits, limit) if limit else last(fits)
    if not found:
        return row(None, note="not even one token for each sequence fits beside the weights")
    note = "the context limit of the model" if found == limit else "the longest whose footprint fits"
    return row(Fraction(found), TOKEN, note=note)


def critical(report: Report, section: str) -> Row:
    """Row with the least context that takes no less time to read than to compute with, however large the batch."""
    row = partial(Row, section, "critical context", "critical_context")
    known = {symbol: value for symbol in LETTERS if (value := given(report.presets, symbol)) is not None}
    if not {F, W} <= known.keys():
        return row(None, note=lacks([symbol.name for symbol in (F, W) if symbol not in known], report.presets))
    # of each kind of what is kept, these say whether reading it takes longer
    for condition in report.model.formula_for(T_decode).where:
        letters = condition.relation.free_symbols
        if letters <= known.keys() and B not in letters and not exact(condition.relation, known):
            return row(None, note=f"none, because this does not hold: {condition.sentence}")
    sums = [report.model.formula_for(letter) for letter in (D_seq, C_seq)]

    def waits(context: int) -> bool:
        moved, met = (report.explained(one, {"N": Fraction(context)}) for one in sums)
        assert isinstance(moved, Explanation), "it is counted for every model"
        assert isinstance(met, Explanation), "and so is this"
        return bool(moved.exact * known[F] < (2 * known[P] + met.exact) * known[W])

    return row(
        Fraction(last(waits) + 1), TOKEN, note="the shortest at which reading D_seq takes as long as its arithmetic"
    )


def decoding(report: Report, letters: Mapping[str, Fraction]) -> Fraction | str:
    """Seconds of all steps of an answer by the law of a report, or why that is not known.

    Args:
        report: the model and the machine.
        letters: the prompt's tokens, the sequences, the new tokens, and those of devices that share the model.
    """
    steps = int(letters["n_new"])
    if steps > _STEPS:
        return "these are too many steps to add up"
    found, sent = _steps(report, letters), report.handed_on(letters["B"])
    if isinstance(found, str):
        return found
    if isinstance(sent, str):
        return sent
    law, at = found
    first = int(letters["N"]) + 1
    return sum((exact(law, at(context)) for context in range(first, first + steps)), steps * sent)


def read_alone(report: Report, letters: Mapping[str, Fraction]) -> bool:
    """Whether each part of each step of an answer waits for its bytes, as a closed form for all of them takes it.

    What is read and what is computed grow along straight lines between a window that fills, or an index that begins to
    pick, so the ends of these lines tell.
    """
    if isinstance(found := _steps(report, letters), str) or report.model.attention.lengths:
        return False
    first, final = int(letters["N"]) + 1, int(letters["N"] + letters["n_new"])
    kinks = (report.model.letters.get(name, 0) for name in ("n_window", "n_picked"))
    places = {first, final, *(kink for kink in kinks if first < kink < final)}
    return all(_reads_longer(known) for known in map(found[1], places))


def _reads_longer(known: Mapping[Any, Fraction]) -> bool:
    """Whether matrices and attention both take no less time to read than to compute with."""
    matrices = known[D_weights] * known[F] >= 2 * known[P] * known[B] * known[W]
    return matrices and known[D_seq] * known[F] >= known[C_seq] * known[W]


def _steps(
    report: Report, letters: Mapping[str, Fraction]
) -> tuple[Any, Callable[[int], Mapping[Any, Fraction]]] | str:
    """The time of a step by the law of a report, and the letters in it by context; or why a step has no time."""
    law, shared = formula_of(report.law("step")), report.shared
    first = report.explained(law, {"N": letters["N"] + 1, "B": letters["B"], **shared})
    if isinstance(first, str):
        return first
    known, by = dict(first.given.numbers()), {one.quantity: one for one in own(report.model.kept)}
    growing = [by[letter] for letter in (D_seq, C_seq, D_seq_device, C_seq_device) if letter in law.rhs.free_symbols]
    for one in growing:  # written out, so that nothing but the context changes from step to step
        named = {symbol.name for symbol in one.rhs.free_symbols}
        counted = report.explained(
            one, {name: each for name, each in {**shared, "N": letters["N"]}.items() if name in named}
        )
        if isinstance(counted, str):
            return counted
        known |= counted.given.numbers()

    def at(context: int) -> Mapping[Any, Fraction]:
        known[N] = Fraction(context)
        for one in growing:
            known[one.quantity] = exact(one.rhs, known)
        return known

    return law.rhs, at


def _is_at_most(found: Explanation | str, bound: Any) -> bool:
    return isinstance(found, Explanation) and bool(found.exact <= bound)
