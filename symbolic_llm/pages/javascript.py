"""Expressions as JavaScript: calls of exact arithmetic, as `assets/calculator/exact.js` has it"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import ascii_letters
from typing import Any

from ..algebra import Add, Integer, JavascriptCodePrinter, Mul, Pow
from ..errors import CatalogueError
from ..expressions.printing import text
from ..notation import LETTERS
from ..numeral import valued

_FUNCTIONS = {"Max": "larger", "Min": "smaller", "floor": "down", "ceiling": "up", "Mod": "modulo"}
_RELATIONS = {"==": "equal", "!=": "unequal", "<": "below", "<=": "atMost", ">": "above", ">=": "atLeast"}
NAMES = ("plus", "times", "over", "power", *_FUNCTIONS.values(), *_RELATIONS.values())


class Printer(JavascriptCodePrinter):  # type: ignore[misc]
    """Prints an expression as calls of exact arithmetic, letters by short names, whole numbers as BigInts."""

    def __init__(self, names: Mapping[Any, str]) -> None:
        super().__init__()
        self._names = names

    def _print_Symbol(self, expr: Any) -> str:
        return self._names[expr]

    def _print_Integer(self, expr: Any) -> str:
        return f"{expr.p}n"

    _print_One = _print_NegativeOne = _print_Zero = _print_Integer

    def _print_Rational(self, expr: Any) -> str:
        return f"over({expr.p}n, {expr.q}n)"

    def _print_BooleanTrue(self, expr: Any) -> str:
        return "true"

    def _print_BooleanFalse(self, expr: Any) -> str:
        return "false"

    def _print_Add(self, expr: Any, order: Any = None) -> str:
        return self._call("plus", expr.args)

    def _print_Mul(self, expr: Any) -> str:
        above = [one for one in expr.args if not _is_divisor(one)]
        divisors = [Pow(one.base, -one.exp, evaluate=False) for one in expr.args if _is_divisor(one)]
        if not divisors:
            return self._call("times", above)
        return f"over({self._product(above)},{self._product(divisors)})"

    def _product(self, factors: list[Any]) -> str:
        if len(factors) > 1:
            return self._call("times", factors)
        return str(self._print(factors[0] if factors else Integer(1)))

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if expr.exp == 1:
            return str(self._print(expr.base))
        if _is_divisor(expr):
            return f"over(1n, {self._print(Pow(expr.base, -expr.exp, evaluate=False))})"
        if not all(_is_whole(factor) for term in Add.make_args(expr.exp) for factor in Mul.make_args(term)):
            raise CatalogueError(f"a calculator has no exact {text(expr)}.")
        return self._call("power", expr.args)

    def _print_Relational(self, expr: Any) -> str:
        return self._call(_RELATIONS[expr.rel_op], expr.args)

    def _print_Function(self, expr: Any) -> str:
        if (name := expr.func.__name__) not in _FUNCTIONS:
            raise CatalogueError(f"a calculator has no exact {name}.")
        return self._call(_FUNCTIONS[name], expr.args)

    _print_Max = _print_Min = _print_floor = _print_ceiling = _print_Mod = _print_Function

    def _call(self, name: str, parts: Iterable[Any]) -> str:
        return f"{name}({','.join(map(self._print, parts))})"


def _is_divisor(factor: Any) -> bool:
    return isinstance(factor, Pow) and bool(factor.exp.is_Integer and factor.exp < 0)


def _is_whole(factor: Any) -> bool:
    return bool(factor.is_Integer or (factor.is_Symbol and LETTERS[factor].whole))


def printed(expression: Any, letters: Iterable[Any]) -> str:
    """An expression or a relation as a function of letters, in that order."""
    names = dict(zip(letters, ascii_letters, strict=False))
    found = Printer(names).doprint(valued(expression))
    if "Not supported" in found:
        raise CatalogueError(f"a calculator cannot compute {text(expression)}.")
    return f"({','.join(names.values())})=>{found}"
