"""Answers as plain data, for JSON"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .. import presets
from ..architecture import models_with
from ..catalogue import standing
from ..claims.claim import Condition
from ..expressions.arithmetic import number
from ..expressions.printing import tex, text
from ..formula import Formula
from ..notation import LETTERS
from ..presets.by_letter import presets_for
from ..units import parse_quantity
from .rows import told

if TYPE_CHECKING:
    from ..answers.bindings import Input
    from ..answers.explanation import Explanation
    from ..answers.solution import Solution
    from ..models import Model


def solution_data(solution: Solution, value: int | float | None, note: str) -> dict[str, Any]:
    """A solution in letters, its value where it has one, and what is to be said of it."""
    branches = [
        {
            "relation": text(branch.relation(solution.unknown)),
            "expr": text(branch.expr),
            "latex": tex(branch.expr),
            "conditions": _conditions(branch.conditions),
        }
        for branch in solution.branches
    ]
    return {
        "formula": solution.formula.name,
        "unknown": solution.unknown.name,
        **(branches[0] if len(branches) == 1 else {"branches": branches}),
        "value": value,
        "unit": str(solution.unit),
        "note": note,
        "given": _values(solution.given.values),
    }


def explanation_data(found: Explanation) -> dict[str, Any]:
    """An explanation, line by line."""
    return {
        "formula": found.formula.name,
        "value": found.value,
        "unit": str(found.unit),
        "lines": [told(line, "text", "note") for line in found.lines],
        "given": _values({symbol: found.given.values[symbol] for symbol in found.letters}),
    }


def _conditions(conditions: Iterable[Condition]) -> list[dict[str, str]]:
    return [{"relation": text(one.relation), "sentence": one.sentence} for one in conditions]


def found_data(formula: Formula) -> dict[str, Any]:
    """Data of a formula among others."""
    return {**told(formula, "name", "chapter", "title"), "claim": text(formula.claim)}


def formula_data(formula: Formula) -> dict[str, Any]:
    """Everything a formula states."""
    return {
        **told(formula, "name", "chapter", "title"),
        "kind": formula.kind.value,
        "claim": text(formula.claim),
        "latex": tex(formula.claim),
        "conditions": _conditions(formula.conditions),
        "letters": {s.name: told(LETTERS[s], "meaning", "unit") for s in formula.letters},
        "steps": [
            {
                "rule": step.rule.value,
                "with": [operand(o) for o in step.operands],
                "result": text(step.result),
                "reason": step.reason,
            }
            for step in formula.steps
        ],
        "uses": [used.name for used in formula.uses],
        "models": models_with(formula.traits),
        **told(formula, "measured_by", "unmeasured", "sources"),
    }


def letter_data(symbol: Any, formulas: Iterable[Formula]) -> dict[str, Any]:
    """Everything that is known of a letter, and the formulas it stands in."""
    letter, (defining, using) = LETTERS[symbol], standing(symbol, formulas)
    return {
        "letter": letter.name,
        **told(letter, "latex", "meaning", "unit", "whole", "aliases", "instead_of"),
        "presets": list(presets_for(letter.name)),
        "defined_by": [formula.name for formula in defining],
        "used_by": [formula.name for formula in using],
    }


def presets_data() -> dict[str, Any]:
    """Every model, device, number format and source, with their figures."""
    return {
        "models": {name: _model_data(presets.model(name)) for name in presets.names("models")},
        "hardware": {name: _device_data(presets.hardware(name)) for name in presets.names("hardware")},
        "formats": {
            name: {letter: number(Fraction(value)) for letter, value in presets.storage(name).items()}
            for name in presets.names("formats")
        },
        "sources": {
            key: {name: value for name, value in asdict(presets.source(key)).items() if name != "key"}
            for key in presets.names("sources")
        },
    }


def _model_data(model: Model) -> dict[str, Any]:
    counted = told(model, "title", "family", "parameters", "multiplied_parameters", "active_parameters")
    return counted | {"shapes": dict(model.letters), **told(model, "sources")}


def _device_data(device: presets.Device) -> dict[str, Any]:
    figures = {
        what: {**_figure_data(figure), "others": [_figure_data(other) for about, other in device.also if about == what]}
        for what, figure in device.figures.items()
    }
    return {"title": device.title, "figures": figures}


def _figure_data(figure: presets.Figure) -> dict[str, Any]:
    value, unit = parse_quantity(figure.value)
    scale = unit.scale if unit is not None else 1
    shown = str(unit.dimension) if unit is not None else ""
    return {"value": number(value * scale), "unit": shown, "printed": figure.value, "source": figure.source}


def operand(what: Any) -> str:
    """Text of an operand of a step, in one word or line."""
    if isinstance(what, Formula):
        return what.name
    return text(getattr(what, "relation", what))


def _values(values: dict[Any, Input]) -> dict[str, Any]:
    return {
        symbol.name: {
            "value": number(values[symbol].value),
            "unit": str(LETTERS[symbol].unit),
            "origin": values[symbol].origin,
        }
        for symbol in LETTERS
        if symbol in values
    }
