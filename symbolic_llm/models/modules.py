"""The modules of a package, each of which adds something by being there"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def modules_of(package: str, places: Iterable[str], *, but: str = "") -> Iterator[ModuleType]:
    """The modules in a package's places, by name; one may be left out."""
    names = (module.name for module in iter_modules(places))
    yield from (import_module(f"{package}.{name}") for name in names if name != but)
