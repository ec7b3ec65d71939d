"""Bounds on values that lack a letter: they hold whatever the letter is, and say so in a sizing"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from symbolic_llm import Formula, Operations, Sizing, catalogue, errors, explain, presets
from symbolic_llm.answers import one_sided
from symbolic_llm.answers.gather import picked
from symbolic_llm.answers.one_sided import Bound, bound
from symbolic_llm.answers.resolution import reach
from symbolic_llm.api import formula_of
from symbolic_llm.expressions.exact import exact
from symbolic_llm.notation import LETTERS
from symbolic_llm.presets import NONE
from symbolic_llm.reports.rows import Row
from symbolic_llm.units import parse_quantity

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


@pytest.mark.parametrize(("letter", "value"), [("F", "34 TFLOP/s"), ("W", "546 GB/s")])
@pytest.mark.parametrize("load", [{"batch": 512}, {"prompt": 1000}])
def test_operations_have_bounds_too(letter: str, value: str, load: dict[str, int]) -> None:
    """Totals without a peak or a bandwidth are at least what they are with one, and say which is lacking."""
    device = without(presets.of_letters("m4-max-40", F="34 TFLOP/s"), letter)
    lacking, complete = (
        Operations("qwen3-30b-a3b", machine, **load)  # type: ignore[arg-type]
        for machine in (device, presets.of_letters(device, **{letter: value}))
    )
    bounded = {total.key: total for total in lacking.totals if total.bound}
    assert bounded.keys() >= {"whole_time", "separate_time", "operations_time"}
    for total in complete.totals:
        if total.key in bounded:
            number, unit = parse_quantity(bounded[total.key].bound.removeprefix("≥ "))
            assert unit is not None
            assert total.value is not None
            assert total.value >= number * unit.scale * Fraction(9995, 10000)  # it is printed to four digits
            assert re.match(rf"needs a value for {letter}: .*; give {letter} by name", bounded[total.key].note)


# Only what is unknown is unknown

LETTERS_OF = {"M": "memory", "W": "bandwidth", "F": "", "W_link": "link", "T_link": "link_latency"}
ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("llama-3-8b", {"tpot": "50 ms", "overlap": True}),  # part by part there are other rows where a peak is missing
    ("qwen3-30b-a3b", {"prompt": 1000, "new": 100}),
    ("mistral-7b-v0.1", {"devices": 2}),
    ("deepseek-v4-flash", {}),
    ("llama-3-8b", {"devices": 2, "pipeline": 2}),
)
SEARCHED = {  # rows that no formula gives, and the letters that they are found with
    "largest_context": {"M"},
    "critical_context": {"F", "W"},
    "sequences_read_in_time": {"W"},
    "largest_batch_within_target": {"M", "W", "F"},
}


def without(device: presets.Device, letter: str) -> presets.Device:
    """The machine without the figures for a letter; for F, without any peak."""
    others = {*LETTERS_OF.values(), "on_chip"}
    kept = (one for one in device.printed if (one[0] in others if letter == "F" else one[0] != LETTERS_OF[letter]))
    return replace(device, printed=tuple(kept))


def needed(row: Row, sizing: Sizing) -> set[str]:
    """Letters of the machine that a row needs: those that its formula reaches through what the model picks."""
    if row.key in SEARCHED and (not row.formula or row.key == "critical_context"):
        return SEARCHED[row.key]
    if not row.formula:
        return set()
    if row.formula.startswith("pipeline_t"):  # of times of a stage and of a transfer
        return {"W", "F", "W_link", "T_link"}
    formula = formula_of(row.formula, sizing.model)
    return LETTERS_OF.keys() & {letter.name for letter in reach(formula, picked(formula, sizing.presets))}


def wrongly_unknown(known: Sizing, letter: str, asked: tuple[str, dict[str, Any]]) -> list[str]:
    """Rows that lose their value with a letter of the machine and do not need it, or do not say that it is lacking."""
    model, load = asked
    assert known.hardware is not None
    if (lacking := without(known.hardware, letter)) == known.hardware:
        return []
    # in the format that was chosen for the machine with all its peaks
    found, wrong = Sizing(model, lacking, **{"dtype": known.presets.dtype, **load}), []
    for before, after in zip(known.rows, found.rows, strict=True):
        if before.value is None or after.value is not None:
            if before.value != after.value and before.value is not None:
                wrong.append(f"{after.key}: {after.value}, not {before.value}")
            continue
        if letter not in needed(after, found):
            wrong.append(f"{after.key} does not need {letter}: {after.note}")
        elif not re.search(rf"needs a value for [\w, ]*\b{letter}\b.*; give .*\b{letter}\b.* by name", after.note):
            wrong.append(f"{after.key} does not say where {letter} could be given: {after.note}")
    return wrong


@pytest.mark.parametrize("hardware", presets.names("hardware"))
def test_a_row_is_unknown_only_where_its_formula_needs_what_is(hardware: str) -> None:
    """Every machine without each of its letters: rows that need it say where it can be given, all others stay."""
    known = Sizing("gpt2", hardware)
    assert [wrong for letter in ("M", "W", "F") for wrong in wrongly_unknown(known, letter, ("gpt2", {}))] == []


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: f"{asked[0]} {' '.join(asked[1])}")
def test_in_every_kind_of_report_only_what_needs_it_is_unknown(asked: tuple[str, dict[str, Any]]) -> None:
    """Targets, requests, several devices, stages, and kinds of models: without each letter, links among them."""
    known = Sizing(asked[0], "h100-sxm", **asked[1])
    assert [wrong for letter in LETTERS_OF for wrong in wrongly_unknown(known, letter, asked)] == []


def test_a_row_that_is_unknown_without_need_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins: a row that is blank as soon as anything is lacking, and one that does not say what it lacks."""
    asked = ASKED[0]
    known = Sizing(asked[0], "h100-sxm", **asked[1])
    assert wrongly_unknown(known, "F", asked) == []
    own = Sizing.row

    def timid(report: Sizing, *what: Any, **more: Any) -> Row:
        found = own(report, *what, **more)
        return found if "F" in report.presets.letters[0] else replace(found, value=None)

    monkeypatch.setattr(Sizing, "row", timid)
    assert "parameters does not need F: " in wrongly_unknown(known, "F", asked)
    monkeypatch.setattr(Sizing, "row", lambda report, *what, **more: replace(own(report, *what, **more), note=""))
    assert "decode_time does not say where F could be given: " in wrongly_unknown(known, "F", asked)
