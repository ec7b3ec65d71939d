"""The modules of a package, each of which adds something by being there"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules


def import_all(package: str, places: Iterable[str]) -> None:
    """Import all modules in a package's places."""
    for module in iter_modules(places):
        import_module(f"{package}.{module.name}")
