"""Printers of stored expressions: as SymPy printed them when they were stored, under the names of SymPy's printers"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import NotStored
from .stored_expressions import AtomicExpr, Symbol


class StrPrinter:
    """Puts names or numbers where the letters were."""

    def __init__(self, *_: Any) -> None:
        self._print: Callable[[Any], str] = self.doprint

    def doprint(self, expr: Any) -> str:
        """The expression on one line."""
        if expr.is_Symbol:
            return str(self._print_Symbol(expr))
        if expr.is_Number:
            return str(expr)
        if isinstance(expr, AtomicExpr):
            return str(expr._sympystr(self))
        pieces = _stored(expr.shown).split("\1")
        return "".join(str(self._print_Symbol(Symbol(p))) if i % 2 else p for i, p in enumerate(pieces))

    _print_Symbol: Callable[[Any], str]  # noqa: N815


class PrettyPrinter:
    """Gives the drawing that was stored with an expression."""

    def __init__(self, *_: Any) -> None:
        pass

    def doprint(self, expr: Any) -> str:
        """The expression in two dimensions."""
        return _stored(expr.drawing)


def latex(expr: Any, *, mul_symbol: str, **_: Any) -> str:
    """The expression as LaTeX, with the names that letters have."""
    if mul_symbol != r"\,":
        raise NotStored
    return _stored(expr.typeset)


def pretty_use_unicode(flag: bool) -> bool:
    """The flag, unchanged, since stored expressions are drawn in Unicode."""
    return flag


def _stored(printed: str | None) -> str:
    if printed is None:
        raise NotStored
    return printed
