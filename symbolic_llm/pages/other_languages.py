"""A formula in the languages it may be wanted in elsewhere: LaTeX, Python, JavaScript, Markdown, BibTeX"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import __version__
from ..algebra import CodePrinter, JavascriptCodePrinter, PythonCodePrinter
from ..expressions.printing import arrange, tex
from ..formula import Formula

YEAR = 2026  # of this version

_ORDER = {"order": "none"}  # as the formula is written


def texts(formula: Formula) -> Iterator[tuple[str, str]]:
    """The name of each language, and the formula in it; a theorem has no value that a program could compute."""
    latex = tex(formula.claim)
    yield "LaTeX", latex
    if formula.quantity is not None:
        name, right = formula.quantity.name, formula.rhs
        yield "Python", python(name, right)
        yield "JavaScript", f"const {name} = {javascript(right)};"
    yield "Markdown", f"**{formula.title}**\n\n$$\n{latex}\n$$"
    yield "BibTeX", _bibtex(formula)


class _Numerals(CodePrinter):  # type: ignore[misc]
    """Prints numerals that count something as the numbers they are."""

    def _print_Numeral(self, expr: Any) -> str:
        return str(self._print(expr.value) if expr.value.is_Integer else f"({self._print(expr.value)})")


class _Python(_Numerals, PythonCodePrinter):  # type: ignore[misc]
    """Prints Python, letters by their names."""


class _JavaScript(_Numerals, JavascriptCodePrinter):  # type: ignore[misc]
    """Prints JavaScript, letters by their names."""


def python(name: str, expression: Any) -> str:
    """The statement by which Python gives the name an expression's value, after the import of what it calls."""
    printer = _Python(_ORDER | {"fully_qualified_modules": False})
    code = printer.doprint(arrange(expression))
    imported = [
        f"from {module} import {', '.join(sorted(used))}\n\n" for module, used in printer.module_imports.items()
    ]
    return f"{''.join(imported)}{name} = {code}"


def javascript(expression: Any) -> str:
    """An expression as JavaScript computes it."""
    return str(_JavaScript(_ORDER).doprint(arrange(expression)))


def _bibtex(formula: Formula) -> str:
    name = formula.name.replace("_", r"\_")
    fields = {
        "author": "{The symbolic\\_llm authors}",
        "title": f"{{{formula.title}}}",
        "howpublished": f"symbolic\\_llm, formula {name}",
        "version": __version__,
        "year": str(YEAR),
    }
    lines = "".join(f"  {field} = {{{said}}},\n" for field, said in fields.items())
    return f"@misc{{symbolic_llm:{formula.name},\n{lines}}}"
