"""Numerals that count something

The 2 of a multiply-add is not a bare number: it is 2 FLOP per weight and token. A `Numeral` carries that unit and
says what it counts, so that the dimension check sees it and a page can explain it. In algebra it is a number.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from .algebra import AtomicExpr, Basic, Rational, S
from .errors import CatalogueError
from .unevaluated import changed
from .units import ONE, Unit


class Numeral(AtomicExpr):  # type: ignore[misc]
    """An exact positive number with the unit of what it counts, opaque to SymPy until `valued` opens it.

    Two numerals are equal when value, unit and meaning are; products of numerals are not multiplied out, so
    `2·4·d²` stays as the author wrote it.
    """

    is_commutative = True
    __slots__ = ("meaning", "unit", "value")

    value: Any
    unit: Unit
    meaning: str

    def __new__(cls, value: int | Fraction, unit: Unit, meaning: str) -> Numeral:
        if not value > 0:
            raise CatalogueError(f"a numeral that counts {meaning!r} must be positive, not {value}.")
        # without arguments: what SymPy sees as arguments it would substitute and simplify
        self: Numeral = AtomicExpr.__new__(cls)
        self.value, self.unit, self.meaning = Rational(value), unit, meaning
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.value, self.unit, self.meaning

    def __getstate__(self) -> None:
        return None

    def _hashable_content(self) -> tuple[object, ...]:
        return self.value, str(self.unit), self.meaning  # SymPy sorts by it, so it has to be orderable

    def _eval_is_positive(self) -> bool:
        return bool(self.value > 0)

    def sort_key(self, order: object = None) -> object:
        return self.class_key(), (1, (f"{self.value} {self.unit} {self.meaning}",)), S.One.sort_key(), S.One

    def _sympystr(self, printer: Any) -> Any:
        return printer._print(self.value)

    _pretty = _latex = _sympystr


def count(value: int | Fraction, meaning: str, unit: Unit = ONE) -> Numeral:
    """The numeral `value`, which counts what `meaning` says, in `unit`.

    Examples:
        >>> from symbolic_llm.units import FLOP, TOKEN, WEIGHT
        >>> two = count(2, "a multiplication and an addition", FLOP / (WEIGHT * TOKEN))
        >>> two, str(two.unit)
        (2, 'FLOP/(weight·token)')
    """
    return Numeral(value, unit, meaning)


def valued(expression: Any) -> Any:
    """The expression with every numeral replaced by its plain number: ordinary SymPy from here on."""
    if not isinstance(expression, Basic):
        return S(expression)
    return _valued(expression)


@lru_cache(maxsize=2**13)
def _valued(expression: Any) -> Any:
    numerals = {numeral: numeral.value for numeral in expression.atoms(Numeral)}
    return changed(expression, numerals) if numerals else expression
