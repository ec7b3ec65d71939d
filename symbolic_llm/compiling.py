"""Compiling a formula to a fast function

The function takes the letters as arguments, by name or in the order of the notation, plain numbers or NumPy arrays,
and checks nothing: it is for the inner loop. `evaluate` is the one that checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sympy import Function, Max, floor, lambdify
from sympy.printing.pycode import PythonCodePrinter

from .claims import Kind
from .errors import NotSolvable
from .formula import Formula
from .notation import LETTERS
from .numeral import valued
from .printing import arrange

_SCALARS: frozenset[Any] = frozenset({int, float})


def _larger(x: Any, y: Any) -> Any:
    if x.__class__ in _SCALARS and y.__class__ in _SCALARS:
        return x if x >= y else y
    import numpy

    return numpy.maximum(x, y)


def _floor(x: Any) -> Any:
    if x.__class__ in _SCALARS:
        return math.floor(x)
    import numpy

    return numpy.floor(x)


def compile_formula(formula: Formula, unfold: bool = False) -> Callable[..., Any]:
    """A function of the claim's letters that returns its quantity.

    Args:
        formula: any but a theorem.
        unfold: put in the formulas it uses, so that the arguments are the most basic letters.
    """
    if formula.kind is Kind.THEOREM:
        raise NotSolvable(f"{formula.name} is a theorem and has no value to compute.")
    right = valued(formula.unfold(formula.rhs) if unfold else formula.rhs)
    letters = [symbol for symbol in LETTERS if symbol in right.free_symbols]
    larger, lower = Function("_larger"), Function("_floor")
    right = right.replace(Max, lambda *args: larger(*args)).replace(floor, lambda arg: lower(arg))
    # Arranged and printed as it stands: the author's order has the fewest operations on arrays.
    printer = PythonCodePrinter({"order": "none", "fully_qualified_modules": False, "allow_unknown_functions": True})
    names = [{"_larger": _larger, "_floor": _floor}, "math"]
    function: Callable[..., Any] = lambdify(letters, arrange(right), modules=names, printer=printer)
    function.__name__ = formula.name
    arguments = "\n".join(f"    {s.name}: {LETTERS[s].meaning} [{LETTERS[s].unit}]" for s in letters)
    function.__doc__ = (
        f"{formula.title}\n\nArgs:\n{arguments}\n\nReturns:\n    {LETTERS[formula.quantity].meaning} [{formula.unit}]"
    )
    return function
