"""Formulas that round, solved for every letter, against brute force over small whole numbers"""

from __future__ import annotations

import inspect
import re
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sympy import Ge, Le, Pow, S, floor

from symbolic_llm import catalogue, compile, errors, evaluate, explain, solve
from symbolic_llm.answers import rearranging, rounded_runs, solution
from symbolic_llm.answers.arrays import compilation
from symbolic_llm.answers.gather import filled
from symbolic_llm.answers.integers import stretch
from symbolic_llm.claims import Kind
from symbolic_llm.expressions.arithmetic import Inexact, number
from symbolic_llm.expressions.exact import exact
from symbolic_llm.formula import Formula
from symbolic_llm.models.own_formulas import own
from symbolic_llm.notation import LETTERS, M, named
from symbolic_llm.presets import NONE
from symbolic_llm.units import SECOND

MOST = 30  # up to which every number is tried
SMALL, LARGE = st.integers(1, 9), st.integers(30, 900)
SIZES = {
    "n_window": st.one_of(SMALL, LARGE),
    "M": LARGE,
    "F": LARGE,
    "W": LARGE,
    "T_target": LARGE,
    "T_alone": LARGE,
    "M_layer": st.integers(1, MOST),
}  # what the rest has to fit into
TIGHT = st.integers(5, MOST)  # memory that not all has to fit into
WINDOWS = {True: LARGE, False: st.one_of(SMALL, LARGE)}  # by whether a condition asks for one that is not filled
NO_ANSWER = (errors.ConditionViolated, errors.NoSolution)


def letters_of(formula: Formula) -> list[Any]:
    """Letters of the right-hand side and of the conditions, by which the formula has a value."""
    there = set(formula.rhs.free_symbols).union(*(c.relation.free_symbols for c in formula.conditions))
    return [symbol for symbol in LETTERS if symbol in there - {formula.quantity}]


ROUNDED = [f for f in catalogue() if f.quantity is not None and f.rhs.has(floor)]
ASKED = [(f, s) for f in ROUNDED for s in letters_of(f) if any(s in r.free_symbols for r in f.rhs.atoms(floor))]


def size(formula: Formula, name: str) -> st.SearchStrategy[int]:
    """Values of a letter among which the conditions of the formula often hold."""
    asked = {symbol.name for condition in formula.asked for symbol in condition.relation.free_symbols}
    if name == "M" and any(condition.relation.lts == M for condition in formula.asked):
        return TIGHT
    return WINDOWS[name in asked] if name == "n_window" else SIZES.get(name, SMALL)


def at(formula: Formula, letters: dict[str, int]) -> Any:
    """The value of a formula; None where it has none."""
    try:
        return explain(formula, **letters).exact
    except NO_ANSWER:
        return None


def wrong(formula: Formula, unknown: Any, letters: dict[str, int], beyond: int = 0) -> str:
    """A mistake of `solve` about the letter that is left out, found by trying every number; "" if there is none."""
    known, name = {n: v for n, v in letters.items() if n != unknown.name}, unknown.name
    here = at(formula, letters)
    assert here, "a letter is positive"
    quantity, tried = here + beyond, sorted({*range(1, MOST + 1), letters[name]})
    right = [x for x in tried if at(formula, known | {name: x}) == quantity]
    try:
        found = solve(formula, name, **known, **{formula.quantity.name: quantity})
        if turned(found.branches, found.given.numbers()):
            return "the ends are the other way round"
        value, note = found.value, found.note
    except errors.SeveralSolutions:
        one = LETTERS[unknown].whole and len(right) == 1 and right[0] < MOST
        return f"several, and there are {right}" if one else ""
    except errors.NoSolution:
        return f"none, and there are {right}" if right else ""
    if not LETTERS[unknown].whole:
        return "" if at(formula, known | {name: found.exact}) == quantity else f"{value}, which is no solution"
    if value != int(value):  # which is said beside it
        return f"{value}, and there are {right}" if right else ""
    told = re.search(r"from ([\d,]+) to ([\d,]+) ", note)
    first, last = (int(end.replace(",", "")) for end in told.groups()) if told else (value, value)
    if at(formula, known | {name: value}) != quantity:
        return f"{value}, which is no solution"
    expected = [x for x in tried if first <= x <= last]
    return "" if right == expected else f"{value} ({note}), and there are {right}"


