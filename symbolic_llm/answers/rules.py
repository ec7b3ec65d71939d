"""Which formula computes which letter

A formula brings those it uses, which hold for the plain dense decoder. A model puts those that it picks in their place,
and with them all that they use.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued

Rules = Mapping[Any, Formula]


@lru_cache(maxsize=2**12)
def rules(formula: Formula, chosen: tuple[Formula, ...] = ()) -> Rules:
    """The formula for each letter that the given one depends on, directly or not, and that can be computed."""
    picked = {pick.quantity: pick for pick in chosen if pick is not formula}
    known = _computing(formula)
    found: dict[Any, Formula] = {}
    waiting = letters_of(formula)
    for symbol in waiting:  # it grows on the way
        rule = picked.get(symbol) or known.get(symbol)
        if rule is None or symbol == formula.quantity or symbol in found:
            continue
        found[symbol] = rule
        known = {**_computing(rule), **known}
        waiting += letters_of(rule)
    return found


def _computing(formula: Formula) -> dict[Any, Formula]:
    return {used.quantity: used for used in formula.closure() if used.quantity is not None}


def letters_of(formula: Formula) -> list[Any]:
    """The letters of the claim and of the conditions."""
    conditional = set().union(*(condition.relation.free_symbols for condition in formula.conditions))
    return [*formula.letters, *(s for s in LETTERS if s in conditional)]


def without_architecture(expression: Any, by: Rules, values: Mapping[Any, Any]) -> Any:
    """The expression with values put in and, for letters that architectures compute differently, their formulas."""
    expression = expression.xreplace(values)
    while inner := {s for s in expression.free_symbols if s in by and LETTERS[s].varies}:
        expression = expression.xreplace({s: valued(by[s].rhs) for s in inner}).xreplace(values)
    return expression


def leads_to(symbol: Any, unknown: Any, by: Rules) -> bool:
    """Whether a letter is computed, directly or not, from the unknown."""
    waiting, seen = [symbol], {symbol}
    for one in waiting:  # it grows on the way
        if one == unknown:
            return True
        more = by[one].rhs.free_symbols - seen if one in by else set()
        seen |= more
        waiting += more
    return False
