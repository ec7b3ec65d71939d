"""What is to be said beside an answer, whoever asked for it"""

from __future__ import annotations

from ..notation import n_bytes
from .fitting import unfit_batch
from .given import Given
from .inputs import counted_otherwise
from .rules import reach


def remarks(given: Given) -> tuple[str, ...]:
    """How else the model counts it, that weights are not in its file's formats, and that a batch does not fit."""
    said = (counted_otherwise(given.formula, given.presets), _foreign(given), unfit_batch(given))
    return tuple(filter(None, said))


def _foreign(given: Given) -> str:
    """That the weights whose bytes go into an answer are in another format than in the model's file."""
    value = given.values.get(n_bytes)
    goes_in = n_bytes in reach(given.formula, given.chosen, given.stated() - {n_bytes})
    if value is None or not value.origin or not goes_in:  # a number that is given is nobody's format
        return ""
    return given.presets.foreign
