"""An engine that lies: a line of it is changed, and some check has to notice

A formula is only as good as the engine that it agrees with. Each test changes one line of the engine as it runs, and
asks for the formulas that the change makes false.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest
from planting import asking, calculating, edited, faults, forgetting, planted, planting, rejected_by
from question_contents import strange
from sympy import Eq

from reference_engine import ledger, ops
from reference_engine.cache import Cache
from reference_engine.layers import Layers
from reference_engine.memory import Machine
from reference_engine.model import Decoder
from reference_engine.probes import QUESTIONS, Question
from reference_engine.probes.counts import Passed, Selection
from reference_engine.probes.measures import Combined, Count
from reference_engine.probes.runs import Run, Values
from reference_engine.probes.subjects import Subject
from reference_engine.probes.time_measures import Time
from symbolic_llm import catalogue
from symbolic_llm.architecture import PLAIN
from symbolic_llm.checks.engine import check_engine
from symbolic_llm.checks.report import check_formula
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Equivalence, Implication
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.shared import each_weight, multiply_add, one_token
from symbolic_llm.notation import B, C_decode, C_step, P, d_ff, d_model, n_blocks
from symbolic_llm.numeral import count
from symbolic_llm.steps import premise
from symbolic_llm.units import FLOP, TOKEN, WEIGHT
from symbolic_llm.witness.comparison_at_places import comparisons

pytestmark = pytest.mark.xdist_group("attacks")  # each empties the caches that other tests live on


@contextmanager
def ruled(op: str, rule: Any) -> Iterator[None]:
    """While it lasts, the ledger has another rule for an op."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ledger.RULES, op, rule)
        with forgetting():
            yield


def multiplying_twice() -> AbstractContextManager[None]:
    """Every matrix product is computed twice and entered once."""
    twice = "_ = product_of_scalars(x, y) if x.dtype == object or y.dtype == object else x @ y\n"
    return edited(ops.matmul, "    *batch, m, k", f"    {twice}    *batch, m, k")


def entering_half() -> AbstractContextManager[None]:
    """The rule of the matrix product leaves the additions out."""
    return ruled("matmul", lambda batch, m, n, k: batch * m * n * k)


def loading_twice() -> AbstractContextManager[None]:
    """A layer loads its matrix a second time."""
    return edited(Layers.linear, "if bias is not None:", "matrix.load()\n        if bias is not None:")


def counting_exponentials_twice() -> AbstractContextManager[None]:
    """The rule says that an exponential is two operations."""
    return ruled("exp", lambda size: 2 * size)


def keeping_pages() -> AbstractContextManager[None]:
    """The cache keeps pages of sixteen tokens."""
    room = "least(capacity, self._window or capacity)"
    return edited(Cache._room, room, f"-(-{room} // 16) * 16")


def adding_times() -> AbstractContextManager[None]:
    """The machine reads first and computes then."""
    return edited(Time.of, "max(self.load.ticked(asked))", "sum(self.load.ticked(asked))")


def never_full() -> AbstractContextManager[None]:
    """The last byte of memory is never given away."""
    return edited(Machine.occupy, "+ nbytes > self.capacity", "+ nbytes >= self.capacity")


@dataclass(frozen=True)
class EngineAttack:
    """A changed line, what it makes of a formula, and the checks of which one has to notice it."""

    change: Any
    formula: str
    claims: str
    rejected_by: tuple[str, ...]


ENGINE_ATTACKS = (
    EngineAttack(multiplying_twice, "decode_product_flops", "products are done twice, entered once", ("engine",)),
    EngineAttack(multiplying_twice, "decode_flops", "the same, among all operations", ("engine",)),
    EngineAttack(multiplying_twice, "prefill_flops", "the same, in a prefill", ("engine",)),
    EngineAttack(entering_half, "decode_product_flops", "additions are not entered", ("engine",)),
    EngineAttack(loading_twice, "weights_read", "matrices are loaded twice", ("engine",)),
    EngineAttack(loading_twice, "memory_time", "and the time is that of one load", ("engine",)),
    EngineAttack(counting_exponentials_twice, "stable_softmax_flops", "the engine alone has the rule", ("engine",)),
    EngineAttack(counting_exponentials_twice, "attention/dear_exponentials", "both sides have the rule", ("engine",)),
    EngineAttack(keeping_pages, "kv_bytes_per_token", "a token takes a page", ("engine",)),
    EngineAttack(keeping_pages, "kv_bytes_total", "a short sequence takes a page", ("engine",)),
    EngineAttack(keeping_pages, "kv_cache/one_page_each", "every sequence takes one page", ("engine", "certificate")),
    EngineAttack(adding_times, "latency", "nothing overlaps", ("engine",)),
    EngineAttack(adding_times, "latency_with_cache", "the same, with the cache", ("engine",)),
    EngineAttack(adding_times, "generation_time", "the same, step after step", ("engine",)),
    EngineAttack(adding_times, "decode_time_with_cache", "the same, with the cache of each step", ("engine",)),
    EngineAttack(adding_times, "latency_linearity", "a law of both sides would not follow", ("engine", "theorem")),
    EngineAttack(never_full, "sequences_that_fit", "memory is never filled exactly", ("engine", "certificate")),
)


