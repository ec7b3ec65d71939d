"""Of whom a formula speaks: of every kind of decoder that it answers for, and each of them is asked"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from symbolic_llm import catalogue
from symbolic_llm.architecture import AXES, Trait, lacking
from symbolic_llm.formula import Formula
from symbolic_llm.witness import comparison_at_places
from symbolic_llm.witness.configurations import drawn
from symbolic_llm.witness.letters import probes_of, traits_of

pytestmark = pytest.mark.usefixtures("kept_findings")

# Asked where a question names them, or in random mixtures of blocks
ELSEWHERE = {Trait.COMPRESSED, Trait.SHARED, Trait.BORROWING}


def kinds_asked(formula: Formula, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of decoders that a formula is compared with beside those of its question."""
    asked: list[str] = []

    def noted(formula: Formula, probe: Any, given: Any = None) -> Any:
        if given is None:
            asked.append(probe.subject.name)
        return compared(formula, probe, given)

    compared = comparison_at_places.compared_elsewhere
    with monkeypatch.context() as patch:
        patch.setattr(comparison_at_places, "compared_elsewhere", noted)
        assert not list(comparison_at_places.beyond(formula)), formula.name
    return asked


@pytest.mark.parametrize("name", ["latency", "footprint", "throughput_with_cache", "kv_bytes_total", "prefill_time"])
def test_every_trait_is_asked(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a law of all decoders: by its question, or beside that."""
    formula = catalogue()[name]
    own = [probe.subject for probe in probes_of(formula.measured_by, formula)]
    subjects = [*own, *(comparison_at_places.SUBJECTS[kind] for kind in kinds_asked(formula, monkeypatch))]
    seen = frozenset[Trait]().union(*map(traits_of, subjects))
    claimed = {trait for axis in AXES for trait in (formula.traits & axis or axis)}
    assert claimed - seen <= ELSEWHERE
    assert not any(lacking(formula.traits, traits_of(subject)) for subject in subjects)


def test_who_gets_no_answer_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A formula is not compared with a decoder for which `evaluate` refuses to answer by it.

    All that a GPT-2 computes is not what a LLaMA does: for that there is another formula, and `evaluate` says so.
    """
    formula = catalogue()["gpt2_decode_flops"]
    assert not list(comparison_at_places.beyond(formula))
    with monkeypatch.context() as patch:  # the twin: if it answered, it would be wrong
        patch.setattr(comparison_at_places, "_refused", lambda *_: False)
        assert "llama" in {one.subject for one in comparison_at_places.beyond(formula)}


@pytest.mark.parametrize(
    ("name", "measured_by", "other"),
    [
        ("kv_bytes_per_token", "llama/cache.bytes_of_a_token", "hybrid"),
        ("context_flops", "llama/decode.flops_of_a_sequence", "mixed"),
        ("context_bytes_read", "llama/decode.bytes_of_a_sequence", "picked"),
    ],
)
def test_a_claim_that_is_wider_than_its_witness_is_found(name: str, measured_by: str, other: str) -> None:
    """A formula that says what it is for, and the same claim of all decoders."""
    found = catalogue()[name]
    plain = replace(found, claim=found.plain_claim)
    assert not list(comparison_at_places.beyond(found))
    assert other in {
        one.subject for one in comparison_at_places.beyond(replace(plain, measured_by=measured_by, models=()))
    }


def test_places_follow_from_the_claim() -> None:
    """Another claim is asked elsewhere, and the same one at the same places."""
    formula = catalogue()["distinct_experts"]
    other = replace(formula, claim=formula.claim.func(formula.quantity, 2 * formula.rhs))
    assert list(drawn(formula)) == list(drawn(formula))
    assert list(drawn(formula)) != list(drawn(other))
    assert len({tuple(config.items()) for config in drawn(formula)}) == len(list(drawn(formula)))
