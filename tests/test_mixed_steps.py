"""Mixed steps of any decoder: random mixtures of all kinds of blocks, on one device and several, against the engine"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kinds import of_each_kind
from strategies import UNCOUNTED, mixtures, shared_by
from tiny_runs import absorbing

from reference_engine import Config, Decoder
from reference_engine.attention.compressed import Compression
from reference_engine.formats import F32
from reference_engine.ledger import Ledger
from reference_engine.parallel import TensorParallel
from reference_engine.probes.ledger_selections import CACHES_READ, MULTIPLIED, READ, STATE_MOVED, WITH_CONTEXT
from reference_engine.recurrent.convolution import Convolution
from symbolic_llm import catalogue, explain
from symbolic_llm.algebra import Rational
from symbolic_llm.checks.report import check_formula
from symbolic_llm.checks.steps import check_steps
from symbolic_llm.checks.theorems import check_theorem
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.claims import Implication, Kind
from symbolic_llm.errors import ConditionViolated, InvalidModel, InvalidValue
from symbolic_llm.models import Model, caches_and_states, mixed_steps
from symbolic_llm.models.device_weights import OF_CHUNKS
from symbolic_llm.models.mixed_steps import LAWS, MIXED_STEP
from symbolic_llm.notation import (
    D_weights_mixed,
    F,
    N_prompt,
    T_chunk,
    T_chunk_parts,
    T_chunk_parts_device,
    T_mixed,
    T_mixed_parts,
    T_mixed_parts_device,
    T_target,
    n_chunk,
    n_distinct_mixed,
    n_window,
)
from symbolic_llm.presets import model as preset
from symbolic_llm.steps import premise, weaken
from symbolic_llm.unevaluated import Eq, Le
from symbolic_llm.witness.decoders import model_of

ENDLESS = 10**30  # a rate beside which what it divides takes no time
# Operations and bytes a second: at some both parts wait for one of the two, at others each for another
RATES = ((1, 1), (2, 1), (7, 2), (12, 1), (ENDLESS, 1), (1, ENDLESS))


def counted(ledger: Ledger, *counts: Any) -> int:
    return int(sum(sum(selection.of(ledger)) for count in counts for selection in count.selections))


class Counts(NamedTuple):
    """Counts of a pass: operations of matrices and with the context, bytes of weights and of what is kept."""

    matrices: Any
    context: Any
    weights: Any
    kept: Any

    @property
    def sums(self) -> tuple[Any, Any]:
        """Operations, and bytes, of both together."""
        return self.matrices + self.context, self.weights + self.kept

    def by_parts(self, F: int, W: int) -> Fraction:
        """Seconds of the matrices and then of attention, at these rates."""
        first = max(Fraction(self.matrices, F), Fraction(self.weights, W))
        return first + max(Fraction(self.context, F), Fraction(self.kept, W))


def mean(counts: list[Counts]) -> Counts:
    return Counts(*(Fraction(sum(each), len(counts)) for each in zip(*counts, strict=True)))


def counts_of(ledger: Ledger) -> Counts:
    return Counts(*(counted(ledger, count) for count in (MULTIPLIED, WITH_CONTEXT, READ)), _of_sequences(ledger))


def run(decoder: Any, batch: int, context: int, chunk: int, before: int) -> list[Counts]:
    """A decoding step of a batch, then a chunk of a prompt of which some is cached: counts of each device.

    The weights are read once, by the first; where every expert works, the second reads no others.
    """
    ledgers = [share.ledger for share in getattr(decoder, "shares", [decoder])]
    decoder.start(batch, context)
    decoder.context = context - 1
    for ledger in ledgers:
        ledger.clear()
    decoder.decode(np.zeros(batch, int))
    first = [counts_of(ledger.taken()) for ledger in ledgers]
    _extended(decoder, ledgers, 1, chunk, before)
    pairs = zip(first, map(counts_of, ledgers), strict=True)
    return [
        Counts(*(x + y for x, y in zip(one, other, strict=True)))._replace(weights=one.weights) for one, other in pairs
    ]


def _extended(decoder: Any, ledgers: list[Ledger], batch: int, chunk: int, before: int) -> None:
    """A pass over the last tokens of prompts of which some are cached, and nothing else in the ledgers."""
    decoder.start(batch, before + chunk)
    decoder.context = before
    for ledger in ledgers:
        ledger.clear()
    decoder.extend(np.zeros((batch, chunk), int))


def _of_sequences(ledger: Ledger) -> int:
    """Bytes of caches, entries and states; what waits for its run is left out."""
    return counted(ledger, CACHES_READ, STATE_MOVED) + ledger.total("loaded", "*.entries")


def times(letter: str, of: Model, config: Config, rates: Iterable[tuple[int, int]], **given: Any) -> list[Fraction]:
    """Times of a pass at each of some rates, without what the all-reduces take."""
    is_mixed = letter.startswith("T_mixed")
    given |= {"n_bytes": str(Fraction(config.weights.n_bytes)), "n_bytes_kv": str(Fraction(config.cache.n_bytes))}
    links = {"n_bytes_act": 4, "W_link": 1, "T_link": 1}
    sent = Fraction(0)
    if "n_tensor" in given:
        given |= links
    if given.get("n_tensor", 1) > 1:  # alone it sends nothing, and nothing takes no time
        tokens = given["B"] + given["n_chunk"] if is_mixed else given["B"] * given["n_chunk"]
        sent = Fraction(explain("all_reduce_time", model=of, n_tensor=given["n_tensor"], B=tokens, **links).exact)
    return [Fraction(explain(letter, model=of, F=F, W=W, **given).exact) - sent for F, W in rates]


def waiting(of: Model, config: Config, batch: int) -> Fraction:
    """Bytes read of what waits for its run: a mean over all steps, of which each sequence that decodes has one."""
    if not isinstance(config.attention, Compression):
        return Fraction(0)
    own = explain("waiting_bytes_read", model=of, n_bytes_kv=str(Fraction(config.cache.n_bytes)))
    return batch * Fraction(own.exact)


def says(letter: str, of: Model, config: Config, **given: Any) -> tuple[Fraction, Fraction]:
    """Operations, and bytes, of a pass: its time where the other takes none; what waits for its run is left out."""
    flops, nbytes = times(letter, of, config, ((1, ENDLESS), (ENDLESS, 1)), **given)
    return flops, nbytes - waiting(of, config, given["B"] if letter.startswith("T_mixed") else 0)


def by_parts(counts: Counts, letter: str, of: Model, config: Config, **given: Any) -> bool:
    """Whether a law part by part gives the time of these counts, whatever matrices and attention wait for."""
    met = waiting(of, config, given["B"] if letter.startswith("T_mixed") else 0)
    counts = counts._replace(kept=counts.kept + met)
    found = times(letter, of, config, RATES, **given)
    return found == [counts.by_parts(F, W) for F, W in RATES]


def drawn(config: Config) -> tuple[Model, Config]:
    """A model, where every expert works on every token."""
    config = absorbing(replace(config, n_active=config.n_experts), True)
    if isinstance(config.states, Convolution):  # biases are read beside matrices, and are no part of them
        config = replace(config, states=replace(config.states, biases=False))
    try:
        return model_of(config, "drawn"), config
    except InvalidModel as error:
        assume(not UNCOUNTED.search(str(error)))
        raise


SMALL, SEVERAL = st.integers(1, 6), st.integers(2, 6)  # a single token picks for itself alone, as a new one does


@given(mixtures(), SMALL, SMALL, SEVERAL, st.integers(0, 6))
def test_a_mixed_step_is_that_of_the_engine(config: Config, batch: int, context: int, chunk: int, before: int) -> None:
    whole, config = drawn(config)
    (counts,) = run(Decoder(config), batch, context, chunk, before)
    given_ = {"N": context, "B": batch, "n_chunk": chunk, "N_prompt": before + chunk}
    assert says("T_mixed", whole, config, **given_) == counts.sums
    assert by_parts(counts, "T_mixed_parts", whole, config, **given_)


def dealt(config: Config, devices: int) -> tuple[Model, Config, TensorParallel]:
    """A mixture that several devices can share, and its decoder on them."""
    sizes = {name: max(getattr(config, name), devices) for name in ("n_vocab", "n_vocab_block", "d_ff", "d_expert")}
    whole, config = drawn(replace(config, **sizes, d_shared=0, joint_norms=False))
    return whole, config, shared_by(devices, config)


@given(mixtures(), st.integers(1, 4), SMALL, SMALL, SEVERAL, st.integers(0, 6))
def test_so_it_is_on_several_devices(
    config: Config, devices: int, batch: int, context: int, chunk: int, before: int
) -> None:
    """In the mean over the devices, and all-reduces are those of as many sequences."""
    whole, config, shared = dealt(config, devices)
    counts = mean(run(shared, batch, context, chunk, before))
    given_ = {"N": context, "B": batch, "n_chunk": chunk, "N_prompt": before + chunk, "n_tensor": devices}
    assert says("T_mixed_device", whole, config, **given_) == counts.sums
    assert by_parts(counts, "T_mixed_parts_device", whole, config, **given_)


def run_alone(decoder: Any, batch: int, chunk: int, before: int) -> list[Counts]:
    """The last tokens of the prompts of a batch, the others being cached: counts of each device."""
    ledgers = [share.ledger for share in getattr(decoder, "shares", [decoder])]
    _extended(decoder, ledgers, batch, chunk, before)
    return [*map(counts_of, ledgers)]


@given(mixtures(), SMALL, SEVERAL, st.integers(1, 6))
def test_a_prompt_that_is_cached_in_part_is_that_of_the_engine(
    config: Config, batch: int, chunk: int, before: int
) -> None:
    """Of any kinds of blocks: what is cached meets no matrix, and is read."""
    whole, config = drawn(config)
    given_ = {"B": batch, "n_chunk": chunk, "N_prompt": before + chunk}
    (counts,) = run_alone(Decoder(config), batch, chunk, before)
    assert says("T_chunk", whole, config, **given_) == counts.sums
    assert by_parts(counts, "T_chunk_parts", whole, config, **given_)


@given(mixtures(), st.integers(1, 4), SMALL, SEVERAL, st.integers(1, 6))
def test_so_is_one_that_several_devices_share(
    config: Config, devices: int, batch: int, chunk: int, before: int
) -> None:
    """In the mean over the devices, and all-reduces are those of as many sequences as there are new tokens."""
    whole, config, shared = dealt(config, devices)
    counts = mean(run_alone(shared, batch, chunk, before))
    given_ = {"B": batch, "n_chunk": chunk, "N_prompt": before + chunk, "n_tensor": devices}
    assert says("T_chunk_device", whole, config, **given_) == counts.sums
    assert by_parts(counts, "T_chunk_parts_device", whole, config, **given_)


@pytest.mark.parametrize("name", of_each_kind())
def test_every_preset_has_mixed_steps_whose_steps_check(name: str) -> None:
    found = preset(name)
    assert {*OF_CHUNKS} == LAWS.keys()
    for letter in OF_CHUNKS:
        formula = found.formula_for(letter)
        for one in (formula, *(one for one in found.formulas_for(formula) if one.of_parts)):
            assert check_steps(one).verdict is Verdict.PROVED, one.module


MIXTRAL = preset("mixtral-8x7b")


def test_experts_that_only_the_chunk_picks_are_read() -> None:
    """A mixed step of 9 tokens reads the experts of a step of 9 sequences, in one format and in those of a file."""
    law = MIXTRAL.formula_for(T_mixed)
    found = {used.quantity for one in (law, *MIXTRAL.formulas_for(law)) for used in (one, *one.closure())}
    assert {n_distinct_mixed, D_weights_mixed} <= found
    one = {"hardware": "h100-sxm", "N": 1, "n_chunk": 7, "N_prompt": 7, "F": ENDLESS, "W": 1}
    for weights in ("bf16", "q4_k_m"):
        read = Fraction(explain("weight_bytes_read", model="mixtral-8x7b", weights=weights, B=9).exact)
        whole = Fraction(explain("T_mixed", model="mixtral-8x7b", B=2, weights=weights, cache="bf16", **one).exact)
        caches = Fraction(explain("kv_bytes_per_token", model="mixtral-8x7b", cache="bf16").exact) * (2 * 1 + 7)
        assert whole == read + caches


@pytest.mark.parametrize("weights", ["bf16", "q4_k_m"])
def test_experts_that_no_new_token_picks_are_not_read(weights: str) -> None:
    """Experts that are read where all but 7 tokens of 2 prompts are cached: as many as by a step of 14 sequences."""
    asked = {"model": "mixtral-8x7b", "weights": weights}
    read = Fraction(explain("weight_bytes_read", B=14, **asked).exact)
    caches = Fraction(explain("kv_bytes_per_token", model="mixtral-8x7b", cache="bf16").exact) * 2 * 100
    at = {"hardware": "h100-sxm", "cache": "bf16", "n_chunk": 7, "N_prompt": 100, "F": ENDLESS, "W": 1}
    assert Fraction(explain("T_chunk", B=2, **asked, **at).exact) == read + caches


def test_the_plain_decoder_keeps_its_formula() -> None:
    """The general law says the same of it, to the last digit."""
    plain = preset("llama-3-8b")
    assert plain.formula_for(T_mixed).name == "mixed_step_time"
    at = {"N": 17, "B": 3, "n_chunk": 5, "N_prompt": 9, "hardware": "a100-80gb-sxm", "dtype": "fp16"}
    assert explain(MIXED_STEP, model=plain, **at).exact == explain("mixed_step_time", model=plain, **at).exact
    with pytest.raises(ConditionViolated, match="T_mixed"):
        explain("mixed_step_time", model="mixtral-8x7b", **at)
    assert plain.formula_for(T_chunk).name == "cached_prefill_time"
    law, at = LAWS[T_chunk], {name: value for name, value in at.items() if name != "N"}
    assert explain(law, model=plain, **at).exact == explain("cached_prefill_time", model=plain, **at).exact


OF_ONE = [one for one in catalogue() if one.quantity is not None and {n_chunk, N_prompt} <= one.rhs.free_symbols]


@pytest.mark.parametrize("formula", [*LAWS.values(), *OF_ONE], ids=lambda one: str(one.name))
def test_a_chunk_is_no_longer_than_its_prompt(formula: Any) -> None:
    """The prompt's letter is where the chunk ends: one that is longer would begin before its prompt does."""
    named = {str(letter) for letter in formula.rhs.free_symbols}
    at: dict[str, Any] = {name: value for name, value in (("B", 3), ("n_tensor", 2), ("n_chunk", 9)) if name in named}
    at |= {"N": 17} if "mixed" in formula.name else {}
    at |= {"model": "llama-3-8b", "hardware": "a100-80gb-sxm", "dtype": "fp16"}
    assert explain(formula, N_prompt=9, **at).exact
    with pytest.raises(InvalidValue, match=r"^N_prompt .* must be at least n_chunk .*, but 8 is less than 9\.$"):
        explain(formula, N_prompt=8, **at)


