"""Questions: an answer has no place for a number of its own, a label is looked at, and every subject can be asked"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from planting import Calculated, asking, calculating, forgetting
from question_contents import ANSWERS, CLASSES, strange
from sympy import Ge, Gt, Le, Lt

from reference_engine.config import InvalidConfig
from reference_engine.probes import (
    QUESTIONS,
    SUBJECTS,
    Probe,
    Question,
    ideal_machine,
    patterns_of,
    probes,
    runs,
    with_patterns,
)
from reference_engine.probes.counts import Selection
from reference_engine.probes.measures import Answer, Asked, Count, Given
from reference_engine.probes.memory_search import Fits, Most, last
from reference_engine.probes.runs import ANSWER, STEP_OF_ALL, Run
from reference_engine.probes.sharing import Fastest, Sooner
from reference_engine.probes.subjects import LLAMA, MODELS, Subject
from reference_engine.probes.targets import MostWithin
from reference_engine.probes.time_measures import Load, Time
from symbolic_llm import catalogue
from symbolic_llm.checks.engine import check_engine, contradicted
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Equivalence
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS
from symbolic_llm.witness import comparison_at_places
from symbolic_llm.witness.comparison_at_places import (
    Comparison,
    compared,
    compared_step,
    compared_with,
    comparisons,
    idle,
)
from symbolic_llm.witness.configurations import relations_of, standard, what_computes
from symbolic_llm.witness.engine_answers import counted
from symbolic_llm.witness.ledger_entries import memory
from symbolic_llm.witness.letters import bound, probes_of


def test_the_answers_are_those_that_are_known() -> None:
    """A new one is looked at before it is entered here."""
    assert {one.__name__ for one in CLASSES - {Answer}} == ANSWERS
    assert {one for one in _below(Answer) if one is not Calculated} == CLASSES - {Answer}


def _below(one: type) -> set[type]:
    return {*one.__subclasses__(), *(deeper for below in one.__subclasses__() for deeper in _below(below))}


def test_no_question_holds_a_number() -> None:
    """But what counts for one, the values at which it is asked, and those that are the same wherever it is asked."""
    assert len(QUESTIONS) > 90
    assert {name: found for name, question in QUESTIONS.items() if (found := strange(question))} == {}


_SEVEN = calculating("decode.seven", lambda batch, **_: 7 * batch, "schematic", "C_decode")
_HONEST = QUESTIONS["clock.memory_time"]
STRANGE: dict[str, tuple[Question, str]] = {
    "a formula": (_SEVEN, "answer: Calculated"),
    "a run of its own": (replace(_HONEST, run=Run("mine", (), runs.STEP.passes)), "run: mine"),
    "a sum of runs on the clock": (
        replace(_HONEST, answer=Time(Load(Count(()) + Count(()), Count(())))),  # type: ignore[arg-type]
        "answer.load.loads: Combined",
    ),
    "a number for a parameter": (replace(_HONEST, answer=Count(()) / Given(7)), "answer.other.name: int"),  # type: ignore[arg-type]
    "a factor": (
        replace(_HONEST, answer=Count((Selection("flops", each=Fraction(1, 7)),))),
        "answer.selections[0].each",
    ),
    "a function for a path": (
        replace(_HONEST, answer=Count((Selection("flops", (len,)),))),  # type: ignore[arg-type]
        "answer.selections[0].paths[0]: builtin_function_or_method",
    ),
    "a fraction that is fixed": (replace(_HONEST, fixed={"batch": Fraction(1, 7)}), "fixed batch"),  # type: ignore[dict-item]
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_question_that_could_calculate_is_noticed(name: str) -> None:
    """The twin: each holds what an answer has no place for."""
    question, said = STRANGE[name]
    assert strange(question) == [said]


def repeated(questions: list[Question]) -> list[str]:
    """Wordings that two questions have: what is not the same is not asked in the same words."""
    seen: dict[tuple[str, tuple[str, ...]], str] = {}
    found = []
    for question in questions:
        if (other := seen.setdefault((question.wording, question.subjects), question.name)) != question.name:
            found.append(f"{question.name} asks as {other} does")
    return found


def test_every_question_has_words_of_its_own() -> None:
    """The twin: a part that is called what the whole is called."""
    assert repeated(list(QUESTIONS.values())) == []
    part = replace(QUESTIONS["decode.flops"], name="decode.only_mlp", answer=Count((Selection("flops", ("*.mlp.*",)),)))
    assert repeated([*QUESTIONS.values(), part]) == ["decode.only_mlp asks as decode.flops does"]


def test_what_a_question_measures_is_a_letter() -> None:
    """Of the notation, and one that the engine is not given."""
    letters = {str(symbol): letter for symbol, letter in LETTERS.items()}
    for name, question in QUESTIONS.items():
        assert not question.quantity or question.quantity in letters, name
        assert (
            not question.quantity or question.quantity in ("n_bytes", "T_hop") or not letters[question.quantity].engine
        ), name


def test_a_question_under_another_letter_is_noticed() -> None:
    """A question that is said to measure another letter than the formula is for is refused."""
    found = catalogue()["weight_bytes"]
    for label, said in (("M_cache", "measures M_cache, the formula is for M_weights"), ("", "measures no letter")):
        with asking(replace(QUESTIONS["weights.bytes"], name="weights.labelled", quantity=label)):
            finding = check_engine(replace(found, measured_by="weights.labelled"))
        assert finding.verdict is Verdict.REFUTED
        assert said in finding.summary


@pytest.mark.parametrize("measured_by", ["weights.stored[*.mlp*]", "llama/weights.stored(n_blocks=1)"])
def test_a_part_is_no_whole(measured_by: str) -> None:
    """Some paths, or one value of a parameter: such a probe measures no letter."""
    assert {probe.quantity for probe in probes(measured_by)} == {""}
    assert check_engine(replace(catalogue()["llama_parameters"], measured_by=measured_by)).verdict is Verdict.REFUTED


def test_a_probe_by_name() -> None:
    """Of all subjects or one, of all paths or some, wherever or at one value; what does not exist has none."""
    dense = ["llama", "mixed", "windowed", "latent", "twofold"]
    assert [probe.subject.name for probe in probes("clock.memory_bound")] == dense
    (llama,) = probes("llama/weights.stored")
    assert llama.subject is SUBJECTS["llama"]
    assert llama.question == "How many weights does it hold?"
    (one,) = probes("llama/weights.stored[*.norm_?.*](n_blocks=1, d_model=3)")
    assert {"n_blocks", "d_model"} & set(one.parameters) == set()
    shape = dict.fromkeys(one.parameters, 1)
    assert one.ask(**shape) == 6  # two norms as wide as the model
    for name in (
        "weights.stord",
        "lama/weights.stored",
        "weights.stored[",
        "weights.stored(n_blocks)",
        "weights.stored(n_blocks=x)",
    ):
        assert probes(name) == ()


def test_the_clock_stands_where_its_work_ends() -> None:
    """The clock stands at the longer time: what the last resource did, at its rate; both may end at once."""
    for loads, work in (((6, 3), (5,)), ((1,), (50, 7)), ((9, 9, 1), (2,)), ((4,), (2,)), ((), (3,)), ((), ())):
        clocks = ideal_machine.run(loads, work, bandwidth=4, flops=2)
        ends = {"bus": Fraction(sum(loads), 4), "unit": Fraction(sum(work), 2)}
        assert max(clocks) == max(ends.values()) == ends[clocks.last]


# By figure, how much is little of it: a byte of memory, a moment of time.
BORDERED: dict[str, Callable[[Any], Any]] = {
    "memory": lambda memory: 1,
    "target": lambda time: time * Fraction(1, 10**8),
    "work": lambda time: time * Fraction(1, 10**8),
}


def borders(formula: Formula, probe: Probe) -> dict[str, list[tuple[Any, Any]]]:
    """By figure, the answers at places of a check that have another answer a little below, and that one, in order."""
    relations = relations_of(formula)
    places = list(map(dict, standard(what_computes(bound(formula, probe), relations), relations, probe)))
    found: dict[str, list[tuple[Any, Any]]] = {}
    for at, below in pairwise(places):
        changed = [name for name in at if at[name] != below[name] and name in BORDERED]
        if len(changed) == 1 and 0 < at[figure := changed[0]] - below[figure] <= BORDERED[figure](at[figure]):
            answers = counted(probe, at), counted(probe, below)
            if answers[0] != answers[1]:
                found.setdefault(figure, []).append(answers)
    return found


# What is asked just where it changes, and the least border of each: none or one fits, one device is or is not enough.
LEAST = {Most: (1, 0), MostWithin: (1, 0), Fits: (True, False), Fastest: (2, 1), Sooner: (True, False)}


def test_what_jumps_is_asked_on_either_side_of_its_jumps() -> None:
    """In two shapes, at the least of all jumps and, of numbers, at two more: wrong by one byte is wrong there."""
    asked = set()
    for formula in (one for one in catalogue() if one.measured_by):
        for probe in probes_of(formula.measured_by, formula):
            if (kind := next((kind for kind in LEAST if isinstance(probe.asks.answer, kind)), None)) is None:
                continue
            asked.add(kind)
            found = borders(formula, probe)
            assert found.keys() == BORDERED.keys() & set(probe.parameters), (formula.name, probe.subject.name)
            for figure, answers in found.items():
                half = len(answers) // 2
                assert answers[:half] == answers[half:], (formula.name, probe.subject.name, figure)
                assert answers[0] == LEAST[kind], (formula.name, probe.subject.name, figure)
                assert isinstance(answers[0][0], bool) or half == 3, (formula.name, probe.subject.name, figure)
    assert asked == LEAST.keys()


# Of one letter there may be several counts, where a convention decides what is counted: these, and no others.
CONVENTIONS = {
    "C_prefill": {
        "prefill.flops",
        "prefill.product_flops",
    },
    "C_prompt": {"prefill.flops_of_a_sequence", "prefill.causal_flops_of_a_sequence"},
    "B_fit": {"memory.sequences_that_fit", "memory.sequences_beside_a_reserve"},
    "M_footprint": {"memory.held", "memory.held_beside_a_reserve"},
    "n_bytes": {"packed.bytes_per_weight", "packed.bytes_per_weight_of_parts"},
    "M_weights": {"weights.bytes", "weights.bytes_with_other_ends"},
    "T_generation": {"clock.generation_time", "clock.request_time"},
    "P_device": {"devices.weights_multiplied", "devices.weights_multiplied_by_a_token"},
    "T_step": {
        *("clock.step_time", "clock.step_time_with_cache", "clock.separate_step_time"),
        *("devices.step_time", "devices.separate_step_time", "offload.step_time"),
    },
    "T_prefill": {
        "clock.prefill_time",
        "clock.prefill_time_with_cache",
        "clock.separate_prefill_time",
        *("devices.prefill_time", "devices.separate_prefill_time"),
    },
    "n_free": {"clock.free_chunk", "clock.free_chunk_with_cache"},
    "R": {"clock.throughput", "clock.throughput_with_cache", "devices.throughput", "stages.throughput"},
    "B_star_cache": {"clock.batch_crossover_with_cache", "clock.crossover_of_all_experts"},
}
# each formula says which
PARTS_OF = {"P_bias", "P_attention", "P_gate", "P_state"}
PARTS_OF |= {"P_compressor", "P_index"}


LATENT = {"latent"}  # which expands its keys and values where it reads a prompt
APART = {name for name, subject in SUBJECTS.items() if subject.traits & {"hybrid", "picked", "compressed"}}


def unnamed(questions: dict[str, Question]) -> list[set[str]]:
    """Letters that several questions measure, and no convention tells them apart.

    What is asked only of hybrids, where an index picks tokens or runs are compressed, is told apart by that: nobody
    else is asked it.
    """
    by: dict[str, set[str]] = {}
    for name, question in questions.items():
        apart = all(subject in APART for subject in question.subjects)
        if not apart or name.startswith("weights."):
            by.setdefault(question.quantity, set()).add(name)
    return [
        names
        for letter, names in by.items()
        if letter and len(names) > 1 and letter not in PARTS_OF and names != CONVENTIONS.get(letter)
    ]


@pytest.mark.parametrize("name", [name for name, subject in SUBJECTS.items() if subject.is_decoder])
def test_an_answer_enters_what_it_does_after_a_prompt(name: str) -> None:
    """An answer counted without its prompt is that after the prompt is run, and another with a token less before."""
    subject = SUBJECTS[name]
    values = {**dict.fromkeys(subject.shape, 2), "batch": 2, "context": 3, "new_tokens": 2}
    entries = {}
    for context in (3, 2):
        made = runs.decoder(subject, values, context + 2)
        made.prefill(np.zeros((2, context), int), capacity=context + 2)
        made.ledger.clear()
        for _ in range(2):
            made.decode(np.zeros(2, int))
        entries[context] = {at: tally for at, tally in made.ledger.entries.items() if "experts" not in at[0]}
    for passed in ANSWER.passes(subject, values):  # one for each way to send a step's tokens to experts
        assert {at: tally for at, tally in passed.ledger.entries.items() if "experts" not in at[0]} == entries[3]
    # a window of two is full either way
    assert (entries[2] == entries[3]) == (
        name in ("windowed", "twofold with windows", "mixed with windows", "split windowed")
    )


@pytest.mark.parametrize("name", ["llama", "latent", "experts"])
def test_the_weights_of_an_answer_are_those_of_its_steps(name: str) -> None:
    """In the mean over all ways to send tokens to experts, though all steps of an answer go the same way."""
    (answer,) = probes(f"{name}/clock.answer_memory_time[!*.cache]")
    (step,) = probes(f"{name}/clock.memory_time_with_cache[!*.cache]")
    values = {**dict.fromkeys(answer.parameters, 2), "batch": 3, "new_tokens": 5}
    assert answer.ask(**values) == 5 * step.ask(**values)


def runs_of_decoders() -> list[tuple[Run, str]]:
    """Every run that a question is about, with each decoder that is put to it."""
    asked = ((q.run, name) for q in QUESTIONS.values() if q.run for name in q.subjects if SUBJECTS[name].is_decoder)
    return list({(run.name, name): (run, name) for run, name in asked}.values())


def test_tokens_of_a_pass_are_those_that_its_output_matrix_multiplies() -> None:
    """Of every run of every decoder: logits of a token are one product of its vector with the output matrix."""
    found = runs_of_decoders()
    assert len(found) > 130
    returned = set()
    for run, name in found:
        subject = SUBJECTS[name]
        values: dict[str, Any] = {**dict.fromkeys((*subject.shape, *run.takes), 2), "n_bytes_kv": 4, "n_bytes_act": 4}
        values |= {"batch": 3, "context": 4, "draft_length": 4, "n_bytes_2": 4}
        config = subject.config(values, n_bytes=Fraction(4), n_bytes_kv=Fraction(4))
        each = 2 * config.d_embedding * config.n_vocab
        if "first device" in run.name:  # it has its share of the matrix
            each //= config.n_vocab // values["vocab_each"]
        if "logits" in run.takes:  # where only some positions get them, it is as many for each position that does
            each = each * values["logits"] // (values["logits"] + values["silent"])
        for passed in run.passes(subject, values):
            assert passed.tokens * each == passed.ledger.matmul_flops("output"), (run.name, name)
            returned.add(passed.tokens > 0)
    assert returned == {False, True}


def unseen(subject: Subject) -> list[str]:
    """The switches without which it enters the same in every pass: none of its questions is about them."""

    def entered(one: Subject) -> list[Any]:
        passes = (passed for run in (runs.WEIGHTS, runs.PROMPT, runs.STEP) for passed in run.passes(one, values))
        return [(passed.ledger.entries, passed.ledger.held) for passed in passes]

    values = {**dict.fromkeys(subject.shape, 2), "n_bytes_2": 4, "batch": 2, "context": 3}
    found, every = [], entered(subject)
    for switch in subject.switches:
        without = {name: how for name, how in subject.switches.items() if name != switch}
        with suppress(InvalidConfig, TypeError):  # there is no such decoder
            if entered(replace(subject, switches=without)) == every:
                found.append(switch)
    return found


def test_every_switch_of_a_decoder_is_seen_in_what_it_enters() -> None:
    """A kind of decoder that is no other than the plain one would be asked in vain; the twin: which pairs rotate."""
    decoders = {name: subject for name, subject in SUBJECTS.items() if subject.is_decoder}
    # only blocks without a window make values of their keys
    assert {name: found for name, one in decoders.items() if (found := unseen(one))} == {
        "twofold with windows": ["keys_as_values"]
    }
    assert unseen(replace(SUBJECTS["llama"], switches={**LLAMA, "rope_pairs": "neighbours"})) == ["rope_pairs"]


# Which resource is the last, in every step or from some step on, and the parameters for it.
ENDS = {
    "bus": (10**6, 1, 1, 2, 8),
    "unit": (1, 10**6, 1, 2, 8),
    "bus, then unit": (5, 2, 6, 4, 4),
    "unit, then bus": (2, 5, 1, 2, 8),
}


@pytest.mark.parametrize("name", ENDS)
def test_an_answer_takes_as_long_as_its_steps(name: str) -> None:
    """Each by itself, whichever resource is last in which of them; a prompt comes before."""
    (answer,), (request,) = probes("llama/clock.decode_time_with_cache"), probes("llama/clock.request_time")
    (mean,), (prompt,) = probes("llama/clock.time_per_output_token"), probes("llama/clock.prefill_time_with_cache")
    (step,) = probes("llama/clock.step_time_with_cache")
    values = {**dict.fromkeys(answer.parameters, 2), "context": 3, "new_tokens": 50}
    values |= zip(("flops", "bandwidth", "group", "n_bytes", "n_bytes_kv"), ENDS[name], strict=True)
    took = [step.ask(**(values | {"context": 3 + i})) for i in range(1, 51)]
    asked = {one: one.ask(**values) for one in (answer, request, mean, prompt)}
    assert asked[answer] == sum(took)
    assert asked[mean] == sum(took) / 50
    assert asked[request] == asked[prompt] + sum(took)
    steps = answer.asks.answer.steps(Asked(answer.subject, answer.asks.run, values))  # type: ignore[attr-defined]
    last = dict.fromkeys(answer.asks.answer.load.ticked(one).last for one in steps)  # type: ignore[attr-defined]
    assert ", then ".join(last) == name


def test_a_letter_is_measured_by_one_question() -> None:
    """A part that is labelled with the letter of the whole would prove a formula for the part."""
    assert unnamed(QUESTIONS) == []
    for question in QUESTIONS.values():
        others = set(question.subjects) - APART  # of these only, or of one for every way to keep a context
        every = {"experts"} if question.run is STEP_OF_ALL else set(MODELS) - ({"experts"} - others)
        assert others == set(question.subjects) or not others or others | LATENT >= every, question.name
    part = replace(QUESTIONS["weights.of_mlp"], quantity="P_total")
    assert unnamed({**QUESTIONS, "weights.planted": part}) == [{"weights.stored", "weights.planted"}]
    prompt = replace(QUESTIONS["prefill.flops"], name="prefill.planted")
    assert unnamed({**QUESTIONS, "prefill.planted": prompt}) == [CONVENTIONS["C_prefill"] | {"prefill.planted"}]


@given(st.integers(0, 5000), st.integers(1, 9000))
def test_the_last_number_that_fits(most: int, near: int) -> None:
    """The last number that fits is found from wherever the search begins; it and the next are asked, none twice."""
    asked: list[int] = []

    def fits(number: int) -> bool:
        asked.append(number)
        return number <= most

    assert last(fits, near) == most
    assert {most, most + 1} - {0} <= set(asked)
    assert min(asked) >= 1
    assert len(set(asked)) == len(asked)


def test_a_line_that_misses_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: where the straight line does not meet the target, the largest batch is the same."""
    formula, found = catalogue()["batch_within_target"], []
    for near in (MostWithin._near, lambda *_: 1, lambda *_: 50):
        monkeypatch.setattr(MostWithin, "_near", near)
        with forgetting():
            memory().disregard()
            found.append([one.measured for one in comparisons(formula)])
    assert found[0] == found[1] == found[2]
    assert max(found[0]) > 1


