"""Whether what is held fits into memory, said of the answers that it concerns"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..errors import SymbolicLLMError
from ..expressions.exact import exact
from ..formula import Formula
from ..notation import LETTERS, B, F, M, N, W, n_new, n_tensor
from ..presets import Presets
from ..presets.parse_value import read_value
from ..units import BYTE, humanize
from .bindings import Given
from .gather import filled
from .resolution import reach


def given(named: Presets, letter: Any) -> Fraction | None:
    """The value that presets give for a letter; None if they give none."""
    found, _ = named.letters
    if letter.name not in found:
        return None
    return Fraction(read_value(LETTERS[letter], found[letter.name].figure.value))


def room(named: Presets, stages: int = 1) -> tuple[Fraction, str] | None:
    """The memory of a device, or of several stages together, and how it is said; None if it is not known."""
    memory = given(named, M)
    if memory is None:
        return None
    return stages * memory, humanize(stages * memory, BYTE) + f" of {stages} stages" * (stages > 1)


def unfit(held: Fraction | None, named: Presets, stages: int = 1) -> str:
    """The memory that so many bytes do not fit into, as it is said; "" where they fit or nothing is known of either.

    Stages hold together as much as there is in all of them.
    """
    there = room(named, stages)
    return "" if held is None or there is None or held <= there[0] else there[1]


def does_not(into: str) -> str:
    """Note for the row of the bytes that are held: that they do not fit; "" if they do."""
    return f"does not fit into {into}" if into else ""


def if_it_did(into: str) -> str:
    """Note for a row that would be so only if the bytes fitted; "" if they do."""
    return f"hypothetical, since {into} is too small" if into else ""


def unfit_batch(asked: Given) -> str:
    """Remark that an answer for a batch would hold only if the batch fitted; "" where it fits, or this cannot be told.

    It concerns each answer that the machine's bandwidth or arithmetic and a batch go into. What is held is the
    footprint at the end, with what is decoded; where no context is given, or no formula counts the cache, the weights
    alone, which are less.
    """
    named, values = asked.presets, asked.numbers()
    if named.hardware is None or given(named, M) is None or B not in values or not _runs(asked):
        return ""
    at = {symbol: value for symbol, value in values.items() if symbol in asked.stated()}
    at[B] = values[B]
    if N in values and n_new in values:
        at[N] = values[N] + values[n_new]
    for formula, what in _holding(asked):
        held = _value(formula, named, at)
        if held is not None:
            into = if_it_did(unfit(held, named))
            return into and f"{into}: {what} {humanize(held, BYTE)}"
    return ""


def _runs(asked: Given) -> bool:
    """Whether a quantity is asked into which a machine's bandwidth or arithmetic goes, and a batch."""
    letters = reach(asked.formula, asked.chosen, asked.stated())
    return asked.formula.quantity is not None and B in letters and (W in letters or F in letters)


def _holding(asked: Given) -> list[tuple[Formula, str]]:
    """The formulas that count what is held, the fullest first, with the words for it."""
    from ..catalogue.named import footprint, footprint_per_device, weight_bytes

    if n_tensor in asked.values:
        return [(footprint_per_device, "each device would need")]
    return [(footprint, "weights and cache need"), (weight_bytes, "the weights alone need")]


def _value(formula: Formula, named: Presets, at: dict[Any, Fraction]) -> Fraction | None:
    """The value of a formula; None where it is for other models or lacks a value."""
    try:
        found = filled(formula, named, at)
        found.hold()
        return None if found.missing(formula.rhs.free_symbols) else Fraction(exact(formula.rhs, found.numbers()))
    except SymbolicLLMError:
        return None
