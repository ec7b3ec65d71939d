"""Compiling a formula to a fast function

The function takes the letters as arguments, by name or in the order of the notation: plain numbers, NumPy arrays or
lists. It checks nothing, for it is made for the inner loop; `evaluate` is the one that checks. Letters that are given
when it is compiled, by themselves or by presets, are checked then and become constants of the function.

Plain numbers are computed as Python does, whole ones exactly. Everything NumPy is computed as float64, since its whole
numbers wrap around: the FLOPs of a prompt pass 2**63.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from fractions import Fraction
from functools import cache, reduce
from inspect import Parameter, Signature
from itertools import product
from typing import Any, cast

from ...algebra import (
    Dummy,
    Function,
    Gt,
    Le,
    Max,
    Min,
    Mul,
    Number,
    Pow,
    PythonCodePrinter,
    Rational,
    Symbol,
    floor,
    lambdify,
)
from ...claims import Condition, Kind
from ...errors import InvalidValue, NotSolvable, shown
from ...expressions import parts
from ...expressions.arithmetic import Inexact, number
from ...expressions.decide import positive
from ...expressions.exact import exactly
from ...expressions.printing import arrange, text
from ...expressions.rational import cancelled
from ...formula import Formula
from ...notation import LETTERS
from ...numeral import valued
from ...presets import NONE, Presets
from ...presets.parse_value import NUMERIC
from ..bindings import Given, bounds
from ..division import DIVIDING, NotDivided, divided
from ..gather import gather_inputs
from ..resolution import letters_of, without_architecture

OUTSIDE = ("ignore", "nan")
FLOATS_LEAVE_OUT = 2**53  # whole numbers, from here on
_SCALARS: frozenset[Any] = frozenset({int, float})
_LISTS = (list, tuple, range)
_OUT = Symbol("out")


def _larger(x: Any, y: Any) -> Any:
    return x if x >= y or x != x else y  # not a number is passed on, as NumPy does


def _floor(x: Any) -> Any:
    return math.floor(x) if -math.inf < x < math.inf else x


def _of_any(of_plain: Callable[..., Any], of_arrays: str) -> Callable[..., Any]:
    """A function of plain numbers, which is NumPy's of that name where something else is given."""

    def found(*given: Any) -> Any:
        if all(x.__class__ in _SCALARS for x in given):
            return of_plain(*given)
        import numpy

        return getattr(numpy, of_arrays)(*given)

    return found


_ANY_KIND = {
    "_larger": _of_any(_larger, "maximum"),
    "_floor": _of_any(_floor, "floor"),
    "sqrt": _of_any(math.sqrt, "sqrt"),
}


class _Printer(PythonCodePrinter):  # type: ignore[misc]
    """Prints the expression as it stands, with floats for what NumPy's integers could not hold.

    The author's order has the fewest operations on arrays.
    """

    def __init__(self) -> None:
        super().__init__({"order": "none", "fully_qualified_modules": False, "allow_unknown_functions": True})

    def _print_Integer(self, expr: Any) -> str:
        return str(expr) if abs(expr) < FLOATS_LEAVE_OUT else repr(float(expr))

    def _print_Rational(self, expr: Any) -> str:
        return repr(float(expr))


def _printed_as_float(part: Any) -> bool:
    """Whether Python makes a float of a power or a number of whole numbers."""
    if isinstance(part, Pow):
        return not (part.exp.is_integer and part.exp.is_nonnegative)
    return not (part.is_Integer and abs(part) < FLOATS_LEAVE_OUT)


