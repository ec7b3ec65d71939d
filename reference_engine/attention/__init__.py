"""Kinds of attention, a module each: keys and values of heads, latent vectors, compressed runs of tokens

A module defines one class, an `Attention`: its weights, what it keeps, its pass, and how devices share it. The rest of
the engine knows no kind by name but those that a `Config` has fields of its own for, so a new kind is a new module.
"""

from __future__ import annotations

from ..modules import import_all
from .kind import Attention


def kinds() -> tuple[type[Attention], ...]:
    """All kinds that there are modules of."""
    import_all(__name__, __path__)
    return tuple(Attention.__subclasses__())
