"""Bounds on values that lack a letter: they hold whatever the letter is, and say so in a sizing"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from symbolic_llm import Formula, Sizing, catalogue, errors, explain, presets
from symbolic_llm.answers import one_sided
from symbolic_llm.answers.one_sided import Bound, bound
from symbolic_llm.expressions.exact import exact
from symbolic_llm.notation import LETTERS
from symbolic_llm.presets import NONE

EQUATIONS = [formula for formula in catalogue() if formula.quantity is not None]
SIZES = [Fraction(1, 10**6), Fraction(1), Fraction(7), *(Fraction(10) ** power for power in (3, 9, 15))]


def known(formula: Formula) -> dict[Any, Fraction]:
    """Values of the letters of its right-hand side in its example; {} where the example has no value."""
    try:
        values = explain(formula, **formula.example).given.numbers()
    except errors.SymbolicLLMError:
        return {}
    return {symbol: values[symbol] for symbol in formula.rhs.free_symbols}


def contradictions(formula: Formula) -> list[str]:
    """Values of a letter with which the formula gives something beyond the bound that it has without that letter."""
    values, found = known(formula), []
    for symbol in values:
        rest = {other.name: value for other, value in values.items() if other != symbol}
        if (its := bound(formula, rest, NONE)) is None:
            continue
        for size in SIZES:
            if LETTERS[symbol].whole and size < 1:
                continue
            try:
                value = exact(formula.rhs, {**values, symbol: size})
            except ZeroDivisionError:
                continue
            if value < its.value if its.sign == "≥" else value > its.value:
                found.append(f"{symbol}={size}: {value}, not {its.sign} {its.value}")
    return found


@pytest.mark.parametrize("formula", EQUATIONS, ids=lambda formula: formula.name)
def test_a_bound_holds_whatever_the_letter_is(formula: Formula) -> None:
    """For every formula and each of its letters."""
    assert contradictions(formula) == []


def test_most_laws_of_a_step_have_bounds() -> None:
    """Of the longer of two times one is a bound on the step, and on the throughput the other way round."""
    step = {"D_weights": 13, "B": 1, "D_seq": 2, "P": 7, "C_seq": 1, "W": 5}
    assert bound(catalogue()["latency_with_cache"], step, NONE) == Bound("≥", Fraction(3), ("F",))
    throughput = bound(catalogue()["throughput_with_cache"], step, NONE)
    assert throughput == Bound("≤", Fraction(1, 3), ("F",))
    assert bound(catalogue()["compute_time"], {"P": 7, "B": 1}, NONE) is None
    assert bound(catalogue()["critical_context"], {"P": 7, "W": 5, "a": 1, "m_token": 1}, NONE) is None
    both = {name: value for name, value in step.items() if name != "W"}
    assert bound(catalogue()["latency_with_cache"], both, NONE) is None
    assert bound(catalogue()["latency_with_cache"], {**step, "F": 100}, NONE) is None  # it has a value


def test_a_bound_that_adds_up_what_is_compared_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: of a maximum the sum."""
    monkeypatch.setattr(one_sided, "max", lambda found: sum(found, Fraction(0)), raising=False)
    wrong = [formula.name for formula in EQUATIONS if contradictions(formula)]
    assert {"latency_with_cache", "throughput_with_cache"} & {*wrong}


def test_a_machine_without_a_peak_still_bounds_its_times() -> None:
    """A sizing says at least and at most where it has no figure, and the figures lie within once there is a peak."""
    rows = {row.key: row for row in Sizing("qwen3-30b-a3b", "m4-max-40", weights="q4_0").rows}
    shown = {key: row.shown() for key, row in rows.items() if row.bound}
    assert "≥ 3.871 ms" in shown.values()
    assert "≤ 258.3 token/s" in shown.values()
    assert all(row.value is None and "needs a value for F" in row.note for row in rows.values() if row.bound)
    machine = presets.of_letters("m4-max-40", F="34 TFLOP/s")
    complete = {row.key: row for row in Sizing("qwen3-30b-a3b", machine, weights="q4_0").rows}
    assert all(complete[key].value is not None and not complete[key].bound for key in shown)