def turned(branches: Any, values: dict[Any, Any]) -> bool:
    """Whether the two ends of an interval are said to be the other way round, by every branch that has them."""
    for ends in {(branch.expr, branch.open_end) for branch in branches if branch.open_end is not None}:
        try:
            closed, opened = (exact(end, values) for end in ends)
        except (ZeroDivisionError, KeyError):
            continue
        signs = {branch.sign for branch in branches if (branch.expr, branch.open_end) == ends}
        if closed > 0 and opened > 0 and (Le if closed > opened else Ge) not in signs:
            return True
    return False


@pytest.mark.parametrize(("formula", "unknown"), ASKED, ids=lambda one: getattr(one, "name", str(one)))
@settings(max_examples=8)
@given(data=st.data())
def test_solutions_are_those_that_trying_every_number_finds(
    formula: Formula, unknown: Any, data: st.DataObject
) -> None:
    """Of the formulas that round: one, several or none, and the interval that is told is all of them."""
    beyond = data.draw(st.sampled_from((0, 0, 0, 1, 5)), "beyond")
    letters = {symbol.name: data.draw(size(formula, symbol.name), symbol.name) for symbol in letters_of(formula)}
    assume(at(formula, letters))
    assert not wrong(formula, unknown, letters, beyond)


HEADS = {"n_kv_heads": 8, "n_tensor": 4}


def test_ends_that_are_mixed_up_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins: an undecided sign is taken for a rise, and stretches on which a claim is level are passed over."""
    formula, unknown = catalogue()["kv_heads_per_device"], named("n_tensor")
    assert not wrong(formula, unknown, HEADS)
    level = {"M": 61, "P_total": 1, "n_bytes": 1, "B": 1, "n_kv_heads": 1, "d_head": 1, "n_bytes_kv": Fraction(1, 2)}
    level |= {"n_local": 1, "n_window": 59}  # blocks of a byte, one with a window
    laws = {law.quantity: law for law in own(frozenset({"n_blocks", "n_global", "n_local"}))}
    windowed = laws[named("N_fit")], named("n_window")
    assert not wrong(*windowed, level | {"n_global": 6})
    monkeypatch.setattr(solution.Solution, "_runs", lambda self, values: [])
    assert wrong(*windowed, level | {"n_global": 6})
    monkeypatch.setattr(rearranging, "_ways", lambda gap, asked: (False,))
    rearranging.branches.cache_clear()
    assert wrong(formula, unknown, HEADS)
    monkeypatch.undo()
    monkeypatch.setattr(rearranging, "_ways", lambda gap, asked: (False,))
    assert wrong(formula, unknown, HEADS)
    rearranging.branches.cache_clear()


def test_ends_of_a_stretch_are_told_apart() -> None:
    """By six digits: fewer would call a stretch a number."""
    low, high = Fraction("1.23456"), Fraction("1.23457")
    assert stretch(SECOND, low, high) == "from 1.23456 s to 1.23457 s"
    assert stretch(SECOND, low, None) == "from 1.23456 s on"
    assert stretch(SECOND, None, high) == "up to 1.23457 s"
    assert stretch(SECOND, low, low) == "1.23456 s"
    assert stretch(SECOND, None, None) == "whatsoever"


def test_runs_are_where_something_holds() -> None:
    """Ends that belong to them and ends that do not, level stretches, single points, and no end at all."""
    half = Fraction(1, 2)
    for low, high in ((1, 4), (half, 4), (2, 2)):
        for with_low, with_high in ((True, True), (True, False), (False, True), (False, False)):
            if low == high and not (with_low and with_high):
                continue

            def holds(x: Fraction, ends: Any = (low, high, with_low, with_high)) -> bool:
                return ends[0] < x < ends[1] or (x == ends[0] and ends[2]) or (x == ends[1] and ends[3])

            (found,) = rounded_runs.runs({Fraction(low), Fraction(high), Fraction(3)}, holds)
            assert (found.low, found.high, found.with_low, found.with_high) == (low, high, with_low, with_high)
            assert [found.first, found.last] == [
                min((x for x in range(1, 9) if holds(Fraction(x))), default=found.first),
                max((x for x in range(1, 9) if holds(Fraction(x))), default=found.last),
            ]
            assert found.ends == (None if with_low == with_high else (low, high) if with_low else (high, low))
    (endless,) = rounded_runs.runs({Fraction(5)}, lambda x: x > 5)
    assert (endless.low, endless.high, endless.first, endless.last) == (5, None, 6, None)
    assert [one.low for one in rounded_runs.runs({Fraction(1), Fraction(2)}, lambda x: x != 1)] == [0, 1]


def differing(formula: Formula, letters: dict[str, int]) -> bool:
    """Whether a compiled function of whole numbers gives another number than `evaluate`."""
    function = compile(formula)
    own = {name: letters[name] for name in inspect.signature(function).parameters}
    return function(**own) != evaluate(formula, **letters)


@pytest.mark.parametrize("formula", ROUNDED, ids=lambda f: f.name)
@settings(max_examples=12)
@given(data=st.data())
def test_compiled_functions_of_whole_numbers_are_exact(formula: Formula, data: st.DataObject) -> None:
    """Compiled functions of whole numbers are exact, also if what is rounded is a whole number, and beyond 2⁵³."""
    scale = data.draw(st.sampled_from((1, 1, 10**6, 2**53 + 1)), "scale")
    names = dict.fromkeys(inspect.signature(compile(formula)).parameters)
    asked = (symbol for c in formula.asked for symbol in c.relation.free_symbols if not LETTERS[symbol].varies)
    names |= dict.fromkeys(sorted(symbol.name for symbol in asked))
    letters = {name: data.draw(size(formula, name), name) for name in names}
    # where not all has to fit, what is to fit is as large
    large = ("M", "F", "W", *(("M_layer", "M_seq", "P_total") if "M_layer" in names else ()))
    letters |= {name: value * scale for name, value in letters.items() if name in large}
    if {"P", "n_tensor"} <= names.keys():  # the matrices that devices share are among the weights
        letters |= {name: letters[name] * 10**5 for name in ("P", "P_total", "M")}
    assume(at(formula, letters))
    assert not differing(formula, letters)


def test_an_exact_fit_that_floats_miss_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: whole numbers are computed as floats are."""
    fits = {"P": 1, "a": 8, "n_bytes": 4, "N": 1, "m_token": 8, "F": 8, "W": 4, "T_target": 9}
    formula = catalogue()["batch_within_target"]
    assert not differing(formula, fits)
    guarded = compilation._Guarded
    monkeypatch.setattr(compilation, "_Guarded", lambda arguments, checked, *_: guarded(arguments, checked, S.One))
    assert differing(formula, fits)


