"""The practitioner's page: everything the catalogue says of one model on one machine

Each row is the value of a formula, which `explain` opens; what a row was given beside the model, the machine and the
formats stands with it. Where blocks attend to windows, m_token and a are means over the tokens of the context; where a
mixture of experts is read for a batch, P is the expected number of weights read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .units import Unit

FORMATS = ("fp16", "int8", "q8_0", "q4_0", "int4")


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        section: what it belongs to.
        label: what it is.
        key: its name in JSON.
        value: exact, or None where there is none.
        unit: of the value.
        formula: the formula's name, "" for what is read off the config.
        given: letters that were given to the formula beside the presets.
        note: why there is no value, or what is to be said of it.
    """

    section: str
    label: str
    key: str
    value: Fraction | None
    unit: Unit
    formula: str = ""
    given: Mapping[str, str] = None  # type: ignore[assignment]
    note: str = ""
