"""Formulas as rows of data: written with SymPy, read without

A row is what is read of a formula when numbers are put in: claim, conditions, what it uses, how each side prints. Its
derivation is not in it. Rows are kept with the answers (`cache.answers`); a process that does without SymPy takes every
formula from its row.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

from . import claims
from .algebra import NotStored, does_without_sympy
from .algebra import stored_expressions as expressions
from .architecture import Trait
from .cache import answers
from .claims import Condition
from .expressions.printing import text
from .formula import Formula
from .numeral import Numeral
from .steps import premise
from .units import Unit

# Written with SymPy


def as_rows(made: Iterable[Formula]) -> dict[str, Any]:
    """The rows of formulas, by the names of their modules."""
    return {one.module: _row(one) for one in made}


def _row(formula: Formula) -> dict[str, Any]:
    statement = formula.statement
    claim = [type(statement).__name__, *(part(value) for value in vars(statement).values())]
    return {
        "docstring": formula.docstring,
        "claim": claim,
        "kind": formula.kind.name,
        "conditions": [condition_row(condition) for condition in formula.conditions],
        "own": len(formula.where),
        "asked": [place for place, one in enumerate(formula.conditions) if one in formula.asked],
        "uses": [used.module for used in formula.uses],
        "measured_by": formula.measured_by,
        "unmeasured": formula.unmeasured,
        "plain": [letter.name for letter in formula.plain],
        "plain_claim": None if formula.plain_claim == formula.claim else part(formula.plain_claim),
        "models": [trait.name for trait in formula.models],
        "traits": sorted(trait.name for trait in formula.traits),
        "sources": formula.sources,
        "example": dict(formula.example),
    }


def condition_row(condition: Condition) -> list[Any]:
    """A condition with how it prints."""
    return [part(condition.relation), condition.sentence, condition.otherwise]


def part(expression: Any, typeset: str | None = None) -> Any:
    """An expression with how it prints; of a relation, with how its sides do."""
    if isinstance(expression, str):
        return ["said", expression]
    if isinstance(expression, tuple):
        return ["listed", *map(part, expression)]
    if expression.is_Relational:
        return [expression.rel_op, *map(part, expression.args)]
    if not expression.args and typeset is None:
        return _tree(expression)
    template = text(expression, {letter: f"\1{letter.name}\1" for letter in expression.free_symbols})
    return ["shown", template, typeset, _tree(expression)]


def _tree(expression: Any) -> Any:
    if expression.is_Symbol:
        return expression.name
    if isinstance(expression, Numeral):
        unit = expression.unit
        return ["#", str(expression.value), unit.exponents, str(unit.scale), expression.meaning]
    if expression.is_Rational:
        return ["/", int(expression.p), int(expression.q)]
    return [type(expression).__name__, *map(_tree, expression.args)]


# Read without


def stored_row(*asked: str) -> Any:
    """Data that is stored under this name; None if there is none, or this process has SymPy."""
    return answers.stored(*asked) if does_without_sympy() else None


def needed_row(*asked: str) -> Any:
    """Data that is stored under this name; `NotStored` if there is none."""
    if (row := stored_row(*asked)) is None:
        raise NotStored
    return row


def stored_formulas(*asked: str) -> tuple[Formula, ...] | None:
    """Formulas that are stored under this name; None as for `stored_row`."""
    rows = stored_row(*asked)
    return None if rows is None else tuple(_formula(module, row) for module, row in rows.items())


@cache
def stored_formula(module: str) -> Formula:
    """The catalogue's formula of this module, from its row."""
    return _formula(module, _catalogue()[module])


@cache
def _catalogue() -> Any:
    return needed_row("formulas")


def _formula(module: str, row: dict[str, Any]) -> Formula:
    """The formula of a row, which is read when more is asked of it than the models it is for.

    Its derivation is not stored: what asks for it raises `NotStored`.
    """
    made: Formula = object.__new__(_stored_class())
    # what follows from the derivation was found when it was there
    vars(made).update(module=module, traits=frozenset(Trait[name] for name in row["traits"]), _row=row)
    return made


@cache
def _stored_class() -> Any:
    later = {name: _Later(name) for name in (*Formula.__dataclass_fields__, "conditions", "asked")}
    return type("StoredFormula", (Formula,), later)


class _Later:
    """A field of a formula whose row has not been read; what is read takes its place."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, made: Any, owner: Any) -> Any:
        if made is None:
            return self
        _fill(made, vars(made)["_row"])
        return vars(made)[self._name]


def _fill(made: Any, row: dict[str, Any]) -> None:

    name, *parts = row["claim"]
    stated = [read_part(part) for part in parts]
    conditions = read_conditions(row["conditions"])
    Formula.__init__(
        made,
        made.module,
        row["docstring"],
        claim=stated[0] if name == "Equation" else getattr(claims, name)(*stated),
        steps=(premise(_Derivation(), ""),),
        kind=claims.Kind[row["kind"]],
        where=conditions[: row["own"]],
        uses=tuple(stored_formula(used) for used in row["uses"]),
        measured_by=row["measured_by"],
        unmeasured=row["unmeasured"],
        plain=tuple(map(expressions.Symbol, row["plain"])),
        models=tuple(Trait[name] for name in row["models"]),
        sources=tuple(row["sources"]),
        example=row["example"],
    )
    vars(made)["plain_claim"] = made.claim if row["plain_claim"] is None else read_part(row["plain_claim"])
    vars(made)["conditions"] = conditions
    vars(made)["asked"] = tuple(conditions[place] for place in row["asked"])


class _Derivation(expressions.Basic):
    """Stand-in for a derivation, which is not stored."""

    @property
    def free_symbols(self) -> Any:
        raise NotStored

    has = atoms = xreplace = free_symbols


def read_conditions(found: list[Any]) -> tuple[Condition, ...]:
    """The conditions of rows, with how they print."""
    return tuple(Condition(read_part(relation), sentence, otherwise) for relation, sentence, otherwise in found)


@cache
def _numeral(value: str, exponents: tuple[Any, ...], scale: str, meaning: str) -> Any:
    return Numeral(Fraction(value), Unit(exponents, Fraction(scale)), meaning)


def read_part(tree: Any) -> Any:
    """The expression of a row, with how it prints."""
    if isinstance(tree, str):
        return expressions.Symbol(tree)
    name, *args = tree
    if name == "said":
        return args[0]
    if name == "listed":
        return tuple(map(read_part, args))
    if name == "/":
        return expressions.Rational(*args)
    if name == "#":
        value, exponents, scale, meaning = args
        return _numeral(value, tuple(map(tuple, exponents)), scale, meaning)
    if name == "shown":
        template, typeset, inner = args
        made = read_part(inner)
        made.shown, made.typeset = template, typeset or made.typeset  # of one expression a row may have more
        return made
    known = expressions.RELATIONS.get(name) or getattr(expressions, name, None)
    if known is None:  # a function that no formula had so far
        raise NotStored
    return known(*map(read_part, args))
