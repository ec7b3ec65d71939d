"""Python functions that compute an expression exactly

A function is written once for each expression, with a line for every part of it, and computes with whole numbers and
fractions. Walking the expression instead, at each of the thousands of places where a check evaluates it, takes ten
times as long. Nothing that a user has typed is in what is compiled: letters and large numbers have names of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Add, Max, Min, Mod, Mul, Pow, Rational, ceiling, floor
from sympy.core.relational import Eq, Ge, Gt, Le, Lt, Ne
from sympy.logic.boolalg import BooleanAtom

from ..numeral import Numeral
from .arithmetic import LARGEST_POWER, Inexact, plain, power, quotient, root

_HALVES = (Rational(1, 2), Rational(-1, 2))
_LARGEST_WRITTEN = 2**63
_TWO_SIDED: dict[Any, str] = {Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=", Mod: "%"}
_CALLED: dict[Any, str] = {Max: "max", Min: "min", floor: "floor", ceiling: "ceil"}


def _refuse(name: str) -> Any:
    raise Inexact(f"{name} has no exact value here")


_NAMES: dict[str, Any] = {
    "__builtins__": {},
    "plain": plain,
    "power": power,
    "quotient": quotient,
    "root": root,
    "refuse": _refuse,
    "max": max,
    "min": min,
    "floor": math.floor,
    "ceil": math.ceil,
}


def as_function(expression: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What computes an expression from the values of its letters, given in the order of these.

    Values are ints and fractions, and so is what comes out, whole numbers as ints; of a relation it is its truth.
    """
    writer = _Writer()
    result = writer.operand(expression)
    if not (expression.is_Relational or isinstance(expression, BooleanAtom)):
        result = f"plain({result})"
    head = f"def compute({', '.join(writer.letters.values())}):"
    source = "\n ".join([head, *writer.lines, f"return {result}"])
    names = {**_NAMES, **writer.constants}
    exec(compile(source, "<expression>", "exec"), names)
    return names["compute"], tuple(writer.letters)


class _Writer:
    """Writes the parts of an expression as lines of a function, each part once.

    Attributes:
        lines: what is computed, in this order.
        letters: the symbols of the expression, and how the function calls them.
        constants: numbers that are named and not written.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.letters: dict[Any, str] = {}
        self.constants: dict[str, Any] = {}
        self._known: dict[Any, str] = {}

    def operand(self, expression: Any) -> str:
        """A name or a number for it."""
        if expression.is_Symbol:
            return self.letters.setdefault(expression, f"a{len(self.letters)}")
        if isinstance(expression, Numeral):
            return self.operand(expression.value)
        if expression.is_Rational:
            return self._number(int(expression.p), int(expression.q))
        if isinstance(expression, BooleanAtom):
            return str(bool(expression))
        if (known := self._known.get(expression)) is None:
            written = self._written(expression)
            known = self._known[expression] = f"t{len(self.lines)}"
            self.lines.append(f"{known} = {written}")
        return known

    def _number(self, over: int, under: int) -> str:
        if under == 1 and abs(over) < _LARGEST_WRITTEN:
            return str(over)
        name = f"c{len(self.constants)}"
        self.constants[name] = over if under == 1 else Fraction(over, under)
        return name

    def _written(self, expression: Any) -> str:
        if isinstance(expression, Mul):
            return self._product(expression.args)
        if _is_multiplied(expression):
            return self._product((expression,))
        operands = [self.operand(part) for part in expression.args]
        if isinstance(expression, Add):
            return " + ".join(operands)
        if isinstance(expression, Pow):
            return f"power({', '.join(operands)})"
        if isinstance(expression, Max | Min):
            return f"{_CALLED[expression.func]}(({', '.join(operands)},))"
        if expression.func in _CALLED:
            return f"{_CALLED[expression.func]}({operands[0]})"
        if expression.func in _TWO_SIDED:
            return f" {_TWO_SIDED[expression.func]} ".join(operands)
        return f"refuse({expression.func.__name__!r})"

    def _product(self, factors: tuple[Any, ...]) -> str:
        """The product, divided once by all that stands in denominators.

        One root is drawn of all that stands under roots: √2·√8 is 4, though neither root is rational.
        """
        over, under = list[str](), list[str]()
        roots = [factor for factor in factors if isinstance(factor, Pow) and factor.exp in _HALVES]
        if roots:
            over.append(f"root({self._product(tuple(Pow(one.base, 2 * one.exp) for one in roots))})")
        for factor in (factor for factor in factors if factor not in roots):
            if _is_multiplied(factor):
                power = int(factor.exp.p)
                raised = (
                    self.operand(factor.base) if abs(power) == 1 else f"({self.operand(factor.base)})**{abs(power)}"
                )
                (over if power > 0 else under).append(raised)
                continue
            number = factor.value if isinstance(factor, Numeral) else factor
            if number.is_Rational:  # divided by last, as whole numbers are quicker
                over += [self._number(int(number.p), 1)] * (number.p != 1)
                under += [self._number(int(number.q), 1)] * (number.q != 1)
            else:
                over.append(self.operand(factor))
        above = " * ".join(over) or "1"
        return f"quotient({above}, {' * '.join(under)})" if under else above


def _is_multiplied(factor: Any) -> bool:
    """Whether it is a power that is multiplied by, or divided by, as it stands."""
    return isinstance(factor, Pow) and factor.exp.is_Integer and 0 < abs(int(factor.exp.p)) <= LARGEST_POWER
