"""Choice of a number where several are solutions, and notes on one that is not whole although its letter counts"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from math import ceil, floor
from typing import Any

from ..algebra import Ge, Gt, Le, Lt
from ..errors import NoSolution, listed
from ..expressions.printing import text
from ..notation import LETTERS
from ..units import Unit, humanize, significant
from .rounded_runs import Run

Refusal = Callable[[str], NoSolution]  # from a reason to the error that gives it

_SAID = {Le: "at most", Lt: "below"}


def in_interval(unknown: Any, unit: Unit, closed: Fraction, opened: Fraction, none: Refusal) -> tuple[Fraction, str]:
    """The end of an interval that belongs to it, whole where the letter counts, and a note on what else lies in it."""
    name, rising = text(unknown), closed < opened
    low, high = (humanize(max(end, Fraction(0)), unit, 6) for end in sorted((closed, opened)))
    which, since = "the smallest" if rising else "the largest", "is a solution, because the formula rounds down"
    if not LETTERS[unknown].whole:
        others = f"from {low} to below {high}" if rising else f"above {low} and up to {high}"
        return closed, f"{which}: every {name} {others} {since}"
    # the open end is no solution itself, not even where it is whole
    first, last = (ceil(closed), ceil(opened) - 1) if rising else (max(floor(opened) + 1, 1), floor(closed))
    if first > last:
        end = "upper" if rising else "lower"
        raise none(f"no whole number lies between {low} and {high} ({end} end excluded)")
    others = f"{which}: every {name} from {first:,} to {last:,} {since}" if first < last else ""
    return Fraction(first if rising else last), others


def within(unknown: Any, bound: Fraction, sign: Any, none: Refusal) -> str:
    """Note on the last whole number on the right side of a bound, where the letter counts; else ""."""
    if not LETTERS[unknown].whole:
        return ""
    name, excluded = text(unknown), sign in (Gt, Lt) and bound.denominator == 1
    if sign in (Gt, Ge):
        return f"{name} must be a whole number, so at least {ceil(bound) + excluded:,}"
    if (most := floor(bound) - excluded) < 1:
        raise none(f"{name} must be at least 1, but would be {_SAID[sign]} {significant(bound, 4)}")
    return f"{name} must be a whole number, so at most {most:,}"


def beside(unknown: Any, value: Fraction, giving: Callable[[int], str | None] | None = None) -> str:
    """Note on the numbers beside a value that is not whole although the letter counts; "" if rounding changes nothing.

    Args:
        unknown: the letter.
        value: what the claim gives it.
        giving: what the claim comes to at a whole number, None where it does not hold; left out where anyone can tell.
    """
    if not LETTERS[unknown].whole or abs(value - round(value)) * 10**5 <= value:
        return ""
    below = floor(value)
    lies = f"the nearest are {below:,} below and {below + 1:,} above" if below else "the smallest, 1, is larger"
    said = f"{text(unknown)} must be a whole number: {lies}"
    around = [giving(number) for number in (below, below + 1) if number] if giving else []
    came = [each for each in around if each is not None]
    if not came or len(came) < len(around):
        return said
    return f"{said}; {'they give' if below else 'it gives'} {' and '.join(came)}"


def only_whole(unknown: Any, unit: Unit, found: Collection[Fraction]) -> tuple[Fraction, str] | None:
    """The only whole number among several solutions for a letter that counts, and a note on the others; else None."""
    whole = [value for value in found if value.denominator == 1]
    if not LETTERS[unknown].whole or len(whole) != 1:
        return None
    others = listed([humanize(value, unit) for value in sorted(set(found) - set(whole))])
    return whole[0], f"the only whole number: the claim is true of {others} as well"


def along(unknown: Any, unit: Unit, run: Run) -> str:
    """The range of a run in words, in whole numbers where the letter counts."""
    if LETTERS[unknown].whole:
        return stretch(unit, Fraction(run.first), None if run.last is None else Fraction(run.last))
    low, high = (end and humanize(end, unit, 6) for end in (run.low, run.high))
    from_low = f"{'from' if run.with_low else 'above'} {low}" if low else ""
    to_high = f"{'up to' if run.with_high else 'below'} {high}" if high else ""
    return " and ".join(filter(None, (from_low, to_high))) or "whatsoever"


def stretch(unit: Unit, low: Fraction | None, high: Fraction | None) -> str:
    """The range of neighbouring numbers in words, or a single number; None stands for an end that is not there."""
    first, last = (None if end is None else humanize(end, unit, 6) for end in (low, high))
    if first is None:
        return f"up to {last}" if last else "whatsoever"
    if low == high:
        return first
    return f"from {first} to {last}" if last else f"from {first} on"
