"""Numbers that remember how they came about

Where an answer of the engine is calculated with traced numbers instead of plain ones, the polynomials of the parameters
that it comes to come along. What is compared on the way is compared by value: where the numbers are those of one place,
the answer is the one that holds wherever all comparisons come out as they do there.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from operator import ge, gt, le, lt
from typing import Any

from ..expressions.arithmetic import plain
from ..expressions.polynomial import Exact, Polynomial


class Traced:
    """A number at one place, and the polynomial whose value it is there.

    Attributes:
        value: the number.
        polynomial: in the parameters; None of a quotient, which is compared only.
    """

    __slots__ = ("polynomial", "value")

    def __init__(self, value: Exact, polynomial: Polynomial | None) -> None:
        self.value = value
        self.polynomial = polynomial

    def __bool__(self) -> bool:
        """Whether it is anything but zero everywhere."""
        return bool(self.value if self.polynomial is None else self.polynomial.terms)

    def __index__(self) -> int:
        """How often something is done: as a comparison, at this place."""
        return int(self.value)

    def __add__(self, other: Any) -> Traced:
        if other.__class__ is int and not other:
            return self
        return self._with(other, self.value + value_of(other), Polynomial.plus)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Traced:
        if isinstance(other, Traced):
            return self._with(other, self.value * other.value, Polynomial.times)
        return Traced(self.value * other, self.polynomial and self.polynomial.scaled(other))

    __rmul__ = __mul__

    def __neg__(self) -> Traced:
        return self.__mul__(-1)

    def __sub__(self, other: Any) -> Traced:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Traced:
        return self.__neg__().__add__(other)

    def __pow__(self, power: int) -> Traced:
        found = self
        for _ in range(power - 1):
            found = found * self
        return found

    def __truediv__(self, other: Any) -> Traced:
        if isinstance(other, Traced):
            return Traced(plain(Fraction(self.value) / other.value), None)
        return self.__mul__(1 / Fraction(other))

    def __rtruediv__(self, other: Exact) -> Traced:
        return Traced(plain(other / Fraction(self.value)), None)

    def _with(self, other: Any, value: Exact, how: Callable[[Polynomial, Polynomial], Polynomial]) -> Traced:
        if self.polynomial is None:
            return Traced(value, None)
        theirs = polynomial_of(other, self.polynomial.names)
        return Traced(value, None if theirs is None else how(self.polynomial, theirs))


def _comparing(how: Callable[[Any, Any], bool]) -> Callable[[Traced, Any], bool]:
    return lambda self, other: how(self.value, value_of(other))


for _name, _how in {"__lt__": lt, "__le__": le, "__gt__": gt, "__ge__": ge}.items():
    setattr(Traced, _name, _comparing(_how))


def value_of(number: Any) -> Any:
    """The plain number."""
    return number.value if isinstance(number, Traced) else number


def polynomial_of(number: Any, names: tuple[str, ...]) -> Polynomial | None:
    """The polynomial of a traced number, or the constant one of a plain number."""
    return number.polynomial if isinstance(number, Traced) else Polynomial({(0,) * len(names): number}, names)