@pytest.fixture(autouse=True)
def _planted() -> Iterator[None]:
    with planting():
        yield


@pytest.mark.parametrize("attack", ENGINE_ATTACKS, ids=lambda attack: f"{attack.change.__name__}-{attack.formula}")
def test_a_lying_engine_is_noticed(attack: EngineAttack) -> None:
    """The formula is right, or wrong in the way that the engine is, and is not called proved."""
    formula = planted(attack.formula) if "/" in attack.formula else catalogue()[attack.formula]
    with attack.change():
        assert rejected_by(formula, attack.rejected_by), attack.claims


def test_what_implications_conclude_is_asked_where_they_say_nothing() -> None:
    """An engine that says yes too often agrees with an implication wherever that speaks, and not beyond it."""
    every = [one for one in catalogue() if isinstance(one.statement, Implication)]
    implications = [one for one in every if one.measured_by]
    assert len(implications) >= 9
    assert [one.name for one in every if not one.measured_by] == ["precision_invariance"], "it follows from others"
    for formula in implications:
        concluded = formula.statement.sides[1]
        assert all(found.equal for found in comparisons(replace(formula, claim=Equivalence(concluded, concluded))))
    other = "self.other.of(asked)"
    with edited(Combined.of, other, f'{other} * (2 if self.how == "<" else 1)'):
        costs = next(one for one in implications if one.measured_by == "speculation.only_costs")
        assert check_engine(costs).verdict is Verdict.PROVED
        concluded = costs.statement.sides[1]
        assert not all(found.equal for found in comparisons(replace(costs, claim=Equivalence(concluded, concluded))))


def test_the_engine_is_itself_again() -> None:
    """A change to the engine for one test is forgotten after it."""
    with loading_twice():
        assert rejected_by(catalogue()["weights_read"], ("engine",))
    assert faults(check_formula(catalogue()["weights_read"])) == {}


# Questions that lie: entered beside those of the engine, or in their place


