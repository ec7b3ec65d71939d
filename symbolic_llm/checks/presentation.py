"""Check of what readers are shown with a formula: a title, sources, and an example

No proof rests on them. A title is a phrase, a source stands in the table of sources, the example names presets that
exist, and each of its letters can have the value that it is given. What a preset's name stands for is not looked at: a
table is as right for one formula as for another, and has tests of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import SymbolicLLMError
from ..formula import Formula
from ..notation import LETTERS, named
from ..presets import NAMES, Presets, source
from ..presets.parse_value import read_value
from ..presets.tables import look_up_preset, named_as_mixture
from .verdict import Finding, Verdict


def check_shown(formula: Formula) -> Finding | None:
    """Finding on a fault in title, sources or example; None if there is none, which proves nothing of the formula."""
    fault = fault_of_shown(formula)
    return Finding("shown", Verdict.REFUTED, fault) if fault else None


def fault_of_shown(formula: Formula) -> str:
    """Complaint about the first fault in title, sources and example, or ""."""
    return next(_faults(formula), "")


def _faults(formula: Formula) -> Iterator[str]:
    if not (formula.docstring or "").strip():
        yield "it has no title"
    if formula.title.endswith("."):
        yield "its title ends with a full stop, and is no sentence"
    for key in formula.sources:
        try:
            source(key)
        except SymbolicLLMError as error:
            yield f"of its sources: {error}"
    for name, value in formula.example.items():
        try:
            if name == "weights" and named_as_mixture(value):  # which not every model's file is known to be stored in
                _ = Presets(model=formula.example.get("model"), weights=value).letters
            elif name in NAMES:
                look_up_preset(name, value)
            else:
                read_value(LETTERS[named(name)], value)
        except KeyError:
            yield f"its example gives a value to {name}, which is no letter"
        except SymbolicLLMError as error:
            yield f"its example: {error}"
