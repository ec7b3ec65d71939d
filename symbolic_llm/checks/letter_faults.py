"""Faults in the letters of a derivation: each letter has one value, and a sum or limit moves no other letter

A value that contains its own quantity says nothing. A letter that two formulas give a value to has two meanings. A sum
or a limit over a letter is wrong if another letter changes with it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..expressions.printing import text
from ..formula import Formula
from ..reached import reached
from ..steps import Rule


def fault_of_letters(formula: Formula) -> str:
    """Complaint about the first fault in the letters of a formula, or ""."""
    return _traits(formula) or _circle(formula) or _two_values(formula) or _moving(formula)


def _traits(formula: Formula) -> str:
    try:
        _ = formula.traits
    except ValueError as reason:
        return f"it brings in formulas for different decoders: {reason}"
    return ""


def _circle(formula: Formula) -> str:
    for letter in sorted(_reached(formula, formula.stated_letters), key=str):
        if letter in _reached(formula, _computed_from(formula, letter)):
            return f"{text(letter)} is computed from itself, by the formulas it uses"
    if formula.quantity is None:
        return ""
    if formula.quantity in formula.rhs.free_symbols:
        return f"the value of {text(formula.quantity)} contains {text(formula.quantity)} itself"
    if formula.quantity in _reached(formula, formula.rhs.free_symbols):
        return f"the value of {text(formula.quantity)} rests on itself, by the formulas it uses"
    return ""


def _reached(formula: Formula, letters: Any) -> frozenset[Any]:
    """Letters, with all letters that the formulas it builds on compute them from."""
    return frozenset(reached(letters, partial(_computed_from, formula)))


def _computed_from(formula: Formula, letter: Any) -> frozenset[Any]:
    """The letters in what the formulas it builds on give for a letter."""
    values = (used.rhs for used in formula.closure() if used.quantity == letter)
    return frozenset[Any]().union(*(value.free_symbols for value in values))


def _two_values(formula: Formula) -> str:
    """Complaint about a letter that one formula computes while another is put in its place; "" if there is none."""
    below = formula.closure()
    for letter in sorted(formula.stated_letters - {formula.quantity}, key=str):
        giving = [used for used in below if used.quantity == letter]
        named = [used for used in giving if used in formula.uses]
        if len(giving) > 1 and (len(named) > 1 or any(formula.brings_in(used) for used in giving)):
            one, other = (named + [used for used in giving if used not in named])[:2]
            return f"{text(letter)} has two values, by {one.name} and by {other.name}"
    return ""


def _moving(formula: Formula) -> str:
    """Complaint about a letter that changes with the one that is summed over or that grows; "" if there is none."""
    for before, step in zip(formula.steps, formula.steps[1:], strict=False):
        if step.rule in (Rule.SUM_OVER, Rule.LIMIT):
            index = step.operands[0]
            others = sorted(before.result.free_symbols - {index}, key=str)
            if found := [x for x in others if index in _reached(formula, {x})]:
                return f"{text(found[0])} changes with {text(index)}, so it has to be written out first"
    return ""
