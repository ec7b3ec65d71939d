"""Kinds of blocks that keep something of one size of a sequence, in the place of attention, a module each

A module defines one class, a `Recurrent`: its weights, what it keeps, its pass, and how devices share it. The rest of
the engine knows no kind by name, so a new kind is a new module.
"""

from __future__ import annotations

from ..modules import import_all
from .kind import Recurrent


def kinds() -> tuple[type[Recurrent], ...]:
    """All kinds that there are modules of."""
    import_all(__name__, __path__)
    return tuple(Recurrent.__subclasses__())