# Patterns of paths in the name of a question


def asked_with_patterns() -> dict[str, Callable[[], Iterator[Comparison]]]:
    """Every question that a formula names with patterns, and what compares the first such formula."""
    found: dict[str, Callable[[], Iterator[Comparison]]] = {}
    for formula in catalogue():
        for at, step in enumerate(formula.steps):
            if patterns_of(step.measured_by):
                found.setdefault(step.measured_by, partial(compared_step, formula, at))
        if patterns_of(formula.measured_by):
            found.setdefault(formula.measured_by, partial(compared, formula))
    return found


def misprinted(pattern: str) -> str:
    """A pattern with its last letter three times."""
    last = max(place for place, sign in enumerate(pattern) if sign.isalnum())
    return f"{pattern[:last]}{pattern[last] * 2}{pattern[last:]}"


@pytest.mark.usefixtures("kept_findings")
def test_every_pattern_says_something_and_a_misprinted_one_is_found() -> None:
    """Of all questions of all formulas: none is idle as it stands, and each is found with a letter too many."""
    asked = asked_with_patterns()
    assert len(asked) > 150
    for name, compare in asked.items():
        places = list(islice(compare(), 2))
        if idle(name, places):  # the first subject has not what others have
            places = list(compare())
        assert idle(name, places) == "", name
        patterns = patterns_of(name)
        for place, pattern in enumerate(patterns):
            wrong = misprinted(pattern)
            others = with_patterns(name, (*patterns[:place], wrong, *patterns[place + 1 :]))
            assert idle(others, places) == wrong, name


