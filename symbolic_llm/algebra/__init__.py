"""The algebra that formulas are written in: SymPy, and where numbers are only put in, expressions that were stored

All of this package takes SymPy's names from here: `from ..algebra import Add, Mul`. So this is the one place that says
where they come from:

- from SymPy, which is imported when a name is first asked for, and so that it counts with its own numbers. Where FLINT
  is installed SymPy takes it for its arithmetic; then the two would decide as one;
- from `stored_expressions`, in a process of the command line that `does_without_sympy`. That has what it takes to put
  numbers in. Everything else raises `NotStored`, upon which the command line begins again with SymPy.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

_GROUND_TYPES = "SYMPY_GROUND_TYPES"  # read by SymPy once, when it is imported
_BELOW_THE_ROOT = {  # what SymPy does not list at its root
    "BooleanAtom": "logic.boolalg",
    "CodePrinter": "printing.codeprinter",
    "GROUND_TYPES": "external.gmpy",
    "JavascriptCodePrinter": "printing.jscode",
    "PolyRing": "polys.rings",
    "PrettyPrinter": "printing.pretty.pretty",
    "PythonCodePrinter": "printing.pycode",
    "Relational": "core.relational",
    "StrPrinter": "printing.str",
    "_keep_coeff": "core.mul",
    "_sort_gens": "polys.polyutils",
    "linprog": "solvers.simplex",
    "prettyForm": "printing.pretty.pretty",
    "pretty_use_unicode": "printing.pretty.pretty_symbology",
}

_without_sympy = False


class NotStored(BaseException):
    """Something that only SymPy knows; no `Exception`, so that nobody on the way takes it for an answer."""


def do_without_sympy() -> None:
    """Give stored expressions from now on, before any name was given from SymPy."""
    global _without_sympy
    assert "sympy" not in sys.modules, "names from both would meet"
    _without_sympy = True


def does_without_sympy() -> bool:
    """Whether the names are those of stored expressions."""
    return _without_sympy


def counts_alone() -> bool:
    """Whether SymPy does not rest on FLINT; it does where it was imported before this package, or told to."""
    return bool(_of_sympy("GROUND_TYPES") != "flint")


def __getattr__(name: str) -> Any:
    if name.startswith(("__", "stored_")):  # Python asks so for modules of this folder, too
        raise AttributeError(name)
    return _stored(name) if _without_sympy else _of_sympy(name)


def _of_sympy(name: str) -> Any:
    if "sympy" not in sys.modules:
        before = os.environ.get(_GROUND_TYPES)
        os.environ[_GROUND_TYPES] = before or "python"
        try:
            import_module("sympy")
        finally:
            if before is None:
                del os.environ[_GROUND_TYPES]  # what this process starts is left alone
    below = _BELOW_THE_ROOT.get(name)
    return getattr(import_module(f"sympy.{below}" if below else "sympy"), name)


class _Absent:
    """A class or function of SymPy that is not stored."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        raise NotStored


def _stored(name: str) -> Any:
    modules = (import_module(f".{module}", __name__) for module in ("stored_expressions", "stored_printing"))
    found = next((getattr(module, name) for module in modules if hasattr(module, name)), None)
    return found or type(name, (_Absent,), {})
