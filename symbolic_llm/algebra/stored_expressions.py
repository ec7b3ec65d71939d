"""Expressions that are stored: what stands for SymPy where its algebra is not needed

Formulas with numbers put in need little of SymPy: what an expression is made of, and how it was printed. The classes
here have that, under SymPy's names; everything else about them is `NotStored`, upon which the question is asked again
with SymPy itself. An expression is read as SymPy left it; nothing is simplified or reordered here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any, NoReturn

from . import NotStored

_MADE: dict[tuple[type, Any], Any] = {}


def _only_sympy(*_: Any, **__: Any) -> NoReturn:
    raise NotStored


class Basic:
    """An expression: its class and its arguments. There is one object for each, so that equal ones are identical.

    Attributes:
        args: its arguments.
        shown: how it prints on one line, with a control sign around letters; None where that is not stored.
        typeset: its LaTeX; None where that is not stored.
        drawing: how it prints in two dimensions; None where that is not stored.
    """

    args: tuple[Any, ...] = ()
    is_Symbol = is_Number = is_Integer = is_Rational = is_Relational = is_Equality = False  # noqa: N815 - SymPy's names
    shown: str | None = None
    typeset: str | None = None
    drawing: str | None = None

    def __new__(cls, *args: Any, evaluate: bool = True) -> Any:
        """The expression of that class with these arguments."""
        made = cls, tuple(map(S, args))
        if made not in _MADE:
            _MADE[made] = object.__new__(cls)
            _MADE[made].args = made[1]
        return _MADE[made]

    @cached_property
    def free_symbols(self) -> frozenset[Any]:
        """The letters in it."""
        return frozenset().union(*(arg.free_symbols for arg in self.args))

    @property
    def func(self) -> Any:
        """Its class."""
        return type(self)

    def parts(self) -> Iterator[Any]:
        """The expression itself and everything in it."""
        yield self
        for arg in self.args:
            yield from arg.parts()

    def atoms(self, *types: type) -> set[Any]:
        """Parts of the expression that are of these classes."""
        return {part for part in self.parts() if isinstance(part, types)}

    def has(self, *patterns: Any) -> bool:
        """Whether one of these stands in it, or one of these classes."""
        return any(isinstance(part, p) if isinstance(p, type) else part == p for p in patterns for part in self.parts())

    def xreplace(self, rule: Mapping[Any, Any]) -> Any:
        """The expression with some of its parts replaced."""
        if self in rule:
            return S(rule[self])
        args = [arg.xreplace(rule) for arg in self.args]
        same = all(new is old for new, old in zip(args, self.args, strict=True))
        return self if same else type(self)(*args)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # Python asks for such, and so do notebooks
            raise AttributeError(name)
        raise NotStored

    def __add__(self, other: Any) -> Any:
        return Add(self, other)

    def __mul__(self, other: Any) -> Any:
        return Mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return Mul(other, self)

    def __sub__(self, other: Any) -> Any:
        return Add(self, Mul(-1, other))

    __radd__ = __add__
    __rsub__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = _only_sympy
    __lt__: Any = _only_sympy
    __gt__: Any = _only_sympy
    __le__ = __ge__ = _only_sympy


class AtomicExpr(Basic):
    """An expression without arguments, such as a numeral that counts."""

    def __new__(cls, *_: Any) -> Any:
        """A new object, which its author fills in."""
        return object.__new__(cls)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AtomicExpr) or type(self) is not type(other):
            return False
        return bool(self._hashable_content() == other._hashable_content())

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self._hashable_content())


class Symbol(Basic):
    """A letter."""

    is_Symbol = True  # noqa: N815

    def __new__(cls, name: str, **_: bool) -> Any:
        """The letter of that name."""
        made = cls, name
        if made not in _MADE:
            _MADE[made] = object.__new__(cls)
            _MADE[made].name = name
        return _MADE[made]

    @cached_property
    def free_symbols(self) -> frozenset[Any]:
        """The letter itself."""
        return frozenset({self})

    def __str__(self) -> str:
        return str(self.name)


class Rational(Basic):
    """A number."""

    is_Number = is_Rational = True  # noqa: N815

    def __new__(cls, value: Any, below: int = 1) -> Any:
        """The number of that value; a whole one is an `Integer`."""
        number = Fraction(value.p, value.q) if isinstance(value, Rational) else Fraction(value)
        number /= below
        made = Rational, number
        if made not in _MADE:
            _MADE[made] = object.__new__(Integer if number.denominator == 1 else Rational)
            _MADE[made].p, _MADE[made].q = number.numerator, number.denominator
        return _MADE[made]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, int | Fraction) and bool(Fraction(self.p, self.q) == other))

    def __hash__(self) -> int:
        return id(self)  # there is one for each number

    def __repr__(self) -> str:
        return str(Fraction(self.p, self.q))

    def __mul__(self, other: Any) -> Any:
        return Rational(self.p * other, self.q) if isinstance(other, int) else Mul(self, other)

    __rmul__ = __mul__

    def __gt__(self, other: Any) -> bool:
        return bool(Fraction(self.p, self.q) > (Fraction(other.p, other.q) if isinstance(other, Rational) else other))

    def __lt__(self, other: Any) -> bool:
        return self != other and not self > other

    def __int__(self) -> int:
        return int(Fraction(self.p, self.q))

    __str__ = __repr__


class Integer(Rational):
    """A whole number."""

    is_Integer = True  # noqa: N815


class BooleanAtom(Basic):
    """True or false, of which neither is stored, since no formula is one of them."""


class Relational(Basic):
    """A relation between two sides."""

    is_Relational = True  # noqa: N815
    rel_op = ""

    @property
    def lhs(self) -> Any:
        """Its left side."""
        return self.args[0]

    @property
    def rhs(self) -> Any:
        """Its right side."""
        return self.args[1]

    __bool__ = _only_sympy


class Eq(Relational):
    """An equation."""

    is_Equality = True  # noqa: N815
    rel_op = "=="


def _class(name: str, base: type = Basic, **members: Any) -> Any:
    return type(name, (base,), {"__doc__": f"SymPy's {name}.", "__module__": __name__, **members})


Ne, Ge, Gt, Le, Lt = (
    _class(name, Relational, rel_op=sign)
    for name, sign in {"Ne": "!=", "Ge": ">=", "Gt": ">", "Le": "<=", "Lt": "<"}.items()
)
RELATIONS = {relation.rel_op: relation for relation in (Eq, Ne, Ge, Gt, Le, Lt)}
Add, Mul, Max, Min, Mod, floor, ceiling, log = map(
    _class, ["Add", "Mul", "Max", "Min", "Mod", "floor", "ceiling", "log"]
)


class Pow(Basic):
    """A power."""

    @property
    def base(self) -> Any:
        """Base of the power."""
        return self.args[0]

    @property
    def exp(self) -> Any:
        """Exponent of the power."""
        return self.args[1]


class _Singletons:
    """SymPy's `S`: gives numbers by name, and makes an expression of a number."""

    def __call__(self, value: Any) -> Any:
        if isinstance(value, Basic):
            return value
        if isinstance(value, int | Fraction) and not isinstance(value, bool):
            return Rational(value)
        raise NotStored

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        known = {"Zero": 0, "One": 1, "NegativeOne": -1}
        if name not in known:
            raise NotStored
        return Rational(known[name])


S = _Singletons()
