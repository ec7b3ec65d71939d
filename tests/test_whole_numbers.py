"""Every formula solved for every letter that counts, against trying every whole number up to a few

Nothing is known of the formulas but their values: the quantity is what one comes to at a whole number, and whatever
other whole numbers give the same have to be in the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from symbolic_llm import catalogue, errors, explain, solve
from symbolic_llm.answers import solution
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS

MOST = 12  # up to which every number is tried
LARGE = {"M": 10**12, "F": 10**15, "W": 10**12, "T_target": 1, "M_layer": 10, "T_alone": 1000}
MADE = {"N": 100, "B": 4}  # of a prompt and a batch of a model
NO_VALUE = (errors.ConditionViolated, errors.NoSolution, errors.InvalidValue, errors.Overdetermined)
DEVICE = {"hardware": "h100-sxm", "dtype": "bf16"}
# a rounding beside the letter, a letter given by the model and by what follows from it, powers of experts
OF_MODELS = {
    "gemma-3-27b": ("paged_cache_bytes", "sequences_on_devices", "output_cost_ratio_with_cache"),
    "deepseek-v4-flash": ("kv_bytes_total", "paged_cache_bytes"),
    "gpt-oss-20b": ("throughput", "generation_time", "prefill_time", "sequences_on_devices", "expert_weights_read"),
    "llama-3.2-1b": ("llama_decode_flops", "time_between_tokens", "cache_bytes_per_device", "tiled_attention_traffic"),
}


def value_of(formula: Formula, given: dict[str, Any]) -> Any:
    """The exact value; None where there is none."""
    try:
        return explain(formula, **given).exact
    except NO_VALUE:
        return None


def letters_for(formula: Formula, given: dict[str, Any]) -> dict[str, Any] | None:
    """Values for the letters that a question still needs, as the errors ask for them; None where it has no value."""
    found: dict[str, Any] = {}
    while True:
        try:
            explain(formula, **given, **found)
        except errors.Underdetermined as error:
            (name,) = re.search(r"as in (\w+)=", str(error)).groups()
            found[name] = MADE.get(name, 7) if given else LARGE.get(name, 2 + 3 * len(found) % 7)
        except NO_VALUE:
            return None
        else:
            return found


def wrong(formula: Formula, unknown: str, given: dict[str, Any], quantity: Fraction, right: list[int]) -> str:
    """A whole number that the answer misses, or the error in its place; "" where the answer has all of them."""
    try:
        found = solve(formula, unknown, **given, **{formula.quantity.name: quantity})
        value, note = found.exact, found.note
    except errors.SeveralSolutions as error:
        told = str(error).split("solutions for")[-1]
        ends = [int(end.replace(",", "")) for end in re.findall(r"(?<![\d.,])\d[\d,]*(?![\d.])", told)]
        return "" if "every" in told or (len(right) > 1 and {*right} <= {*ends}) else f"{error} and not {right}"
    except errors.SymbolicLLMError as error:
        return f"{error} and not {right}"
    told = re.search(r"from ([\d,]+) to ([\d,]+) is", note)
    first, last = (int(end.replace(",", "")) for end in told.groups()) if told else (value, value)
    return "" if all(first <= one <= last for one in right) else f"{value} ({note}) and not {right}"


def missed(formula: Formula, presets: dict[str, Any]) -> Iterator[str]:
    """The mistakes of `solve` about one formula."""
    if (letters := letters_for(formula, presets)) is None:
        return
    here = explain(formula, **presets, **letters).given
    numbers = here.numbers()
    for letter in sorted(here.stated(), key=str):
        name = letter.name
        if letter == formula.quantity or not LETTERS[letter].whole or (presets and numbers[letter] > 1000):
            continue
        given = presets | {other: value for other, value in letters.items() if other != name}
        tried = sorted({*range(1, MOST + 1), int(numbers[letter])})
        came = {number: value_of(formula, {**given, name: number}) for number in tried}
        for number in dict.fromkeys((int(numbers[letter]), MOST - 1)):
            right = [one for one in tried if came[one] == came[number]]
            same = len({value for value in came.values() if value is not None}) == 1  # it stands in conditions only
            if came[number] and not same and (said := wrong(formula, name, given, came[number], right)):
                yield f"{formula.name} {name}: {said}"


EQUATIONS = [formula for formula in catalogue() if formula.quantity is not None]


def test_whole_numbers_that_trying_finds_are_in_the_answer() -> None:
    """Of every formula, for every letter that counts, where no model is named."""
    assert not [said for formula in EQUATIONS for said in missed(formula, {})]


@pytest.mark.parametrize("model", OF_MODELS)
def test_those_of_a_model_are_too(model: str) -> None:
    """Of formulas in which a model puts a rounding beside the letter, or the letter in several places."""
    presets = {"model": model, **DEVICE}
    assert not [said for name in OF_MODELS[model] for said in missed(catalogue()[name], presets)]


def test_a_missed_number_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: whole numbers between leaps are not gone through."""
    formula, presets = catalogue()["paged_cache_bytes"], {"model": "gemma-3-27b", **DEVICE}
    assert not [*missed(formula, presets)]
    monkeypatch.setattr(solution, "whole_runs", lambda *_: None)
    assert [*missed(formula, presets)]
