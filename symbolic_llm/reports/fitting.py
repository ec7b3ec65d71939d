"""Whether what is held fits into memory, said in the rows that it concerns"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..notation import LETTERS, M
from ..presets import Presets
from ..presets.reading import read_value
from ..units import BYTE, humanize


def given(named: Presets, letter: Any) -> Fraction | None:
    """The value that presets give for a letter, if they do."""
    found, _ = named.letters
    if letter.name not in found:
        return None
    return Fraction(read_value(LETTERS[letter], found[letter.name].figure.value))


def unfit(held: Fraction | None, named: Presets, stages: int = 1) -> str:
    """The memory that so many bytes do not fit into, as it is said; "" where they fit or nothing is known of either.

    Stages hold together as much as there is in all of them.
    """
    memory = given(named, M)
    if held is None or memory is None or held <= stages * memory:
        return ""
    return humanize(stages * memory, BYTE) + f" of {stages} stages" * (stages > 1)


def does_not(into: str) -> str:
    """The note of the row that says how many bytes are held."""
    return f"does not fit into {into}" if into else ""


def if_it_did(into: str) -> str:
    """The note of a row that says what would be the case if they fitted."""
    return f"if it fitted into {into}" if into else ""
