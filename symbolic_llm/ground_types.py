"""SymPy, imported so that it counts by itself

Where FLINT is installed SymPy takes it for its own arithmetic. Then the two would decide as one, and to import this
package would be to import FLINT. SymPy itself is imported by whoever needs it first, here or elsewhere: a list of
formulas or a version needs none.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

_VARIABLE = "SYMPY_GROUND_TYPES"  # read by SymPy once, when it is imported


class _Alone:
    """Finder and loader of SymPy, which loads it with its own arithmetic."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Spec of SymPy, with this object as its loader; None for any other module."""
        if name != "sympy" or (found := PathFinder.find_spec(name)) is None:
            return None
        self._loader, found.loader = found.loader, self  # type: ignore[assignment]
        return found

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to make the module."""

    def exec_module(self, module: Any) -> None:
        """Run the module with the variable set."""
        module.__spec__.loader = module.__loader__ = self._loader
        before = os.environ.get(_VARIABLE)
        os.environ[_VARIABLE] = before or "python"
        try:
            module.__loader__.exec_module(module)
        finally:
            if before is None:
                del os.environ[_VARIABLE]  # what this process starts is left alone


sys.meta_path.insert(0, _Alone())


def counts_alone() -> bool:
    """Whether SymPy does not rest on FLINT; it does where it was imported before this package, or told to."""
    from sympy.external.gmpy import GROUND_TYPES

    return bool(GROUND_TYPES != "flint")