def rounds_powers(formula: Formula) -> bool:
    """Whether a letter stands in a power, which is rounded to thirty digits where it is large."""
    return any(power.exp.free_symbols for power in formula.rhs.atoms(Pow))


COMPUTED = [f for f in catalogue() if f.kind is not Kind.THEOREM and f not in ROUNDED and not rounds_powers(f)]


@cache
def compiled_once(formula: Formula) -> Any:
    """Its function."""
    return compile(formula)


def inexact(formula: Formula, numbers: list[int]) -> bool:
    """Whether a compiled function of whole numbers gives another number than there is, from 2⁵³ on."""
    function = compiled_once(formula)
    letters = dict(zip(inspect.signature(function).parameters, numbers, strict=False))
    try:
        values = filled(formula, NONE, {named(name): Fraction(number) for name, number in letters.items()})
        if values.missing(formula.rhs.free_symbols) or values.broken():
            return False
        value = Fraction(exact(formula.rhs, values.numbers()))
        return value >= 2**53 and function(**letters) != number(value)
    except (Inexact, ZeroDivisionError, OverflowError, errors.InvalidValue):
        return False


@pytest.mark.parametrize("formula", COMPUTED, ids=lambda f: f.name)
@settings(max_examples=4)
@given(numbers=st.lists(st.integers(1, 2**20) | st.integers(2**50, 2**70), min_size=40, max_size=40))
def test_compiled_functions_leave_no_whole_number_out(formula: Formula, numbers: list[int]) -> None:
    """Of formulas that divide and do not round too; floats have not every whole number there."""
    assert not inexact(formula, numbers)


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("expert_weights_read", [1, 1, 1, 36_028_797_018_963_965, 2, 5_182_419_497_180_053]),
        ("expert_prefill_weights_read", [1, 968, 52_966, 18_014_398_509_481_986, 11, 615, 25_969]),
    ],
)
def test_one_less_a_power_close_to_one_is_exact(name: str, numbers: list[int]) -> None:
    """Floats have few digits of it left, and say that the value is one of those that they have."""
    assert not inexact(catalogue()[name], numbers)


def test_a_whole_number_that_floats_leave_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: they are left out; some formula of the catalogue comes to one where all letters are large."""
    large = [2**60 + 2 * place for place in range(40)]
    assert not any(inexact(formula, large) for formula in COMPUTED)
    compiled_once.cache_clear()
    monkeypatch.setattr(compilation, "_printed_as_float", lambda _: False)
    assert sum(inexact(formula, large) for formula in COMPUTED) > 7
    compiled_once.cache_clear()
