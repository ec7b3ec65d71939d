"""Roots, so that algebra of rational functions decides them

Letters are positive, so each whose root is drawn is the square of a positive number, and (√h + 1)² is a polynomial
again.
"""

from __future__ import annotations

from typing import Any

from ..algebra import Dummy, Pow


def without_roots(*expressions: Any) -> tuple[Any, ...]:
    """The expressions with every letter under a square root written as a square: equal where these are."""
    powers = set().union(*(expression.atoms(Pow) for expression in expressions))
    rooted = {p.base for p in powers if p.base.is_Symbol and p.exp.is_Rational and p.exp.q == 2}
    squares = {letter: Dummy(letter.name, positive=True) ** 2 for letter in rooted}
    return tuple(expression.xreplace(squares) for expression in expressions)
