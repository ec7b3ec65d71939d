r"""Expressions as text, two-dimensional text and LaTeX, in the author's order

SymPy sorts factors alphabetically; a reader expects `2·P·B/F`. `arrange` rebuilds an expression, unevaluated, with
factors and terms in the order of the notation, and SymPy's own printers then print it as it stands. LaTeX is never
typed: it comes from the expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..algebra import (
    Add,
    Basic,
    Integer,
    Mul,
    Pow,
    PrettyPrinter,
    Relational,
    S,
    StrPrinter,
    Symbol,
    does_without_sympy,
    latex,
    pretty_use_unicode,
    prettyForm,
)
from ..claims import Cases, sides_of
from ..notation import LETTERS
from ..numeral import Numeral

_RANK = {symbol: place for place, symbol in enumerate(LETTERS)}
_LAST = len(_RANK)
_LATEX = {symbol: letter.latex for symbol, letter in LETTERS.items()}


def _factor_key(factor: Any) -> tuple[int, int, str]:
    """Sort key of a factor: plain numbers, numerals, letters in the order of the notation, then everything else."""
    base = factor.base if isinstance(factor, Pow) else factor
    if base.is_Number:
        return (0, 0, "")
    if isinstance(base, Numeral):
        return (1, 0, "")
    if isinstance(base, Symbol):
        return (2, _RANK.get(base, _LAST), base.name)
    return (3, 0, "")


def _term_key(term: Any) -> tuple[bool, list[int]]:
    """Sort key of a term: descending powers of the letters, the first of the notation first; negative terms last."""
    powers = [0] * (_LAST + 1)
    for factor in Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if exponent.is_Integer:
            for symbol in base.free_symbols:
                powers[_RANK.get(symbol, _LAST)] -= int(exponent)
    return bool(term.could_extract_minus_sign()), powers


def _is_one(factor: Any) -> bool:
    return isinstance(factor, Numeral) and bool(factor.value == 1)


@lru_cache(maxsize=4096)
def arrange(expression: Any) -> Any:
    """The expression with factors and terms in writing order, unevaluated, numerals that are 1 left out."""
    if does_without_sympy():  # it was arranged when it was stored
        return expression
    if _is_one(expression) or (isinstance(expression, Pow) and _is_one(expression.base)):
        return S.One
    if isinstance(expression, Mul):
        negative, factors = False, []
        for factor in Mul.make_args(expression):
            if factor.is_Number and factor.is_negative:
                negative, factor = not negative, -factor
            factor = arrange(factor)
            if factor != 1:
                factors.append(factor)
        factors.sort(key=_factor_key)
        product = Mul(*factors, evaluate=False) if len(factors) > 1 else (factors or [S.One])[0]
        return Mul(S.NegativeOne, product, evaluate=False) if negative else product
    if isinstance(expression, Add):
        terms = sorted(expression.args, key=_term_key)
        return Add(*map(arrange, terms), evaluate=False)
    if isinstance(expression, Basic) and expression.args:
        return expression.func(*map(arrange, expression.args), evaluate=False)
    return expression


SIGNS = {"=": "=", "≈": r"\approx", "⟺": r"\iff", "⟹": r"\implies"}  # what stands between the sides of a claim


def tex(claim: Any, numbers: Mapping[Any, str] | None = None) -> str:
    """LaTeX of an expression, relation or claim; letters print as `numbers` where it has them."""
    if isinstance(claim, Cases):
        return _cases(claim, numbers)
    if sides := sides_of(claim):
        left, sign, right = sides
        return f"{tex(left, numbers)} {SIGNS[sign]} {tex(right, numbers)}"
    names, times = (_LATEX | dict(numbers), r" \cdot ") if numbers else (_LATEX, r"\,")
    return str(latex(arrange(claim), order="none", symbol_names=names, mul_symbol=times))


def _cases(claim: Cases, numbers: Mapping[Any, str] | None) -> str:
    joined, rows = r" \text{ and } ", []
    for _, value, relations in claim.pieces:
        where = joined.join(tex(relation, numbers) for relation in relations)
        rows.append(rf"{tex(value, numbers)} & \text{{if }} {where}")
    listed = r" \\ ".join(rows)
    return rf"{tex(claim.value, numbers)} = \begin{{cases}} {listed} \end{{cases}}"


_SPECIAL = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {"\\": r"\backslash ", "~": r"\sim ", "^": r"\wedge "}


def upright(words: str) -> str:
    r"""Words within LaTeX; signs that mean something there stand outside, where every renderer reads them alike.

    >>> print(upright("50 % of m_token"))
    \text{50 }\%\text{ of m}\_\text{token}
    """
    escaped = "".join(f"}}{_SPECIAL[sign]}\\text{{" if sign in _SPECIAL else sign for sign in words)
    return rf"\text{{{escaped}}}".replace(r"\text{}", "")


def _name(symbol: Any) -> str:
    letter = LETTERS.get(symbol)
    return letter.shown or letter.name if letter else str(symbol.name)


_STAR = "\0"  # the star of B*, kept apart from the stars of SymPy's products


class _Line(StrPrinter):  # type: ignore[misc]
    def __init__(self, numbers: Mapping[Any, str]) -> None:
        super().__init__({"order": "none"})
        self._numbers = numbers

    def _print_Symbol(self, expr: Any) -> str:
        return self._numbers.get(expr) or _name(expr).replace("*", _STAR)


class _Drawing(PrettyPrinter):  # type: ignore[misc]
    def _print_Symbol(self, e: Any, bold_name: bool = False) -> Any:
        return prettyForm(_name(e))

    def _print_Mul(self, product: Any) -> Any:
        """Draw a product as SymPy does, whose own method imports its physical units first; there are none here."""
        first, *more = product.args
        if first is S.One or any(factor.is_Number for factor in more):
            return super()._print_Mul(product)
        above, below = [], []
        for factor in product.args:
            if factor.is_Pow and factor.exp.is_Rational and factor.exp.is_negative:
                below.append(factor.base if factor.exp == -1 else Pow(factor.base, -factor.exp, evaluate=False))
            elif factor.is_Rational:
                above += [Integer(factor.p)] * (factor.p != 1)
                below += [Integer(factor.q)] * (factor.q != 1)
            else:
                above.append(factor)
        drawn_above = prettyForm.__mul__(*map(self._print, above or [S.One]))
        return drawn_above / prettyForm.__mul__(*map(self._print, below)) if below else drawn_above

    def _print_Max(self, e: Any) -> Any:
        return prettyForm(*self._print_seq(e.args, "(", ")", delimiter=", ").left("max"))

    def _print_Min(self, e: Any) -> Any:
        return prettyForm(*self._print_seq(e.args, "(", ")", delimiter=", ").left("min"))


_DRAWING = _Drawing({"order": "none", "use_unicode": True, "wrap_line": False})


def text(claim: Any, numbers: Mapping[Any, str] | None = None) -> str:
    """Text of a claim on one line, such as `B* = n_bytes·F/(2·W)`; letters print as `numbers` where it has them."""
    if isinstance(claim, Cases):
        pieces = (
            f"{text(value, numbers)} if {' and '.join(text(one, numbers) for one in relations)}"
            for _, value, relations in claim.pieces
        )
        return f"{text(claim.value, numbers)} = {', '.join(pieces)}"
    if sides := sides_of(claim):
        left, sign, right = sides
        return f"{text(left, numbers)} {sign} {text(right, numbers)}"
    if isinstance(claim, Relational):
        sign = {"==": "=", "<=": "≤", ">=": "≥", "!=": "≠"}.get(claim.rel_op, claim.rel_op)
        return f"{text(claim.lhs, numbers)} {sign} {text(claim.rhs, numbers)}"
    plain = str(_Line(numbers or {}).doprint(arrange(claim)))
    plain = plain.replace("Max(", "max(").replace("Min(", "min(")
    return plain.replace("**", "^").replace("*", "·").replace(_STAR, "*")


def drawn(claim: Any) -> str:
    """Two-dimensional text for a terminal; a compound claim stays on one line."""
    if sides_of(claim):
        return text(claim)
    before = pretty_use_unicode(True)  # SymPy would ask what standard output can show, and fail halfway
    try:
        lines = str(_DRAWING.doprint(arrange(claim))).splitlines()
    finally:
        pretty_use_unicode(before)
    return "\n".join(line.rstrip() for line in lines)
