"""Python functions that compute an expression exactly

A function is made once for each expression, with a line for every part of it, and computes with whole numbers and
fractions. Walking the expression instead, at each of the thousands of places where a check evaluates it, takes three
times as long. No text is evaluated: Python compiles the tree that its own parser would make, and in that stand numbers
and names that are given here.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from types import CodeType, FunctionType
from typing import Any

from ..algebra import Add, BooleanAtom, Eq, Ge, Gt, Le, Lt, Max, Min, Mod, Mul, Ne, Pow, Rational, ceiling, floor
from ..numeral import Numeral
from .arithmetic import LARGEST_POWER, Inexact, plain, power, quotient, root

_HALVES = (Rational(1, 2), Rational(-1, 2))
_COMPARED: dict[Any, ast.cmpop] = {
    Eq: ast.Eq(),
    Ne: ast.NotEq(),
    Lt: ast.Lt(),
    Le: ast.LtE(),
    Gt: ast.Gt(),
    Ge: ast.GtE(),
}
_CALLED: dict[Any, str] = {Max: "max", Min: "min", floor: "floor", ceiling: "ceil"}
_PLUS, _TIMES, _RAISED, _REST = ast.Add(), ast.Mult(), ast.Pow(), ast.Mod()
_AT: dict[str, Any] = {"lineno": 1, "col_offset": 0}  # where it stands, which it does nowhere


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
    """Function that computes an expression from the values of its letters, and these letters in their order.

    Values are ints and fractions, and so is what comes out, whole numbers as ints; of a relation it is its truth.
    """
    writer = _Writer()
    result = writer.operand(expression)
    if not (expression.is_Relational or isinstance(expression, BooleanAtom)):
        result = _call("plain", result)
    (made,) = ast.parse("def compute(): ...").body  # with all that this Python's functions have
    assert isinstance(made, ast.FunctionDef), "a function"
    made.args.args = [ast.arg(name.id, **_AT) for name in writer.letters.values()]
    made.body = [*writer.lines, ast.Return(result, **_AT)]
    module = compile(ast.Module([made], []), "<expression>", "exec")
    code = next(one for one in module.co_consts if isinstance(one, CodeType))
    return FunctionType(code, {**_NAMES, **writer.constants}), tuple(writer.letters)


class _Writer:
    """Writer of a function's lines from the parts of an expression, each part once.

    Attributes:
        lines: what is computed, in this order.
        letters: the symbols of the expression, and what the function calls them.
        constants: fractions, by the names that the function has for them.
    """

    def __init__(self) -> None:
        self.lines: list[ast.stmt] = []
        self.letters: dict[Any, ast.Name] = {}
        self.constants: dict[str, Fraction] = {}
        self._known: dict[Any, ast.Name] = {}

    def operand(self, expression: Any) -> ast.expr:
        """Name or number that stands for an expression in the function."""
        if expression.is_Symbol:
            return self.letters.setdefault(expression, _name(f"a{len(self.letters)}"))
        if isinstance(expression, Numeral):
            return self.operand(expression.value)
        if expression.is_Rational:
            return self._number(int(expression.p), int(expression.q))
        if isinstance(expression, BooleanAtom):
            return ast.Constant(bool(expression), **_AT)
        if (known := self._known.get(expression)) is None:
            written = self._written(expression)
            known = self._known[expression] = _name(f"t{len(self.lines)}")
            self.lines.append(ast.Assign([ast.Name(known.id, ast.Store(), **_AT)], written, **_AT))
        return known

    def _number(self, over: int, under: int = 1) -> ast.expr:
        if under == 1:
            return ast.Constant(over, **_AT)
        name = f"c{len(self.constants)}"
        self.constants[name] = Fraction(over, under)
        return _name(name)

    def _written(self, expression: Any) -> ast.expr:
        if isinstance(expression, Mul):
            return self._product(expression.args)
        if _is_multiplied(expression):
            return self._product((expression,))
        operands = [self.operand(part) for part in expression.args]
        if isinstance(expression, Add):
            return _joined(_PLUS, operands)
        if isinstance(expression, Pow):
            return _call("power", *operands)
        if isinstance(expression, Mod):
            return _joined(_REST, operands)
        if isinstance(expression, Max | Min):
            # as one tuple, which is right for one argument too
            return _call(_CALLED[expression.func], ast.Tuple(operands, ast.Load(), **_AT))
        if expression.func in _CALLED:
            return _call(_CALLED[expression.func], *operands)
        if expression.func in _COMPARED:
            return ast.Compare(operands[0], [_COMPARED[expression.func]], [operands[1]], **_AT)
        return _call("refuse", ast.Constant(expression.func.__name__, **_AT))

    def _product(self, factors: tuple[Any, ...]) -> ast.expr:
        """The product, divided once by all that stands in denominators.

        One root is drawn of all that stands under roots: √2·√8 is 4, though neither root is rational.
        """
        over, under = list[ast.expr](), list[ast.expr]()
        roots = [factor for factor in factors if isinstance(factor, Pow) and factor.exp in _HALVES]
        if roots:
            over.append(_call("root", self._product(tuple(Pow(one.base, 2 * one.exp) for one in roots))))
        for factor in (factor for factor in factors if factor not in roots):
            if _is_multiplied(factor):
                raised, times = self.operand(factor.base), int(factor.exp.p)
                if abs(times) > 1:
                    raised = _joined(_RAISED, [raised, self._number(abs(times))])
                (over if times > 0 else under).append(raised)
                continue
            number = factor.value if isinstance(factor, Numeral) else factor
            if number.is_Rational:  # divided by last, as whole numbers are quicker
                over += [self._number(int(number.p))] * (number.p != 1)
                under += [self._number(int(number.q))] * (number.q != 1)
            else:
                over.append(self.operand(factor))
        above = _joined(_TIMES, over or [self._number(1)])
        return _call("quotient", above, _joined(_TIMES, under)) if under else above


def _is_multiplied(factor: Any) -> bool:
    """Whether a factor is a power that is multiplied by, or divided by, as it stands."""
    # larger powers are left to `power`, which knows when to round; Python would carry them out
    return isinstance(factor, Pow) and factor.exp.is_Integer and 0 < abs(int(factor.exp.p)) <= LARGEST_POWER


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load(), **_AT)


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_name(name), list(arguments), [], **_AT)


def _joined(operator: ast.operator, operands: Sequence[ast.expr]) -> ast.expr:
    """Operands joined by an operator, halved and halved again: Python nests no thousand terms."""
    if len(operands) == 1:
        return operands[0]
    middle = len(operands) // 2
    return ast.BinOp(_joined(operator, operands[:middle]), operator, _joined(operator, operands[middle:]), **_AT)