class _Guarded(_Printer):
    """Prints the value for plain numbers, nan where a condition fails, and for anything else a call that computes it.

    Naming the two classes is the cheapest test there is: 25 ns for three letters.
    """

    def __init__(
        self, arguments: Sequence[Any], conditions: Sequence[Any], exact: Any, checked: Sequence[Any] = ()
    ) -> None:
        super().__init__()
        self._exact, self._checked = exact, checked
        self._names, self._conditions = [symbol.name for symbol in arguments], conditions
        self._rounds = exact.has(floor)
        self._grows = any(not power.exp.is_number for power in exact.atoms(Pow))
        self._divides = any(_printed_as_float(part) for part in exact.atoms(Pow, Number))

    def _by_division(self) -> str:
        """The value for whole numbers where whole division gives it, which takes a tenth of the time; else ""."""
        try:
            value, *relations = map(divided, (self._exact, *self._checked))
        except NotDivided:
            return ""
        printed = super().doprint(value)
        if not relations:
            return f"({printed})"
        return f"({printed} if {' and '.join(f'({super(_Guarded, self).doprint(r)})' for r in relations)} else _nan)"

    def doprint(self, expr: Any, assign_to: Any = None) -> str:
        value = str(super().doprint(expr))
        if self._conditions:
            holds = " and ".join(f"({super(_Guarded, self).doprint(relation)})" for relation in self._conditions)
            value = f"({value} if {holds} else _nan)"
        # not isinstance: NumPy's float64 is a float, and has to be computed as an array
        plain = [f"({name}.__class__ is float or {name}.__class__ is int)" for name in self._names]
        asked = " and ".join([*plain, f"{_OUT.name} is None"])
        whole = " and ".join(f"{name}.__class__ is int" for name in self._names)
        exact = f"_of_whole({', '.join(self._names)})"
        if self._rounds and whole:  # a quotient of floats that is just below a whole number loses one
            value = f"({self._by_division() or exact} if {whole} else {value})"
        elif self._divides and whole:  # from there on floats leave whole numbers out
            small = f"(_v := {value}) < {FLOATS_LEAVE_OUT}"
            if self._grows:  # 1 less a power close to 1 has few digits left: the value may be far off, and too small
                small += "".join(f" and {name} < {FLOATS_LEAVE_OUT}" for name in self._names)
            value = f"(_v if {small} or not ({whole}) else {exact})"
        return f"{value} if {asked} else _of_any({', '.join([*self._names, f'{_OUT.name}={_OUT.name}'])})"


def compile_formula(
    formula: Formula,
    letters: Mapping[str, object],
    presets: Presets = NONE,
    *,
    unfold: bool = False,
    outside: str = "ignore",
) -> Callable[..., Any]:
    """A function of the claim's open letters that returns its quantity.

    Args:
        formula: any but a theorem.
        letters: values of letters that are to be constants.
        unfold: put in the formulas it uses for the letters without a value.
        presets: where constants take their values from too.
        outside: "nan" to return that where a condition fails; the letters of the conditions are arguments then too.
    """
    if formula.kind is Kind.THEOREM:
        raise NotSolvable(f"{formula.name} is a theorem and has no value to compute.")
    if not isinstance(outside, str) or outside not in OUTSIDE:
        raise InvalidValue(f"outside= must be 'ignore' or 'nan', but '{shown(outside)}' was given.")
    given = gather_inputs(formula, letters, presets)  # what is computed without open letters is a constant
    given.apply(formula.rhs.free_symbols)
    constants = {symbol: Rational(value.numerator, value.denominator) for symbol, value in given.numbers().items()}

    def written_out(expression: Any) -> tuple[Any, list[Formula]]:
        expression, picked = without_architecture(valued(expression), given.rules, constants)
        expression, used = _put_in(expression, formula if unfold else None, constants)
        return expression, [*picked, *used]

    right, put_in = written_out(formula.rhs)
    for used in put_in:
        given.hold(used)
        given.apply(used.rhs.free_symbols)
    # a constant that a formula gave is right only where that formula holds, which the open letters may decide
    stated = dict.fromkeys(c for one in (formula, *put_in) for c in one.demanded)
    stated |= dict.fromkeys(c for one in _computing(given, (formula, *put_in)) for c in one.demanded)
    # what a formula computes keeps its bound by itself, and in floats might just miss it
    stated |= dict.fromkeys(bounds(s for one in (formula, *put_in) for s in one.letters if s in given.stated()))
    if not right.is_number and not _never_negative(formula):
        positive_one = Gt(formula.rhs, 0, evaluate=False)
        stated[Condition(positive_one, f"so that {formula.quantity.name} is positive")] = None
    relations = {condition: written_out(condition.relation)[0] for condition in stated}
    open_ones = {condition: relation for condition, relation in relations.items() if relation != True}  # noqa: E712
    checked = list(open_ones.values()) if outside == "nan" else []
    arguments = [*parts.letters_of((right, *checked))]
    function = made(right, arguments, checked)
    function.__name__ = function.__qualname__ = formula.name
    function.__doc__ = _documentation(formula, arguments, open_ones, outside)
    return function


