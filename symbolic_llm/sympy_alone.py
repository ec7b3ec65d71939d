"""SymPy, imported so that it counts by itself

Where FLINT is installed SymPy takes it for its own arithmetic. Then the two would be one witness and not two, and to
import this package would be to import FLINT.
"""

from __future__ import annotations

import os

_VARIABLE = "SYMPY_GROUND_TYPES"  # read by SymPy once, when it is imported

_before = os.environ.get(_VARIABLE)
os.environ[_VARIABLE] = _before or "python"
try:
    from sympy.external.gmpy import GROUND_TYPES
finally:
    if _before is None:
        del os.environ[_VARIABLE]  # what this process starts is left alone


def counts_alone() -> bool:
    """Whether SymPy does not rest on FLINT; it does where it was imported before this package, or told to."""
    return bool(GROUND_TYPES != "flint")
