"""Claims by cases: what overlaps, leaves something out or says a wrong value is refuted; explanations name the case"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from sympy import Eq, Le, Lt, Min

from symbolic_llm import batch_limits, catalogue, evaluate, explain, largest_batch, solve
from symbolic_llm.checks.engine import contradicted
from symbolic_llm.checks.mutants import mutants
from symbolic_llm.checks.rounding import check_rounding
from symbolic_llm.checks.theorems import check_conditions, check_theorem
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Cases
from symbolic_llm.formula import Formula
from symbolic_llm.notation import B_compute, B_fit, B_read, B_target
from symbolic_llm.witness.comparison_at_places import comparisons

CLAIM = batch_limits.claim
ROOM, READING, ARITHMETIC = CLAIM.pieces
SERVER = {"model": "llama-2-70b", "hardware": "a100-80gb-sxm", "dtype": "fp16", "weights": "q4_0"}


def stated(*pieces: Any, value: Any = CLAIM.value) -> Formula:
    """The theorem with other pieces."""
    return replace(batch_limits, claim=Cases(value, pieces))


def less(one: Any, other: Any) -> Any:
    return Lt(one, other, evaluate=False)


def at_most(one: Any, other: Any) -> Any:
    return Le(one, other, evaluate=False)


FAULTS = {
    "a case is missing": stated(ROOM, READING),
    "a tie is in no case": stated((ROOM[0], B_fit, (less(B_fit, B_read), less(B_fit, B_compute))), READING, ARITHMETIC),
    "a tie is in two cases": stated(
        ROOM, (READING[0], B_read, (at_most(B_read, B_fit), at_most(B_read, B_compute))), ARITHMETIC
    ),
    "one case holds everywhere": stated(ROOM, READING, ARITHMETIC, ("any", CLAIM.value, (less(B_fit, 2 * B_fit),))),
    "a wrong value in one case": stated(ROOM, (READING[0], B_compute, READING[2]), ARITHMETIC),
    "another value altogether": stated(*CLAIM.pieces, value=Min(B_fit, B_read)),
}


def test_the_cases_cover_everything_once() -> None:
    assert check_theorem(batch_limits).verdict is Verdict.PROVED
    assert check_conditions(batch_limits).verdict is Verdict.PROVED


@pytest.mark.parametrize("left", [(B_fit, B_read), (B_fit, B_compute), (B_fit, B_target, B_compute)])
def test_the_smallest_of_others_is_not_what_fits(left: tuple[Any, ...]) -> None:
    """A largest batch that leaves a limit out is refuted: the question says what has to fit, not the formula."""
    assert check_rounding(largest_batch).verdict is Verdict.PROVED
    wrong = replace(largest_batch, claim=Eq(largest_batch.quantity, Min(*left), evaluate=False))
    assert check_rounding(wrong).verdict is Verdict.REFUTED


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_cases_is_refuted(fault: str) -> None:
    """By an example that is put in and evaluated."""
    finding = check_theorem(FAULTS[fault])
    assert finding.verdict is Verdict.REFUTED, finding
    assert finding.summary.startswith("counterexample: ")


def test_a_case_that_never_occurs_says_nothing() -> None:
    """An added case that never occurs only splits a true claim, so the check of conditions has to say it is empty."""
    empty = ("never", B_fit, (less(B_fit, B_read), less(B_read, B_fit)))
    assert check_theorem(stated(*CLAIM.pieces, empty)).verdict is Verdict.PROVED
    finding = check_conditions(stated(*CLAIM.pieces, empty))
    assert finding.verdict is not Verdict.PROVED
    assert "never" in finding.summary


def test_the_engine_tells_cases_from_each_other() -> None:
    """The engine tells all cases apart: where one sequence more neither fits nor is in time, room is named first."""
    found = comparisons(batch_limits)
    assert {comparison.measured for comparison in found} == {1, 2, 3}
    assert all(comparison.equal for comparison in found)
    assert contradicted(stated(READING, ROOM, ARITHMETIC)) == "engine"


def test_every_way_to_move_a_border_is_a_mutant() -> None:
    changes = [mutant.change for mutant in mutants(batch_limits)]
    for words in (piece[0] for piece in CLAIM.pieces):
        assert changes.count(f"border of “{words}” moved") == 2
        assert f"without the case “{words}”" in changes


@pytest.mark.parametrize(
    ("letters", "case", "binding"),
    [
        ({"N": 4096, "T_target": "50 ms"}, 1, "B_fit"),
        ({"N": 4096, "T_target": "30 ms"}, 2, "B_read"),
        ({"N": 512, "T_target": "50 ms"}, 3, "B_compute"),
    ],
)
def test_an_explanation_names_the_case(letters: dict[str, Any], case: int, binding: str) -> None:
    """The case whose letter is the largest batch, in words at the end, by number from `evaluate`."""
    found = explain("batch_limits", **letters, **SERVER)
    assert found.value == evaluate("batch_limits", **letters, **SERVER) == case
    assert found.result == found.lines[-1].text == CLAIM.pieces[case - 1][0]
    values = {symbol.name: found.given.numbers()[symbol] for symbol in found.letters}
    assert min(values, key=values.__getitem__) == binding
    assert evaluate("largest_batch", **letters, **SERVER) == values[binding]


def _searched(fits: Callable[[int], bool]) -> int:
    batch = 0
    while fits(batch + 1):
        batch += 1
    return batch


@pytest.mark.parametrize("model", ["llama-2-70b", "gemma-2-27b", "mistral-7b-v0.1"])
@pytest.mark.parametrize("target", ["30 ms", "50 ms", "80 ms"])
def test_the_largest_batch_is_found_one_by_one(model: str, target: str) -> None:
    """The largest batch equals that of a search one by one: it fits and is in time, one sequence more is not both."""
    given = {**SERVER, "model": model, "N": 4096}
    room = {key: given[key] for key in ("model", "weights", "N")} | {"cache": "fp16"}
    memory, seconds = Fraction(80 * 10**9), Fraction(target.split()[0]) / 1000

    def served(batch: int) -> bool:
        held = explain("footprint", **room, B=batch).exact
        return bool(held <= memory and explain("latency_with_cache", **given, B=batch).exact <= seconds)

    assert evaluate("largest_batch", **given, T_target=target) == _searched(served)


def test_a_reserve_and_activations_take_their_room() -> None:
    """A reserve and activations take their room: as many sequences fit as a search finds.

    The largest batch can be asked with them.
    """
    given = {**SERVER, "N": 4096, "M_reserve": "8 GB", "m_act": "100 MB"}
    held = {key: value for key, value in given.items() if key not in ("hardware", "dtype")} | {"cache": "fp16"}

    def fits(batch: int) -> bool:
        return bool(explain("footprint_beside_reserve", **held, B=batch).exact <= 80 * 10**9)

    found = evaluate("sequences_beside_reserve", **given)
    assert found == _searched(fits) < evaluate("sequences_that_fit", **SERVER, N=4096)
    assert evaluate("largest_batch", **SERVER, N=4096, T_target="50 ms", B_fit=found) == found


def test_the_target_of_a_batch_is_found_by_search() -> None:
    """A search finds the least time that serves a batch; a moment less serves a sequence less.

    The time is rounded twice, for reading and for arithmetic.
    """
    found = solve("largest_batch", "T_target", N=4096, B_largest=10, **SERVER)
    assert "T_target is rounded in several places, so there is no closed form" in str(found)
    asked = {"N": 4096, **SERVER}
    assert evaluate("largest_batch", T_target=found.exact, **asked) == 10
    assert evaluate("largest_batch", T_target=found.exact * (1 - Fraction(1, 10**6)), **asked) == 9


def test_cases_are_in_the_catalogue() -> None:
    assert "batch_limits" in [formula.name for formula in catalogue() if isinstance(formula.claim, Cases)]