def _computing(given: Given, formulas: Iterable[Formula]) -> tuple[Formula, ...]:
    """The formulas by which constants among the letters of formulas and of their conditions were computed."""
    return given.computing(symbol for formula in formulas for symbol in letters_of(formula))


def _never_negative(formula: Formula) -> bool:
    """Whether the form of the right-hand side and the conditions show that it is not negative.

    False does not say that it can be negative.
    """
    right = valued(formula.rhs).replace(floor, lambda inner: inner)  # rounded down, what is positive is at least 0
    for relation in (condition.relation for condition in (*formula.demanded, *bounds(formula.letters))):
        if isinstance(relation, Le) and relation.rhs.is_Symbol:  # the larger is the smaller and something more
            right = right.xreplace({relation.rhs: relation.lhs + Dummy(positive=True)})
    maxima = list(right.atoms(Max, Min))
    cases = (right.xreplace(dict(zip(maxima, choice, strict=True))) for choice in product(*(m.args for m in maxima)))
    return all(positive(cancelled(case), formula.demanded) for case in cases)


def _put_in(expression: Any, formula: Formula | None, constants: Mapping[Any, Any]) -> tuple[Any, list[Formula]]:
    """The expression with used formulas put in for its letters, but for constants; and the formulas put in."""
    found = []
    for used in reversed(formula.closure()) if formula else ():
        if used.quantity in expression.free_symbols:
            found.append(used)
            expression = expression.xreplace({used.quantity: valued(used.rhs).xreplace(constants)})
    return expression, found


def _named(expression: Any) -> Any:
    """The expression with maxima of two arguments at a time, under a name of ours, and with minima as maxima.

    Python's own max loses not-a-number.

    Where SymPy has multiplied a sum by a fraction, the fraction stands before it again: floats would round each term,
    and of two that cancel leave a rest.
    """
    if expression.is_Relational:  # SymPy would look whether it is always true, be it by the roots of a high power
        return expression.func(*map(_named, expression.args), evaluate=False)
    larger, lower = Function("_larger"), Function("_floor")
    expression = expression.replace(Min, lambda *args: -Max(*(-one for one in args), evaluate=False))
    expression = expression.replace(Max, lambda *args: reduce(larger, args))
    expression = expression.replace(floor, lambda arg: lower(arg))
    # but not within a power: a high one of the fraction is too large or too small for a float
    whole = {power.base for power in expression.atoms(Pow) if power.exp.free_symbols or abs(power.exp) > 2}
    return expression.replace(lambda part: part.is_Add and part not in whole and part.primitive()[0] != 1, _before)


def _before(total: Any) -> Any:
    return Mul(*total.primitive(), evaluate=False)


def for_any_kind(arguments: Sequence[Any], expressions: Any) -> Callable[..., Any]:
    """A function by NumPy's operations that gives an expression, or a list of them, of numbers and arrays of floats."""
    named = [_named(x) for x in expressions] if isinstance(expressions, list) else _named(expressions)
    made: Callable[..., Any] = lambdify(arguments, named, modules=[_ANY_KIND, "math"], printer=_Printer())
    return made


