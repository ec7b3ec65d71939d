"""The families: what each `model_type` of a config.json means

One file for each family or for siblings, found by looking for it: whatever module here lists `FAMILIES` is read, so
adding a family is adding a file.
"""

from __future__ import annotations

from typing import Any

from ...errors import listed, shown
from ..config import Fields
from ..family import Family, Refused, Wrapper
from ..modules import modules_of

_KNOWN: dict[str, Family | Wrapper | Refused] = {
    family.model_type: family for module in modules_of(__name__, __path__) for family in module.FAMILIES
}
FAMILIES = {name: family for name, family in _KNOWN.items() if not isinstance(family, Refused)}
REFUSED = {name: family for name, family in _KNOWN.items() if isinstance(family, Refused)}


def build(fields: Fields) -> dict[str, Any]:
    """Arguments of `Model` that a config gives; `InvalidModel` where its `model_type` is not known."""
    name = fields.word("model_type")
    if name not in _KNOWN:
        raise fields.wrong(f"model_type '{shown(name)}' is not supported yet; {listed(sorted(FAMILIES))} are")
    return _KNOWN[name].build(fields)
