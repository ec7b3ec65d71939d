"""Polynomials with exact coefficients, quick to evaluate at whole numbers"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

from ..algebra import Poly, Symbol, expand
from .arithmetic import plain

Exact = int | Fraction
Powers = tuple[int, ...]


class Polynomial:
    """A polynomial with exact coefficients, quick to evaluate at whole numbers.

    Args:
        terms: its factors, by the powers of the arguments.
        names: the order of its arguments.
    """

    __slots__ = ("names", "terms")

    def __init__(self, terms: Mapping[Powers, Exact], names: tuple[str, ...]) -> None:
        self.names = names
        self.terms = {powers: factor for powers, factor in terms.items() if factor}

    @classmethod
    def constant(cls, number: Exact, names: tuple[str, ...]) -> Polynomial:
        """A number as a polynomial in these names."""
        return cls({(0,) * len(names): number}, names)

    @classmethod
    def letter(cls, name: str, names: tuple[str, ...]) -> Polynomial:
        """Letter as a polynomial in all of these names, of which it is one."""
        return cls({tuple(int(name == other) for other in names): 1}, names)

    @classmethod
    def of(cls, expression: Any, names: Sequence[str]) -> Polynomial:
        """An expression that is a polynomial in symbols of these names."""
        symbols = [Symbol(name, positive=True) for name in names]
        terms = Poly(expand(expression), *symbols).terms() if names else [((), expression)]
        return cls({tuple(map(int, powers)): plain(Fraction(int(f.p), int(f.q))) for powers, f in terms}, tuple(names))

    @classmethod
    def over(cls, element: Any, names: Sequence[str]) -> Polynomial:
        """A polynomial of SymPy's, whose letters are among these names, with whole coefficients."""
        places = [names.index(symbol.name) for symbol in element.ring.symbols]
        terms: dict[Powers, Exact] = {}
        for powers, factor in element.terms():
            every = [0] * len(names)
            for place, power in zip(places, powers, strict=True):
                every[place] = power
            terms[tuple(every)] = int(factor)
        return cls(terms, tuple(names))

    def plus(self, other: Polynomial, times: Exact = 1) -> Polynomial:
        """Sum of the polynomial and so many times another."""
        found = dict(self.terms)
        for powers, factor in other.terms.items():
            found[powers] = found.get(powers, 0) + factor * times
        return Polynomial(found, self.names)

    def times(self, other: Polynomial) -> Polynomial:
        """Product with another polynomial."""
        found: dict[Powers, Exact] = {}
        for mine, by in self.terms.items():
            for theirs, factor in other.terms.items():
                powers = tuple(map(add, mine, theirs))
                found[powers] = found.get(powers, 0) + by * factor
        return Polynomial(found, self.names)

    def scaled(self, factor: Exact) -> Polynomial:
        """Polynomial multiplied by a number."""
        return Polynomial({powers: plain(factor * by) for powers, by in self.terms.items()}, self.names)

    def degree(self, name: str) -> int:
        """Its degree in one argument; 0 of the polynomial that is zero everywhere."""
        place = self.names.index(name)
        return max((powers[place] for powers in self.terms), default=0)

    def __call__(self, point: Sequence[Exact]) -> Exact:
        """Its value at a point."""
        value: Exact = 0
        for powers, term in self.terms.items():
            for x, power in zip(point, powers, strict=True):
                if power:
                    term *= x**power if power > 1 else x
            value += term
        return value

    def put_in(self, arguments: Sequence[Polynomial], names: tuple[str, ...]) -> Polynomial:
        """Polynomial in these names that comes out with a polynomial in the place of each argument."""
        total: dict[Powers, Exact] = {}
        for powers, factor in self.terms.items():
            single, several = [0] * len(names), list[Polynomial]()
            for argument, power in zip(arguments, powers, strict=True):
                if not power:
                    continue
                if len(argument.terms) > 1 or not argument.terms:
                    several += [argument] * power
                    continue
                ((theirs, by),) = argument.terms.items()  # a letter, most of the time: only its power goes up
                factor *= by**power
                single = [mine + its * power for mine, its in zip(single, theirs, strict=True)]
            term = reduce(Polynomial.times, several, Polynomial({tuple(single): factor}, names))
            for at, by in term.terms.items():
                total[at] = total.get(at, 0) + by
        return Polynomial(total, names)
