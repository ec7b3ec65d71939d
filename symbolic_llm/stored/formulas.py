"""The formulas as they are stored, written with SymPy and read without

A row is what is read of a formula when numbers are put in: claim, conditions, what it uses, how each side prints. Its
derivation is not in it. Solutions have rows of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from ..cache import folder
from ..errors import SymbolicLLMError
from . import NotStored, expressions
from .answers import keep, read
from .expressions import Basic

SUMMED = "sums are letters"

# Written with SymPy


def remember(solved: tuple[str, str] | None = None, model: str | None = None) -> None:
    """Store the formulas, the solution of one of them for a letter and a preset's sums, where the cache lacks them."""
    from ..catalogue import catalogue
    from ..notation import named
    from ..presets import names

    if folder() is None:
        return
    if read(["formulas"]) is None:
        keep(["formulas"], rows())
        for name, table in table_rows():
            keep(["table", name], table)
    if model in names("models"):
        for name, row in sum_rows(model):
            if read(["sum", name]) is None:
                keep(["sum", name], row)
        for asked, made in own_formulas(model):
            if read(asked) is None:
                keep(asked, as_rows(made))
    if solved is None or solved[0] not in catalogue():
        return
    found = catalogue()[solved[0]]
    if read(["branches", found.module, solved[1]]) is None:
        for asked, found_rows in solution_rows(found, named(solved[1])):
            keep(asked, found_rows)


def rows() -> dict[str, Any]:
    """Every formula of the catalogue, by the name of its module."""
    from ..catalogue import catalogue

    return {formula.module: _row(formula) for formula in catalogue()}


def table_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """The tables of the presets that are TOML, by name."""
    from ..presets.tables import _table

    yield from ((name, _table(name)) for name in ("hardware", "formats", "sources"))


