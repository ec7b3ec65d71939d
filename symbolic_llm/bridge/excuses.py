"""What excuses a formula that is not decided for all shapes: it is compared only, and that is no fault"""

from __future__ import annotations

from typing import Any

from sympy import Pow, floor

from ..formula import Formula
from .comparison import probes_of
from .letters import in_parameters, parameter


def excused(formula: Formula) -> str:
    """Why a formula cannot be decided for all shapes, where that is no fault: "" if nothing excuses it."""
    asked = probes_of(formula.measured_by, formula)
    written = [in_parameters(formula, probe, formula.rhs) for probe in asked]
    if all(any(power.exp.free_symbols for power in expression.atoms(Pow)) for expression in written):
        return "a letter stands in an exponent"
    if all(_rounds_a_root(expression) for expression in written):
        return "a root is rounded"
    if all(_rounds_to_runs(expression) for expression in written):
        return "a context is rounded down to whole runs"
    return ""


def _rounds_to_runs(expression: Any) -> bool:
    """Whether all that is rounded down is a context over the tokens of a run, both of which are parameters."""
    context, runs = parameter("context"), [parameter(name) for name in ("r_csa", "r_hca")]
    rounded = expression.atoms(floor)
    return bool(rounded) and all(f.args[0] in [context / run for run in runs] for f in rounded)


def _rounds_a_root(expression: Any) -> bool:
    return any(
        power.exp.is_Rational and not power.exp.is_Integer for f in expression.atoms(floor) for power in f.atoms(Pow)
    )
