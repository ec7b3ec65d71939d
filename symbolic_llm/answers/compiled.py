"""Compiling a formula to a fast function

The function takes the letters as arguments, by name or in the order of the notation, plain numbers or NumPy arrays,
and checks nothing: it is for the inner loop. `evaluate` is the one that checks. Letters that are given when it is
compiled, by themselves or by presets, are checked then and become constants of the function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from sympy import Function, Max, Rational, floor, lambdify
from sympy.printing.pycode import PythonCodePrinter

from ..claims import Kind
from ..errors import NotSolvable
from ..expressions.printing import arrange
from ..formula import Formula
from ..notation import LETTERS
from ..numeral import valued
from ..presets import NONE, Presets
from .inputs import gather_inputs
from .rules import without_architecture

_SCALARS: frozenset[Any] = frozenset({int, float})


def _larger(x: Any, y: Any) -> Any:
    if x.__class__ in _SCALARS and y.__class__ in _SCALARS:
        return x if x >= y or x != x else y  # not a number is passed on, as NumPy does
    import numpy

    return numpy.maximum(x, y)


def _floor(x: Any) -> Any:
    if x.__class__ in _SCALARS:
        return math.floor(x)
    import numpy

    return numpy.floor(x)


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Prints the expression as it stands, with floats for what NumPy's integers could not hold.

    The author's order has the fewest operations on arrays.
    """

    def __init__(self) -> None:
        super().__init__({"order": "none", "fully_qualified_modules": False, "allow_unknown_functions": True})

    def _print_Integer(self, expr: Any) -> str:
        return str(expr) if abs(expr) < 2**53 else repr(float(expr))

    def _print_Rational(self, expr: Any) -> str:
        return repr(float(expr))


def compile_formula(
    formula: Formula, letters: Mapping[str, object], presets: Presets = NONE, *, unfold: bool = False
) -> Callable[..., Any]:
    """A function of the claim's open letters that returns its quantity.

    Args:
        formula: any but a theorem.
        letters: values of letters that are to be constants.
        unfold: put in the formulas it uses for the letters without a value.
        presets: where constants take their values from too.
    """
    if formula.kind is Kind.THEOREM:
        raise NotSolvable(f"{formula.name} is a theorem and has no value to compute.")
    given = gather_inputs(formula, letters, presets)  # what is computed without open letters is a constant
    constants = {symbol: Rational(value.numerator, value.denominator) for symbol, value in given.numbers().items()}
    right = without_architecture(valued(formula.rhs), given.rules, constants)
    if unfold:
        right = valued(formula.unfold(right)).xreplace(constants)
    arguments = [symbol for symbol in LETTERS if symbol in right.free_symbols]
    larger, lower = Function("_larger"), Function("_floor")
    right = right.replace(Max, lambda *args: reduce(larger, args)).replace(floor, lambda arg: lower(arg))
    names = [{"_larger": _larger, "_floor": _floor}, "math"]
    function: Callable[..., Any] = lambdify(arguments, arrange(right), modules=names, printer=_Printer())
    function.__name__ = function.__qualname__ = formula.name
    function.__doc__ = _documentation(formula, arguments)
    return function


def _documentation(formula: Formula, arguments: list[Any]) -> str:
    def described(symbol: Any) -> str:
        return f"{LETTERS[symbol].meaning} [{LETTERS[symbol].unit}]"

    parts = [formula.title, f"Returns:\n    {described(formula.quantity)}"]
    if arguments:
        lines = (f"    {symbol.name}: {described(symbol)}" for symbol in arguments)
        parts.insert(1, "\n".join(("Args:", *lines)))
    return "\n\n".join(parts)
