"""Remarks beside an answer, whoever asked for it"""

from __future__ import annotations

from ..notation import P_mixed, P_prompt, P_read, n_bytes
from .bindings import Given
from .gather import counted_otherwise
from .memory_fit import unfit_batch
from .resolution import reach


def remarks(given: Given) -> tuple[str, ...]:
    """Remarks on an answer: how else the model counts it, its weights' formats, a batch that does not fit."""
    said = (counted_otherwise(given.formula, given.presets), _formats(given), unfit_batch(given))
    return tuple(filter(None, said))


def _formats(given: Given) -> str:
    """A remark that weights of an answer are not in their file's formats, or are read at a mean of these."""
    named, value = given.presets, given.values.get(n_bytes)
    if named.own_formats is None or value is None or not value.origin:  # a number that is given is nobody's format
        return ""
    goes_in = reach(given.formula, given.chosen, given.stated() - {n_bytes})
    if n_bytes not in goes_in:
        return ""
    read = not {P_read, P_prompt, P_mixed}.isdisjoint(goes_in)
    return named.foreign or (named.averaged if read else "")
