"""Formulas with one letter exchanged for another of its unit, and what tells them from the engine's counts"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice
from typing import Any

from sympy import Eq, cancel, together

from symbolic_llm import catalogue
from symbolic_llm.bridge.certificate import Uncertifiable, certifiable, certify
from symbolic_llm.bridge.comparison import compared, probes_of
from symbolic_llm.bridge.filling import rounds
from symbolic_llm.bridge.letters import bound, in_parameters, reading
from symbolic_llm.checks.dimensions import fault_of_claim
from symbolic_llm.checks.engine import contradicted
from symbolic_llm.checks.rounding import check_rounding
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import same
from symbolic_llm.errors import CatalogueError
from symbolic_llm.expressions.arithmetic import Inexact, NoRoot
from symbolic_llm.expressions.exact import exact, put_in
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS


@dataclass(frozen=True)
class Swap:
    """A letter of a formula, and another of its unit that is written in its place."""

    formula: Formula
    letter: Any
    other: Any

    def __str__(self) -> str:
        return f"{self.formula.name}: {self.letter} → {self.other}"


def equations() -> list[Formula]:
    """The measured formulas that give a letter its value."""
    return [formula for formula in catalogue() if formula.measured_by and formula.quantity is not None]


def swaps(formula: Formula) -> list[Swap]:
    """Every letter of the right-hand side, exchanged for every letter of its unit that is not there."""
    there = formula.rhs.free_symbols
    return [
        Swap(formula, letter, other)
        for letter in sorted(there, key=str)
        for other in LETTERS
        if other not in there and other != formula.quantity and LETTERS[other].unit == LETTERS[letter].unit
    ]


@cache
def _computing(letter: Any) -> tuple[Formula, ...]:
    return tuple(formula for formula in catalogue() if formula.quantity == letter)


def _could_be_named(swap: Swap) -> list[Formula]:
    """The formulas for the other letter that the formula does not use, and that do not use it."""
    formula = swap.formula
    return [one for one in _computing(swap.other) if one not in formula.uses and formula not in one.closure()]


def exchanged(swap: Swap) -> Iterator[Formula]:
    """The formula with the other letter, as it is, and with each formula that could be named for that letter."""
    return _exchanged(swap, ((), *_named(swap)))


def _named(swap: Swap) -> list[tuple[Formula, ...]]:
    return [(one,) for one in _could_be_named(swap)]


def _exchanged(swap: Swap, named: Iterable[tuple[Formula, ...]]) -> Iterator[Formula]:
    formula, claim = swap.formula, None
    for more in named:
        if claim is None:
            claim = Eq(formula.quantity, put_in(formula.rhs, {swap.letter: swap.other}), evaluate=False)
        try:
            yield replace(formula, claim=claim, uses=(*formula.uses, *more))
        except CatalogueError:  # such a formula cannot be written
            continue


@cache
def first_asked(formula: Formula) -> tuple[dict[str, Any], ...]:
    """The first configuration that a formula is compared on, if there is one."""
    return tuple(comparison.config for comparison in islice(compared(formula), 1))


@cache
def _compared_first(formula: Formula) -> list[tuple[dict[Any, Any], frozenset[Any], Any]]:
    """For every subject: the letters' values there, those that formulas compute, and the engine's count."""
    asked = {probe.subject.name: probe for probe in probes_of(formula.measured_by, formula)}
    found = []
    for comparison in compared(formula, first_asked(formula)):
        by = bound(formula, probe := asked[comparison.subject])
        values = reading(by, probe)(comparison.config)
        found.append((values, frozenset(one.quantity for one in by), comparison.measured))
    return found


def wrong_at_once(swap: Swap) -> bool:
    """Whether the other letter has another value, or none, where the formula is compared first.

    What the formula comes to with it is known then without the formula being written, which settles most exchanges.
    """
    with suppress(Inexact, NoRoot, ZeroDivisionError):  # looked at where the formula is written
        for values, computed, measured in _compared_first(swap.formula):
            if swap.other in values:
                if not same(exact(swap.formula.rhs, {**values, swap.letter: values[swap.other]}), measured):
                    return True
            elif swap.other not in computed:  # else a condition fails here, and elsewhere it has a value
                return True
    return False


def differs_at_once(formula: Formula, before: Formula) -> bool:
    """Whether a changed formula is wrong where the one before was compared first, which settles most of them."""
    return not all(comparison.equal for comparison in compared(formula, first_asked(before)))


def rejected(formula: Formula, before: Formula) -> bool:
    """Whether its units, the engine's answers or a grid tell that it is wrong, or it is nowhere compared.

    The claim is asked first, since that is where the letter was exchanged; the steps are those that were proved.
    """
    if fault_of_claim(formula):
        return True
    try:
        if differs_at_once(formula, before):
            return True
        told = compared(formula)
        first = next(told, None)
        if first is None or not all(comparison.equal for comparison in chain([first], told)):
            return True
    except Inexact:  # a fraction as a power: what the engine counts is rational
        return True
    except (CatalogueError, ZeroDivisionError):  # a letter has no value where nothing computes it
        return True
    except ValueError:  # what it says then is said of no decoder
        return True
    if contradicted(formula):
        return True
    try:
        if rounds(formula):
            return check_rounding(formula).verdict is not Verdict.PROVED
        return certifiable(formula) and not all(certificate.holds for certificate in certify(formula))
    except (CatalogueError, Uncertifiable):
        return True


def survives(swap: Swap) -> bool:
    """Whether nothing tells that the letter was exchanged."""
    named = _named(swap) if wrong_at_once(swap) else ((), *_named(swap))
    return not all(rejected(made, swap.formula) for made in _exchanged(swap, named))


def equal_by(swap: Swap) -> tuple[str, ...]:
    """The formulas that make the two letters one number for every subject of the formula; none where they do not.

    Both letters are written in the subject's parameters, by the formulas that describe it or by one that computes the
    other letter.
    """
    formula = swap.formula
    ways = chain([formula], (replace(formula, uses=(*formula.uses, one)) for one in _could_be_named(swap)))
    return next(filter(None, (_equal_by(way, swap.letter, swap.other) for way in ways)), ())


def _equal_by(formula: Formula, letter: Any, instead: Any) -> tuple[str, ...]:
    said: dict[str, None] = {}
    for probe in probes_of(formula.measured_by, formula):
        one, other = (in_parameters(formula, probe, asked) for asked in (letter, instead))
        known = {symbol.name for symbol in one.free_symbols | other.free_symbols} <= set(probe.parameters)
        by = [f.name for f in bound(formula, probe) if f.quantity in (letter, instead)]
        if not by or not known or cancel(together(one - other)) != 0:
            return ()
        said |= dict.fromkeys(by)
    return tuple(said)