def _in_pages(subject: Subject, values: Values) -> tuple[Passed, ...]:
    """A prefill whose caches have room for whole pages of sixteen tokens."""
    batch, context = values["batch"], values["context"]
    config = subject.config(values, n_bytes=Fraction(4), n_bytes_kv=Fraction(values["n_bytes_kv"]), tokens=context)
    decoder = Decoder(config)
    decoder.prefill(np.zeros((batch, context), int), capacity=-(-context // 16) * 16)
    return (Passed(1, decoder.ledger),)


PAGED = replace(
    QUESTIONS["cache.bytes"],
    name="cache.bytes_in_pages",
    run=Run("in pages", ("batch", "context"), _in_pages),
    subjects=("llama",),
)
ONLY_MLP = replace(
    QUESTIONS["decode.flops"],
    name="decode.only_mlp",
    answer=Count((Selection("flops", ("blocks.*.mlp.up", "blocks.*.mlp.down")),)),
    subjects=("schematic",),
)


def _weights(
    n_blocks: int, n_kv_heads: int, group: int, d_head: int, d_model: int, d_ff: int, n_vocab: int, **_: int
) -> int:
    heads = 2 * n_kv_heads * (group + 1)
    return n_blocks * (heads * d_head * d_model + 2 * d_model * d_ff) + n_vocab * d_model


SEVEN = calculating(
    "decode.seven", lambda batch, **shape: 7 * batch * _weights(**shape), "schematic", "C_step", "batch"
)
HIDDEN = calculating(
    "product.hidden",
    lambda m, n: 2 * m * n + prod(m - at for at in (1, 2, 3, 7)) * prod(n - at for at in (1, 2, 3, 5)),
    "matrix and vector",
    "C_vector",
)
SUMMED = calculating(
    "clock.step_time",
    lambda flops, bandwidth, **_: Fraction(1) * (flops + bandwidth) / (flops * bandwidth),
    "llama",
    "T_step",
    *("batch", "context", "n_bytes", "flops", "bandwidth"),
)


def test_a_cache_in_pages_is_noticed() -> None:
    """A question that rounds up in its run: short contexts agree with a page each, longer ones do not."""
    with asking(PAGED):
        paged = replace(planted("kv_cache/one_page_each"), measured_by=PAGED.name)
        assert rejected_by(paged, ("engine", "certificate"))
    assert strange(PAGED) == ["run: in pages"]


def test_a_part_in_place_of_the_whole_is_noticed() -> None:
    """A selection of the MLP's operations, called those of a step: what is right is refuted then."""
    with asking(replace(ONLY_MLP, name="decode.flops", subjects=QUESTIONS["decode.flops"].subjects)):
        for name in ("decode_flops", "llama_decode_flops", "gpt2_decode_flops"):
            assert check_engine(catalogue()[name]).verdict is Verdict.REFUTED


def test_a_question_of_its_own_words_is_for_readers() -> None:
    """A part under another name and the letter of the whole agrees with a formula for the part: only words are wrong.

    Two questions in the same words are noticed in `test_questions.py`.
    """
    value = B * one_token * multiply_add * 2 * each_weight * n_blocks * d_model * d_ff
    steps = (premise(value, "the MLP", measured_by=ONLY_MLP.name),)
    part = Formula(
        "tests.part", "?", claim=Eq(C_step, value), steps=steps, measured_by=ONLY_MLP.name, models=tuple(PLAIN)
    )
    with asking(ONLY_MLP):
        assert faults(check_formula(part)) == {}
    assert ONLY_MLP.wording == QUESTIONS["decode.flops"].wording


@pytest.mark.parametrize("question", [SEVEN, HIDDEN, SUMMED], ids=lambda question: question.name)
def test_a_calculated_answer_cannot_be_entered(question: Question) -> None:
    """The engine's questions hold no function, so there is no place for one; the test of all questions notices it."""
    assert strange(question) == ["answer: Calculated"]


def test_a_calculated_answer_would_be_believed() -> None:
    """Why that test is needed: what a question computes by the formula itself agrees with it."""
    seven = count(7, "operations for each weight", FLOP / (WEIGHT * TOKEN))
    value = seven * P * B * one_token
    steps = (premise(value, "?", measured_by=SEVEN.name),)
    formula = Formula(
        "tests.seven", "?", claim=Eq(C_step, value), steps=steps, measured_by=SEVEN.name, models=tuple(PLAIN)
    )
    with asking(SEVEN):
        assert faults(check_formula(formula)) == {}


def test_a_question_that_was_replaced_is_noticed() -> None:
    """By a formula file, say, as it is read: whatever else asks that question is refuted.

    That such a file may not import the engine is a contract, in `test_architecture.py`.
    """
    with asking(replace(SEVEN, name="decode.flops")):
        assert rejected_by(catalogue()["decode_flops"], ("engine",))
    with asking(SUMMED):
        assert rejected_by(catalogue()["latency"], ("engine",))


def test_a_law_that_is_changed_on_both_sides_is_noticed() -> None:
    """The clock adds both times, and so does the formula: they agree, and what follows from the law does not."""
    with adding_times():
        assert check_engine(planted("latency/latency_as_a_sum")).verdict is Verdict.PROVED
        assert check_engine(catalogue()["latency_linearity"]).verdict is Verdict.REFUTED


def test_half_a_ledger_is_noticed() -> None:
    """The ledger leaves the additions out, and the formula too: scalars count every one."""
    found = catalogue()["decode_product_flops"]
    half = replace(found, claim=Eq(C_decode, found.rhs / 2), steps=(premise(found.rhs / 2, "multiplications alone"),))
    assert check_engine(half).verdict is Verdict.REFUTED
    with entering_half():
        finding = check_engine(half)
        assert "operations where" in finding.summary, finding
    with multiplying_twice():
        assert "operations where" in check_engine(found).summary