def sum_rows(model: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The sums over the parts of a preset, by the names of their modules."""
    from .. import presets
    from ..notation import P, P_active, P_total

    for letter in (P_total, P, P_active):
        found = presets.model(model).formula_for(letter)
        yield found.module, _row(found)


def own_formulas(model: str) -> Iterator[tuple[list[str], tuple[Any, ...]]]:
    """The formulas that a preset makes, by the question that asks for them: of its kinds of blocks, and of devices."""
    from .. import presets
    from ..models.own_formulas import name_of, own

    found = presets.model(model)
    if any(formula.of_parts for formula in found.formulas):
        yield ["kept", name_of(found.kept)], own(found.kept)
    yield ["dealt", model], found.of_devices


def as_rows(made: Iterable[Any]) -> list[list[Any]]:
    """The rows of formulas that are made, each with its module."""
    return [[one.module, _row(one)] for one in made]


def _row(formula: Any) -> dict[str, Any]:
    statement = formula.statement
    claim = [type(statement).__name__, *(_part(value) for value in vars(statement).values())]
    return {
        "docstring": formula.docstring,
        "claim": claim,
        "kind": formula.kind.name,
        "conditions": [_condition(condition) for condition in formula.conditions],
        "own": len(formula.where),
        "asked": [place for place, one in enumerate(formula.conditions) if one in formula.asked],
        "uses": [used.module for used in formula.uses],
        "measured_by": formula.measured_by,
        "unmeasured": formula.unmeasured,
        "plain": [letter.name for letter in formula.plain],
        "plain_claim": None if formula.plain_claim == formula.claim else _part(formula.plain_claim),
        "models": [trait.name for trait in formula.models],
        "traits": sorted(trait.name for trait in formula.traits),
        "sources": formula.sources,
        "example": dict(formula.example),
    }


def solution_rows(formula: Any, unknown: Any) -> Iterator[tuple[list[str], list[dict[str, Any]]]]:
    """The solutions of a formula for a letter by what is asked: of the plain decoder, and with its sums as letters."""
    from ..answers.rearranging import branches
    from ..answers.resolution import letters_of
    from ..notation import SUMS

    asked, sums = ["branches", formula.module, unknown.name], frozenset(SUMS) - {unknown}
    with suppress(SymbolicLLMError):  # it has a solution only with numbers
        yield asked, _branch_rows(branches(formula, unknown), unknown)
    if sums & {*letters_of(formula)}:
        with suppress(SymbolicLLMError):  # it depends on the letter through a sum
            yield [*asked, SUMMED], _branch_rows(branches(formula, unknown, sums), unknown)


def _branch_rows(found: Iterable[Any], unknown: Any) -> list[dict[str, Any]]:
    """The rows of the solutions of a formula for a letter."""
    from ..expressions.printing import drawn, tex

    return [
        {
            "expr": _part(branch.expr, tex(branch.expr)),
            "drawn": drawn(branch.relation(unknown)),
            "conditions": [_condition(condition) for condition in branch.conditions],
            "sign": branch.sign(unknown, 0, evaluate=False).rel_op,
            "open_end": None if branch.open_end is None else _part(branch.open_end),
            "plateaus": [[_part(relation) for relation in plateau] for plateau in branch.plateaus],
            "borders": [_part(border) for border in branch.borders],
        }
        for branch in found
    ]


def _condition(condition: Any) -> list[Any]:
    return [_part(condition.relation), condition.sentence, condition.otherwise]


def _part(expression: Any, typeset: str | None = None) -> Any:
    """An expression with how it prints; of a relation, with how its sides do."""
    from ..expressions.printing import text

    if isinstance(expression, str):
        return ["said", expression]
    if isinstance(expression, tuple):
        return ["listed", *map(_part, expression)]
    if expression.is_Relational:
        return [expression.rel_op, *map(_part, expression.args)]
    if not expression.args and typeset is None:
        return _tree(expression)
    template = text(expression, {letter: f"\1{letter.name}\1" for letter in expression.free_symbols})
    return ["shown", template, typeset, _tree(expression)]


def _tree(expression: Any) -> Any:
    from ..numeral import Numeral

    if expression.is_Symbol:
        return expression.name
    if isinstance(expression, Numeral):
        unit = expression.unit
        return ["#", str(expression.value), unit.exponents, str(unit.scale), expression.meaning]
    if expression.is_Rational:
        return ["/", int(expression.p), int(expression.q)]
    return [type(expression).__name__, *map(_tree, expression.args)]


# Read without


def formula(module: str, row: dict[str, Any]) -> Any:
    """The formula of a row, which is read when more is asked of it than the models it is for.

    Its derivation is not stored: what asks for it raises `NotStored`.
    """
    from ..architecture import Trait

    made = object.__new__(_stored())
    # what follows from the derivation was found when it was there
    vars(made).update(module=module, traits=frozenset(Trait[name] for name in row["traits"]), _row=row)
    return made


@cache
def _stored() -> Any:
    from ..formula import Formula

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
    from .. import claims
    from ..architecture import Trait
    from ..formula import Formula
    from ..steps import premise

    name, *parts = row["claim"]
    stated = [_read(part) for part in parts]
    conditions = _conditions(row["conditions"])
    Formula.__init__(
        made,
        made.module,
        row["docstring"],
        claim=stated[0] if name == "Equation" else getattr(claims, name)(*stated),
        steps=(premise(_Derivation(), ""),),
        kind=claims.Kind[row["kind"]],
        where=conditions[: row["own"]],
        uses=tuple(import_module(used).FORMULA for used in row["uses"]),
        measured_by=row["measured_by"],
        unmeasured=row["unmeasured"],
        plain=tuple(map(expressions.Symbol, row["plain"])),
        models=tuple(Trait[name] for name in row["models"]),
        sources=tuple(row["sources"]),
        example=row["example"],
    )
    vars(made)["plain_claim"] = made.claim if row["plain_claim"] is None else _read(row["plain_claim"])
    vars(made)["conditions"] = conditions
    vars(made)["asked"] = tuple(conditions[place] for place in row["asked"])


class _Derivation(Basic):
    """Stand-in for a derivation, which is not stored."""

    @property
    def free_symbols(self) -> Any:
        raise NotStored

    has = atoms = xreplace = free_symbols


def solutions(unknown: Any, found: list[dict[str, Any]]) -> tuple[Any, ...]:
    """The branches of a solution, from their rows."""
    from ..answers.rearranging import Branch

    made = []
    for row in found:
        sign, expr = expressions.RELATIONS[row["sign"]], _read(row["expr"])
        sign(unknown, expr).drawing = row["drawn"]
        open_end = None if row["open_end"] is None else _read(row["open_end"])
        plateaus = tuple(tuple(map(_read, plateau)) for plateau in row["plateaus"])
        borders = tuple(map(_read, row["borders"]))
        made.append(Branch(expr, _conditions(row["conditions"]), sign, open_end, plateaus, borders))
    return tuple(made)


def _conditions(found: list[Any]) -> tuple[Any, ...]:
    from ..claims import Condition

    return tuple(Condition(_read(relation), sentence, otherwise) for relation, sentence, otherwise in found)


@cache
def _numeral(value: str, exponents: tuple[Any, ...], scale: str, meaning: str) -> Any:
    from ..numeral import Numeral
    from ..units import Unit

    return Numeral(Fraction(value), Unit(exponents, Fraction(scale)), meaning)


def _read(tree: Any) -> Any:
    """The expression of a row, with how it prints."""
    if isinstance(tree, str):
        return expressions.Symbol(tree)
    name, *args = tree
    if name == "said":
        return args[0]
    if name == "listed":
        return tuple(map(_read, args))
    if name == "/":
        return expressions.Rational(*args)
    if name == "#":
        value, exponents, scale, meaning = args
        return _numeral(value, tuple(map(tuple, exponents)), scale, meaning)
    if name == "shown":
        template, typeset, inner = args
        made = _read(inner)
        made.shown, made.typeset = template, typeset or made.typeset  # of one expression a row may have more
        return made
    known = expressions.RELATIONS.get(name) or getattr(expressions, name, None)
    if known is None:  # a function that no formula had so far
        raise NotStored
    return known(*map(_read, args))