def made(right: Any, arguments: list[Any], checked: list[Any]) -> Callable[..., Any]:
    """A function of the arguments that gives the right-hand side, and nan where something that is checked fails.

    For plain numbers it computes by itself, for the rest it calls one that takes arrays.
    """
    exact_right, exact_checked = right, checked
    right, checked = arrange(_named(right)), [_named(relation) for relation in checked]

    @cache  # made when first asked for, as NumPy is loaded
    def for_arrays() -> tuple[Callable[..., Any], Callable[..., Any]]:
        return for_any_kind(arguments, right), for_any_kind(arguments, checked)

    def of_any(*given: Any, out: Any = None) -> Any:
        value, holds = for_arrays()
        if out is None and not checked and not any(isinstance(x, _LISTS) or hasattr(x, "dtype") for x in given):
            return value(*given)  # fractions and the like
        import numpy

        from .chunked import fitting, in_tiles

        listed = [_array(x) if isinstance(x, _LISTS) else x for x in given]
        if out is not None:
            out = fitting(out, numpy.broadcast_shapes(*map(numpy.shape, listed)))
        with numpy.errstate(all="ignore") if checked else nullcontext():
            found = in_tiles(value, holds if checked else None, listed, out)
            if found is None:
                floats = [*map(as_floats, listed)]
                found = value(*floats)
                if checked:
                    truths = numpy.broadcast_arrays(*holds(*floats))
                    found = numpy.where(numpy.logical_and.reduce(truths), found, numpy.nan)[()]
                if out is not None:
                    out[...] = found
        return found if out is None else out

    def of_whole(*given: int) -> int | float:
        """The value for whole numbers, nothing rounded on the way."""
        numbers = dict(zip(arguments, given, strict=True))
        try:
            if not all(exactly(relation)[0](numbers) for relation in exact_checked):
                return math.nan
            return number(Fraction(exactly(exact_right)[0](numbers)))
        except Inexact:  # a root
            return cast("float", of_any(*map(float, given)))

    names = {"_larger": _larger, "_floor": _floor, "_nan": math.nan, "_of_any": of_any, "_of_whole": of_whole}
    names |= DIVIDING
    printer = _Guarded(arguments, checked, exact_right, exact_checked)
    function: Any = lambdify([*arguments, _OUT], right, modules=[names, "math"], printer=printer)
    # by name only, and not among the parameters, which are the letters
    function.__code__ = function.__code__.replace(co_argcount=len(arguments), co_kwonlyargcount=1)
    function.__kwdefaults__ = {_OUT.name: None}
    function.__signature__ = Signature([Parameter(s.name, Parameter.POSITIONAL_OR_KEYWORD) for s in arguments])
    return cast("Callable[..., Any]", function)


def _array(given: Any) -> Any:
    """A list as an array of float64; `InvalidValue` where something in it is no number."""
    import numpy

    try:
        return as_floats(numpy.asarray(given))
    except InvalidValue:
        raise
    except (TypeError, ValueError):
        raise InvalidValue("a list for a letter must hold numbers, or lists of numbers of equal length.") from None


def as_floats(given: Any) -> Any:
    """Arrays as arrays of float64, NumPy's numbers too; what else there is as it is.

    `InvalidValue` for what is no number and becomes one all the same: durations, dates, text, complex numbers.
    """
    kind = getattr(given, "dtype", None)
    # NumPy's whole numbers wrap around and its short floats overflow; what is no array of numbers passes through
    if getattr(kind, "kind", "f") == "f" and getattr(kind, "itemsize", 8) >= 8:
        return given
    if getattr(kind, "kind", "f") not in NUMERIC:
        raise InvalidValue(f"an array for a letter must hold numbers, not {shown(kind)}.")
    return given.astype("float64")


def _documentation(formula: Formula, arguments: list[Any], conditions: Iterable[Condition], outside: str) -> str:
    def described(symbol: Any) -> str:
        return f"{LETTERS[symbol].meaning} [{LETTERS[symbol].unit}]"

    parts = [formula.title]
    if where := [f"    {text(condition.relation)}  ({condition.sentence})" for condition in conditions]:
        unchecked = "The function does not check this; elsewhere its value is meaningless."
        elsewhere = "It returns nan elsewhere." if outside == "nan" else unchecked
        parts.append("\n".join(("Holds where:", *where, elsewhere)))
    if arguments:
        parts.append("\n".join(("Args:", *(f"    {symbol.name}: {described(symbol)}" for symbol in arguments))))
    parts.append("out= takes an array of float64 for the result, as NumPy's own functions do.")
    return "\n\n".join([*parts, f"Returns:\n    {described(formula.quantity)}"])
