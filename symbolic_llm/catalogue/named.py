"""The formulas by name: `from ..catalogue.named import NAME, OTHER`

Each is loaded from its file, whose chapter need not be known, or in a process without SymPy from its row.
"""

from __future__ import annotations

from typing import Any

from . import catalogue


def __getattr__(name: str) -> Any:  # a Formula, which mypy does not take from here
    if name.startswith("_") or name not in catalogue():
        raise AttributeError(f"there is no formula {name}")
    return catalogue()[name]
