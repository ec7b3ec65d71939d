"""The language of claims: formulas of the catalogue, letters, quantities and arithmetic

    throughput(model="llama-7b", hardware="a100-80gb-pcie", dtype="int4", B=1, P=7e9) / 2
    given("bandwidth", hardware="m2") * 2
    "24 GB" - 13.5e9 * "2 byte"

Text is taken apart by Python's parser and never evaluated: what is not in the list below is refused. A call asks a
formula as `evaluate` does; `solved(formula, letter, …)` solves it for a letter, `given(letter, …)` asks presets,
`floor` and `ceiling` round, and `magnitude` is how many powers of ten a number reaches. Text is a quantity with its
unit. What comes out is exact.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor, prod
from typing import Any, TypeVar

from ..algebra import Eq, Rational, nan, zoo
from ..catalogue import catalogue
from ..errors import InvalidValue, SymbolicLLMError, UnknownName, known_name, shown
from ..notation import called
from ..quantity import Quantity, evaluated, of_device, of_preset, solved
from ..units import ONE, parse_quantity

_LONGEST = 2000
_HIGHEST = 64  # of a power
_MOST_BITS = _MOST_TERMS = 2**12  # of a number, and of an equation
_OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_ROUNDED: dict[str, Callable[[Fraction], int]] = {"floor": floor, "ceiling": ceil}
_MAGNITUDE = "magnitude"
_PRINTED_OF_DEVICES = ("on_chip",)
_Part = TypeVar("_Part")


def value_of(text: str) -> Quantity:
    """Value of an expression; an error of this package, in one sentence, for one that is not of the language."""
    reader = _Reader(text)
    return reader.whole(reader.quantity)


def asked_in(text: str) -> list[Quantity]:
    """Quantities that an expression asks of formulas and presets, each once and with how it comes about."""
    reader = _Reader(text)
    reader.whole(reader.quantity)
    return list(dict.fromkeys(reader.asked))


def name_of(asked: Quantity) -> str:
    """Name of what an expression asked: a formula, or a letter of presets."""
    return asked.source.partition(":")[0].partition(",")[0]


def stated_in(text: str) -> list[str]:
    """Rates and rounded counts that an expression puts into formulas as they stand in it: "990 TFLOP/s", 13e9."""
    called = [node for node in ast.walk(_parsed(text)) if isinstance(node, ast.Call)]
    parts = [part for call in called for keyword in call.keywords for part in ast.walk(keyword.value)]
    return [str(part.value) for part in parts if isinstance(part, ast.Constant) and _is_stated(part.value)]


def _is_stated(value: object) -> bool:
    if not isinstance(value, str):
        return isinstance(value, float)
    try:
        unit = parse_quantity(value)[1]
    except SymbolicLLMError:
        return False  # a preset
    return unit is not None and any(base == "second" for base, _ in unit.exponents)


def equation_of(text: str) -> Any:
    """An equation between letters as SymPy has it: `T_memory = 2*P*n_bytes*B/W`."""
    left, equals, right = text.partition("=")
    if not equals or "=" in right:
        raise InvalidValue(f"'{shown(text)}' is not an equation; write a letter, then = and an expression.")
    readers = [_Reader(side) for side in (left, right)]
    return Eq(*(one.whole(one.expression) for one in readers), evaluate=False)


def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise InvalidValue(f"'{shown(text)}' is too long for a claim.")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidValue(f"'{shown(text)}' is not an expression of formulas, quantities and + - * / **.") from None


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _written(node: ast.expr) -> str:
    """The name that a part of the text stands for, with quotes or without; "" if it is none."""
    return _name(node) or str(getattr(node, "value", ""))


class _Reader:
    """Reads the parts of one text."""

    def __init__(self, text: str) -> None:
        self._text = text.strip()
        self.asked: list[Quantity] = []

    def _refused(self, why: str) -> InvalidValue:
        return InvalidValue(f"'{shown(self._text)}': {why}.")

    def whole(self, part: Callable[[ast.expr], _Part]) -> _Part:
        """The text read as what `part` makes of it."""
        try:
            return part(_parsed(self._text))
        except ZeroDivisionError:
            raise self._refused("it divides by zero") from None
        except RecursionError:
            raise self._refused("it is nested too deeply") from None

    def quantity(self, node: ast.expr) -> Quantity:
        """The quantity that a part of the text comes to."""
        match node:
            case ast.Constant(value=str(text)):
                number, unit = parse_quantity(text)
                return Quantity(number * unit.scale, unit.dimension) if unit else Quantity(number)
            case ast.Constant(value=bool()):
                raise self._refused("only numbers can be claimed, not true or false")
            case ast.Constant(value=int() | float()):
                return Quantity(self._number(node))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.quantity(operand)
            case ast.BinOp():
                return self._combined(node, self.quantity)
            case ast.Call():
                return bounded(self._called(node))
        raise self._refused("write formulas as batch_crossover(F='312 TFLOP/s', …), and quantities as '80 GB'")

    def _number(self, node: ast.expr) -> Fraction:
        # as it is written, not as the nearest binary fraction; the parser has read its digits already
        written = ast.get_source_segment(self._text, node) or repr(getattr(node, "value", 0))
        return Fraction(parse_quantity(written)[0])

    def _combined(self, node: ast.BinOp, read: Callable[[ast.expr], _Part]) -> _Part:
        """Two parts put together, whether they are quantities or expressions."""
        if type(node.op) not in _OPERATIONS:
            raise self._refused("only + - * / and ** can combine parts")
        left = read(node.left)
        right = self._exponent(node.right) if isinstance(node.op, ast.Pow) else read(node.right)
        found: _Part = _OPERATIONS[type(node.op)](left, right)
        if found is zoo or found is nan:  # what SymPy has for a division by zero
            raise ZeroDivisionError
        return bounded(found)

    def _exponent(self, node: ast.expr) -> int:
        found = self.quantity(node)
        if found.unit != ONE or found.value.denominator != 1 or abs(found.value) > _HIGHEST:
            raise self._refused(f"an exponent must be a whole number of at most {_HIGHEST}")
        return int(found.value)

    def _called(self, node: ast.Call) -> Quantity:
        name, words = _name(node.func), {}
        if not name:
            raise self._refused(
                "only a formula can be called, by its name, as in ridge_point(hardware='a10', dtype='fp16')"
            )
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in words:
                raise self._refused("give each letter and preset by name, and only once")
            words[keyword.arg] = self._given(keyword.value)
        if name in _ROUNDED and len(node.args) == 1 and not words:
            found = self.quantity(node.args[0])
            return Quantity(Fraction(_ROUNDED[name](found.value)), found.unit)
        if name == _MAGNITUDE and len(node.args) == 1 and not words:
            return Quantity(Fraction(_magnitude(self.quantity(node.args[0]).value)))
        named = [_written(one) for one in node.args]
        if not all(named):
            raise self._refused(f"{name} takes names before its letters")
        found = self._asked(name, named, words)
        self.asked.append(found)
        return found

    def _asked(self, name: str, named: list[str], words: dict[str, Any]) -> Quantity:
        """The quantity that a formula or a preset gives, called by name."""
        if name == "given" and len(named) == 1:
            if named[0] in _PRINTED_OF_DEVICES and words.keys() == {"hardware"}:
                return of_device(named[0], str(words["hardware"]))
            return of_preset(self._letter(named[0]), **words)
        if name == "solved" and len(named) == 2:
            return solved(_formula(named[0]), named[1], **words)
        if named:
            raise self._refused(f"{name} takes letters and presets by name, as in B=1")
        return evaluated(_formula(name), **words)

    def _given(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return self.quantity(node)

    def _letter(self, name: str) -> str:
        found = called(name)
        if not found:
            raise UnknownName(f"there is no letter {shown(name)}; symbolic-llm show FORMULA lists its letters.")
        return str(found[0].name)

    def expression(self, node: ast.expr) -> Any:
        """A part as SymPy has it, of letters and numbers alone."""
        match node:
            case ast.Name(id=name):
                if len(found := called(name)) != 1 and not any(symbol.name == name for symbol in found):
                    raise UnknownName(f"'{shown(self._text)}': there is no letter {shown(name)}.")
                return next((symbol for symbol in found if symbol.name == name), found[0])
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                number = self._number(node)
                return Rational(number.numerator, number.denominator)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.expression(operand)
            case ast.BinOp():
                return self._combined(node, self.expression)
        raise self._refused("an equation may have only letters, numbers and + - * / **")


def _formula(name: str) -> str:
    return known_name("formula", name, catalogue().names)


def _magnitude(value: Fraction) -> int:
    """Number of powers of ten that a positive number reaches: 2 for 161."""
    if value <= 0:
        raise InvalidValue("only a positive number has a magnitude.")
    digits = len(str(value.numerator)) - len(str(value.denominator))
    return digits if value >= Fraction(10) ** digits else digits - 1


def bounded(found: _Part) -> _Part:
    """The quantity or expression, unchanged; `InvalidValue` for one so long that it would never be finished."""
    part: Any = found
    number = part.value if isinstance(part, Quantity) else part.as_coeff_Mul()[0]
    if max(int(one).bit_length() for one in (number.numerator, number.denominator)) > _MOST_BITS:
        raise InvalidValue("a number of thousands of digits is too large.")
    if not isinstance(part, Quantity) and max(_terms(part)) >= _MOST_TERMS:
        raise InvalidValue("an equation of thousands of terms is too long.")
    return found


def _terms(expression: Any) -> tuple[int, int]:
    """Upper bounds of the terms of numerator and denominator, written out; a power of a letter counts by its degree."""
    if expression.is_Pow and expression.exp.is_Integer:
        times, (over, under) = min(abs(int(expression.exp)), _MOST_TERMS), _terms(expression.base)
        both = min(max(over, 2) ** times, _MOST_TERMS), min(under**times, _MOST_TERMS)
        return both if expression.exp > 0 else both[::-1]
    if not expression.args:
        return 1, 1
    overs, unders = zip(*map(_terms, expression.args), strict=True)
    over, under = prod(overs), prod(unders)
    if expression.is_Add:
        over = sum(one * under // mine for one, mine in zip(overs, unders, strict=True))
    return min(over, _MOST_TERMS), min(under, _MOST_TERMS)