def test_every_formula_of_a_chunk_is_there() -> None:
    """The twin: what the test above goes over."""
    assert {one.name for one in OF_ONE} == {"mixed_step_time", "separate_mixed_step_time", "cached_prefill_time"}


@pytest.mark.parametrize(("batch", "chunk"), [(3, 5), (300, 5), (3, 500), (300, 500)])
def test_the_plain_decoder_keeps_its_mixed_step_part_by_part(batch: int, chunk: int) -> None:
    plain = preset("llama-3-8b")
    assert plain.formula_for(T_mixed_parts).name == "separate_mixed_step_time"
    at = {"N": 1700, "B": batch, "n_chunk": chunk, "N_prompt": 900, "hardware": "a100-80gb-sxm", "dtype": "fp16"}
    own = explain("separate_mixed_step_time", model=plain, **at).exact
    assert explain(LAWS[T_mixed_parts], model=plain, **at).exact == own


@pytest.mark.parametrize("letter", [T_mixed_parts, T_chunk_parts])
@pytest.mark.parametrize("model", ["llama-3-8b", "mixtral-8x7b", "gemma-3-12b", "qwen3-next-80b-a3b"])
def test_one_device_is_several_of_which_there_is_one(letter: Any, model: str) -> None:
    """A single device has all of a model and sends nothing: one law, without the letters of links."""
    at = {"B": 24, "n_chunk": 300, "N_prompt": 900, "hardware": "h100-sxm", "dtype": "fp16"}
    at |= {"N": 1700} if letter == T_mixed_parts else {}
    several = explain(f"{letter}_device", model=model, n_tensor=1, **at).exact
    assert explain(str(letter), model=model, **at).exact == several


