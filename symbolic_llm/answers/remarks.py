"""Remarks beside an answer, whoever asked for it"""

from __future__ import annotations

from typing import Any

from .. import presets
from ..notation import N, P_mixed, P_prompt, P_read, W_link, n_bytes, n_new, n_tensor
from .bindings import Given
from .gather import counted_otherwise
from .memory_fit import unfit_batch
from .resolution import reach


def remarks(given: Given, found: Any = None) -> tuple[str, ...]:
    """Remarks on an answer: how else the model counts it, formats, a context or batch too large, a link too fast.

    A context is none that is `found`, as the longest of a memory is: only one that is asked about.
    """
    asked = _beyond(given) if found is not N else ""
    said = (counted_otherwise(given.formula, given.presets), _formats(given), asked, unfit_batch(given), _link(given))
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


def _beyond(given: Given) -> str:
    """A remark that a context, with what is decoded, is longer than the model was made for; "" for any other."""
    values = given.numbers()
    if given.presets.known is None or N not in given.stated():
        return ""
    return given.presets.known.beyond(int(values[N] + values.get(n_new, 0)))  # both are whole


def _link(given: Given) -> str:
    """A remark that more devices than a node has are timed by the link within a node; "" for any other."""
    value, numbers = given.values.get(W_link), given.numbers()
    machine = given.presets.hardware
    if (
        machine is None
        or value is None
        or not value.origin
        or n_tensor not in numbers
        or W_link not in reach(given.formula, given.chosen, given.stated())
    ):
        return ""
    return presets.hardware(machine).within_a_node(int(numbers[n_tensor]))
