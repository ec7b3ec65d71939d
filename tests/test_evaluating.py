"""Evaluating in a loop: what was found out once is used again, and says the same"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from cases import A10
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admissible, satisfying

from symbolic_llm import catalogue, errors, evaluate, explain
from symbolic_llm.answers import evaluating
from symbolic_llm.answers.explanation import explain_formula
from symbolic_llm.formula import Formula


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Begin with nothing kept, as in a fresh process, and leave nothing behind."""
    evaluating._kept.cache_clear()
    yield
    evaluating._kept.cache_clear()


def outcome(ask: Any, *asked: Any, **letters: Any) -> tuple[str, Any]:
    """The value with its type, or the sentence that says why there is none."""
    try:
        found = ask(*asked, **letters)
    except errors.SymbolicLLMError as error:
        return type(error).__name__, str(error)
    return type(found).__name__, found


def explained(*asked: Any, **letters: Any) -> Any:
    """The long way."""
    return explain(*asked, **letters).value


@pytest.mark.parametrize("formula", list(catalogue()), ids=lambda f: f.name)
@settings(max_examples=8)
@given(data=st.data())
def test_asked_again_it_says_what_explain_says(formula: Formula, data: st.DataObject) -> None:
    """Of values that fit, of wrong ones, and where conditions fail."""
    conditions = tuple(condition.relation for condition in formula.demanded)
    theorem = satisfying(conditions, set(formula.letters).union(*(c.free_symbols for c in conditions)))
    values = data.draw(theorem if formula.quantity is None else admissible(formula))
    letters: dict[str, Any] = {s.name: v for s, v in values.items() if s != formula.quantity}
    if outcome(evaluate, formula, **letters)[0] == "Overdetermined":  # one of them follows from the others
        letters = {s.name: v for s, v in values.items() if s in formula.letters and s != formula.quantity}
    other = data.draw(st.sampled_from([Fraction(1, 3), 2, 7, 10**9, 0, -1, 2.5, "3", "3 apples", None, True]))
    changed = [letters, *({**letters, name: other} for name in letters)]
    said = [outcome(explained, formula, **asked) for asked in changed]
    for _ in range(2):
        assert [outcome(evaluate, formula, **asked) for asked in changed] == said


def loop(formula: str, **presets: Any) -> list[tuple[str, Any]]:
    """Several batches, the last of them no batch at all, with what the long way says."""
    batches = (1, 4, 2.0, "1k", 100, 0)
    found = [outcome(evaluate, formula, N=4096, B=batch, **presets) for batch in batches]
    assert found == [outcome(explained, formula, N=4096, B=batch, **presets) for batch in batches]
    return found


@pytest.mark.parametrize("model", ["llama-2-7b", "mixtral-8x7b", "deepseek-v3", "gemma-3-1b-text"])
@pytest.mark.parametrize("formula", ["latency_with_cache", "throughput_with_cache", "footprint", "capacity"])
def test_a_loop_over_batches(formula: str, model: str) -> None:
    """With presets, one after the other."""
    loop(formula, model=model, hardware="a100-80gb-sxm", dtype="fp16")


def test_a_loop_looks_up_presets_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """And goes the long way only where something is to be said."""
    asked = []

    def counted(*question: Any) -> Any:
        asked.append(question)
        return explain_formula(*question)

    monkeypatch.setattr(evaluating, "explain_formula", counted)
    loop("latency_with_cache", **A10)
    assert len(asked) == 2  # the first batch, and the one that is none


def test_files_are_read_again(tmp_path: Any) -> None:
    """A machine in a file may change between two questions."""
    machine = tmp_path / "mine.toml"
    for bandwidth, seconds in ((1, 8), (2, 4), (4, 2)):
        fields = {"memory": "24 GB", "bandwidth": f"{bandwidth} TB/s", "peak": {"fp16": "71 TFLOP/s"}}
        lines = [f'{name} = "{value}"' for name, value in fields.items() if isinstance(value, str)]
        machine.write_text("\n".join([*lines, "[peak]", 'fp16 = "71 TFLOP/s"']), encoding="utf-8")
        for source in (machine, str(machine), fields):
            assert evaluate("memory_time", hardware=source, P=8 * 10**12, n_bytes=1) == seconds


def test_a_plan_with_a_wrong_constant_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: presets that were remembered wrongly."""
    planned = evaluating._planned

    def wrong(*asked: Any) -> Any:
        plan = planned(*asked)
        return plan and replace(
            plan, known={symbol: place * value for place, (symbol, value) in enumerate(plan.known.items(), 2)}
        )

    monkeypatch.setattr(evaluating, "_planned", wrong)
    with pytest.raises(AssertionError):
        loop("latency_with_cache", **A10)


def test_a_plan_without_relations_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: conditions that are not asked again."""
    monkeypatch.setattr(evaluating, "_planned", lambda *a, made=evaluating._planned: replace(made(*a), relations=()))
    block = {"n_block": 32, "n_scale": 16}
    assert evaluate("q4_bytes_per_weight", n_bits=4, **block) == 9 / 16
    assert evaluate("q4_bytes_per_weight", n_bits=8, **block) == 9 / 16  # which are not those of eight bits
    monkeypatch.undo()
    evaluating._kept.cache_clear()
    for _ in range(2):
        assert outcome(evaluate, "q4_bytes_per_weight", n_bits=8, **block)[0] == "ConditionViolated"
        assert evaluate("q4_bytes_per_weight", n_bits=4, **block) == 9 / 16