@pytest.mark.parametrize(("letter", "other"), [(T_mixed_parts, T_mixed), (T_chunk_parts, T_chunk)])
def test_a_pass_by_parts_lies_between_the_whole_and_twice_that(letter: Any, other: Any) -> None:
    """Of any decoder: solvers prove it, and refute that less than twice would do."""
    parts, whole = LAWS[letter].rhs, LAWS[other].rhs
    for less, more in ((whole, parts), (parts, 2 * whole)):
        theorem = replace(
            LAWS[letter],
            claim=Implication(Le(more, T_target), Le(less, T_target)),
            kind=Kind.THEOREM,
            steps=(premise(Le(more, T_target), "given"), weaken(Le(less, T_target), "so much less")),
        )
        assert check_theorem(theorem).verdict is Verdict.PROVED
    wrong = Implication(Le(whole * Rational(19, 10), T_target), Le(parts, T_target))
    assert check_theorem(replace(theorem, claim=wrong)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("letter", [T_mixed_parts, T_mixed_parts_device, T_chunk_parts, T_chunk_parts_device])
def test_a_fault_in_a_law_part_by_part_is_refuted(letter: Any) -> None:
    """The twin: a factor, a letter and a term changed in the claim, and a fault in a step."""
    law = LAWS[letter]
    assert check_steps(law).verdict is Verdict.PROVED
    matrices = law.steps[1].result
    term = law.steps[-1].operands[0]
    for wrong in (2 * law.rhs, law.rhs.xreplace({F: 2 * F}), law.rhs.xreplace({n_chunk: N_prompt}), law.rhs - term):
        faulty = replace(law, claim=Eq(letter, wrong))
        assert check_formula(faulty).verdict is Verdict.REFUTED
    steps = (law.steps[0], replace(law.steps[1], result=2 * matrices), *law.steps[2:])
    assert check_formula(replace(law, steps=steps)).verdict is Verdict.REFUTED


def test_a_window_that_reaches_less_far_back_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a chunk whose tokens all look back from the last of them."""
    config = Config(2, 2, 4, 5, windows=(3, None), weights=F32, cache=F32)
    whole, (counts,) = model_of(config, "drawn"), run(Decoder(config), 2, 5, 3, 4)
    given_ = {"N": 5, "B": 2, "n_chunk": 3, "N_prompt": 7}
    assert says("T_mixed", whole, config, **given_) == counts.sums
    assert by_parts(counts, "T_mixed_parts", whole, config, **given_)
    monkeypatch.setattr(caches_and_states, "_CHUNK_WINDOW", n_window)
    _forget()
    again = replace(whole, name="again")
    assert says("T_mixed", again, config, **given_) != counts.sums
    assert not by_parts(counts, "T_mixed_parts", again, config, **given_)
    _forget()


def _forget() -> None:
    """Have the sums of chunks made anew."""
    caches_and_states.sums_of_chunks.cache_clear()
    mixed_steps.sums_of_mixed.cache_clear()
