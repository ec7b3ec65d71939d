"""Answers as plain data, for JSON"""

from __future__ import annotations

from typing import Any

from ..answers.explanation import Explanation
from ..answers.inputs import Input
from ..answers.solution import Solution
from ..checks.report import Report
from ..expressions.exact import number
from ..expressions.printing import tex, text
from ..formula import Formula
from ..notation import LETTERS


def solution_data(solution: Solution, value: int | float | None, note: str) -> dict[str, Any]:
    """A solution in letters, its value where it has one, and what is to be said of it."""
    branches = [
        {
            "relation": text(branch.sign(solution.unknown, branch.expr, evaluate=False)),
            "expr": text(branch.expr),
            "latex": tex(branch.expr),
            "conditions": [{"relation": text(c.relation), "sentence": c.sentence} for c in branch.conditions],
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
        "lines": [{"text": line.text, "note": line.note} for line in found.lines],
        "given": _values({symbol: found.given.values[symbol] for symbol in found.letters}),
    }


def formula_data(formula: Formula) -> dict[str, Any]:
    """Everything a formula states."""
    return {
        "name": formula.name,
        "chapter": formula.chapter,
        "title": formula.title,
        "kind": formula.kind.value,
        "claim": text(formula.claim),
        "latex": tex(formula.claim),
        "conditions": [{"relation": text(c.relation), "sentence": c.sentence} for c in formula.conditions],
        "letters": {s.name: {"meaning": LETTERS[s].meaning, "unit": str(LETTERS[s].unit)} for s in formula.letters},
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
        "measured_by": formula.measured_by,
        "unmeasured": formula.unmeasured,
        "sources": list(formula.sources),
    }


def operand(what: Any) -> str:
    """What a step works with, in one word or line."""
    if isinstance(what, Formula):
        return what.name
    return text(getattr(what, "relation", what))


def report_data(report: Report) -> dict[str, Any]:
    """A report with every finding."""
    findings = [
        {"check": f.check, "verdict": f.verdict.value, "summary": f.summary, "step": f.step or None}
        for f in report.findings
    ]
    return {
        "formula": report.formula.name,
        "verdict": report.verdict.value,
        "witness": report.witness,
        "findings": findings,
    }


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