# Yes and no


ASKED = [formula for formula in catalogue() if formula.measured_by and formula.statement.answers]
TURNED = {Le: Lt, Lt: Le, Ge: Gt, Gt: Ge}


def turned(claim: Equivalence) -> Equivalence:
    """The claim with its border on the other side: < in place of ≤ and the other way round."""
    left, right = (
        TURNED[side.func](*side.args, evaluate=False) if side.func in TURNED else side for side in claim.relations
    )
    return Equivalence(left, right)


@pytest.mark.usefixtures("kept_findings")
@pytest.mark.parametrize("formula", ASKED, ids=lambda formula: formula.name)
def test_a_question_is_asked_on_either_side_and_on_its_border(formula: Formula) -> None:
    """Each subject gives each answer that the claim can give, and where the border itself belongs is noticed."""
    for probe in probes_of(formula.measured_by, formula):
        heard = {one.measured for one in compared_with(formula, probe)}
        assert len(heard) == len(formula.statement.answers), probe.subject.name
    if isinstance(formula.statement, Equivalence):
        assert contradicted(replace(formula, claim=turned(formula.statement))) == "engine"


@pytest.mark.usefixtures("kept_findings")
def test_a_question_that_is_answered_alike_everywhere_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins: without the places on the other side, and without those on the border."""
    monkeypatch.setattr(comparison_at_places, "on_either_side", lambda *_: ())
    found = check_engine(catalogue()["hidden_transfer"])
    assert (found.verdict, found.summary) == (
        Verdict.UNDECIDED,
        "apart.is_handed_on_in_time of llama is answered by True everywhere",
    )
    monkeypatch.setattr(comparison_at_places, "on_the_border", lambda *_: ())
    formula = catalogue()["memory_bound_batches"]
    assert isinstance(formula.statement, Equivalence)
    assert contradicted(replace(formula, claim=turned(formula.statement))) == ""
