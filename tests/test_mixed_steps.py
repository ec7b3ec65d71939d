"""Mixed steps of any decoder: random mixtures of all kinds of blocks, on one device and several, against the engine"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kinds import of_each_kind
from strategies import UNCOUNTED, mixtures, shared_by

from reference_engine import Config, Decoder
from reference_engine.formats import F32
from reference_engine.ledger import Ledger
from reference_engine.parallel import TensorParallel
from reference_engine.probes.ledger_selections import CACHES_READ, MULTIPLIED, READ, STATE_MOVED, WITH_CONTEXT
from reference_engine.states import Convolution
from symbolic_llm import explain
from symbolic_llm.checks.steps import check_steps
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.errors import ConditionViolated, InvalidModel
from symbolic_llm.models import Model, caches_and_states, mixed_steps
from symbolic_llm.models.mixed_steps import LAWS, MIXED_STEP
from symbolic_llm.notation import (
    D_weights_mixed,
    T_chunk,
    T_chunk_device,
    T_mixed,
    T_mixed_device,
    n_distinct_mixed,
    n_window,
)
from symbolic_llm.presets import model as preset
from symbolic_llm.witness.decoders import model_of

ENDLESS = 10**30  # a rate beside which what it divides takes no time


def counted(ledger: Ledger, *counts: Any) -> int:
    return int(sum(selection.of(ledger).value for count in counts for selection in count.selections))


def run(decoder: Any, batch: int, context: int, chunk: int, before: int) -> list[tuple[int, int]]:
    """A decoding step of a batch, then a chunk of a prompt of which some is cached: operations and bytes, by device.

    The weights are read once, by the first; where every expert works, the second reads no others.
    """
    ledgers = [share.ledger for share in getattr(decoder, "shares", [decoder])]
    decoder.start(batch, context)
    decoder.context = context - 1
    for ledger in ledgers:
        ledger.clear()
    decoder.decode(np.zeros(batch, int))
    weights = [counted(ledger, READ) for ledger in ledgers]
    first = [ledger.taken() for ledger in ledgers]
    _extended(decoder, ledgers, 1, chunk, before)
    return [
        (
            sum(counted(each, MULTIPLIED, WITH_CONTEXT) for each in (one, ledger)),
            read + sum(_of_sequences(each) for each in (one, ledger)),
        )
        for read, one, ledger in zip(weights, first, ledgers, strict=True)
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


def says(letter: str, of: Model, config: Config, **given: Any) -> tuple[Fraction, Fraction]:
    """Operations, and bytes, of a mixed step: its time where the other takes none."""
    waits = Fraction(0)
    is_mixed = letter.startswith("T_mixed")
    if config.compression is not None and is_mixed:  # a mean over all steps, of which each sequence has one
        own = explain("waiting_bytes_read", model=of, n_bytes_kv=str(Fraction(config.cache.n_bytes)))
        waits = given["B"] * Fraction(own.exact)
    given |= {"n_bytes": str(Fraction(config.weights.n_bytes)), "n_bytes_kv": str(Fraction(config.cache.n_bytes))}
    links = {"n_bytes_act": 4, "W_link": 1, "T_link": 1}
    sent = Fraction(0)
    if "n_tensor" in given:
        given |= links
    if given.get("n_tensor", 1) > 1:  # alone it sends nothing, and nothing takes no time
        tokens = given["B"] + given["n_chunk"] if is_mixed else given["B"] * given["n_chunk"]
        sent = Fraction(explain("all_reduce_time", model=of, n_tensor=given["n_tensor"], B=tokens, **links).exact)
    flops, nbytes = (
        Fraction(explain(letter, model=of, F=F, W=W, **given).exact) for F, W in ((1, ENDLESS), (ENDLESS, 1))
    )
    return flops - sent, nbytes - sent - waits


def drawn(config: Config) -> tuple[Model, Config]:
    """A model, where every expert works on every token."""
    config = replace(config, n_active=config.n_experts, absorbed=True)
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
    expected = run(Decoder(config), batch, context, chunk, before)
    given_ = {"N": context, "B": batch, "n_chunk": chunk, "N_prompt": before + chunk}
    assert [says("T_mixed", whole, config, **given_)] == expected


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
    counts = run(shared, batch, context, chunk, before)
    flops, nbytes = (Fraction(sum(each), devices) for each in zip(*counts, strict=True))
    given_ = {"N": context, "B": batch, "n_chunk": chunk, "N_prompt": before + chunk, "n_tensor": devices}
    found = says("T_mixed_device", whole, config, **given_)
    assert found == (flops, nbytes)


def run_alone(decoder: Any, batch: int, chunk: int, before: int) -> list[tuple[int, int]]:
    """The last tokens of the prompts of a batch, the others being cached: operations and bytes of each device."""
    ledgers = [share.ledger for share in getattr(decoder, "shares", [decoder])]
    _extended(decoder, ledgers, batch, chunk, before)
    return [(counted(one, MULTIPLIED, WITH_CONTEXT), counted(one, READ) + _of_sequences(one)) for one in ledgers]


@given(mixtures(), SMALL, SEVERAL, st.integers(1, 6))
def test_a_prompt_that_is_cached_in_part_is_that_of_the_engine(
    config: Config, batch: int, chunk: int, before: int
) -> None:
    """Of any kinds of blocks: what is cached meets no matrix, and is read."""
    whole, config = drawn(config)
    given_ = {"B": batch, "n_chunk": chunk, "N_prompt": before + chunk}
    assert [says("T_chunk", whole, config, **given_)] == run_alone(Decoder(config), batch, chunk, before)


@given(mixtures(), st.integers(1, 4), SMALL, SEVERAL, st.integers(1, 6))
def test_so_is_one_that_several_devices_share(
    config: Config, devices: int, batch: int, chunk: int, before: int
) -> None:
    """In the mean over the devices, and all-reduces are those of as many sequences as there are new tokens."""
    whole, config, shared = dealt(config, devices)
    counts = run_alone(shared, batch, chunk, before)
    flops, nbytes = (Fraction(sum(each), devices) for each in zip(*counts, strict=True))
    given_ = {"B": batch, "n_chunk": chunk, "N_prompt": before + chunk, "n_tensor": devices}
    assert says("T_chunk_device", whole, config, **given_) == (flops, nbytes)


@pytest.mark.parametrize("name", of_each_kind())
def test_every_preset_has_mixed_steps_whose_steps_check(name: str) -> None:
    found = preset(name)
    for letter in (T_mixed, T_mixed_device, T_chunk, T_chunk_device):
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


def test_a_window_that_reaches_less_far_back_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: a chunk whose tokens all look back from the last of them."""
    config = Config(2, 2, 4, 5, windows=(3, None), weights=F32, cache=F32)
    whole, counts = model_of(config, "drawn"), run(Decoder(config), 2, 5, 3, 4)
    given_ = {"N": 5, "B": 2, "n_chunk": 3, "N_prompt": 7}
    assert [says("T_mixed", whole, config, **given_)] == counts
    monkeypatch.setattr(caches_and_states, "_CHUNK_WINDOW", n_window)
    _forget()
    assert [says("T_mixed", replace(whole, name="again"), config, **given_)] != counts
    _forget()


def _forget() -> None:
    """Have the sums of chunks made anew."""
    caches_and_states.sums_of_chunks.cache_clear()
    mixed_steps.sums_of_mixed.cache_clear()
