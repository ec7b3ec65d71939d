"""A whole is the sum of its parts: random mixtures of all kinds of blocks, held against what the engine counts"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import UNCOUNTED, mixtures, shared_by
from tiny_runs import absorbing

from reference_engine import Config, Decoder
from reference_engine.attention.compressed import Compression
from reference_engine.attention.heads import HEADS
from reference_engine.attention.latent import Latent
from reference_engine.ledger import Ledger
from reference_engine.probes import probes
from reference_engine.probes.ledger_selections import CACHES_READ, MULTIPLIED, STATE_MOVED, WITH_CONTEXT
from symbolic_llm import Model, explain
from symbolic_llm.answers.resolution import reach
from symbolic_llm.checks.steps import check_steps
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.errors import ConditionViolated, InvalidModel, NoSolution
from symbolic_llm.expressions.exact import exact
from symbolic_llm.formula import Formula
from symbolic_llm.models.cache_kind import TELLING
from symbolic_llm.models.caches_and_states import NEVER, ONCE, kinds, sums_of_prompts, value_of
from symbolic_llm.models.own_formulas import own
from symbolic_llm.notation import LETTERS, P, P_total, n_reduces, named
from symbolic_llm.witness.decoders import findings, model_of, owners
from symbolic_llm.witness.letters import in_parameters
from symbolic_llm.witness.subjects import COUNTED, PARTS, parameter


def model(config: Config) -> Model:
    try:
        return model_of(config, "drawn")
    except InvalidModel as error:  # some of its biases, heads of two kinds with norms of their own: no kind of block
        assume(not UNCOUNTED.search(str(error)))
        raise


def says(letter: str | Formula, of: Model, **given: Any) -> Fraction:
    """The value of the model's own formula for a letter."""
    return Fraction(explain(letter, model=of, **given).exact)


def counted(decoder: Decoder, *counts: Any) -> int:
    """Bytes or operations of some selections of a decoder's ledger."""
    return of(decoder.ledger, *counts)


def of(ledger: Ledger, *counts: Any) -> int:
    """Bytes or operations of some selections of a ledger."""
    return int(sum(sum(selection.of(ledger)) for count in counts for selection in count.selections))


@st.composite
def with_biases(draw: st.DrawFn) -> Config:
    """A mixture with biases in some of its matrices, where formulas know them."""
    config = draw(mixtures())
    kinds: list[tuple[str, ...]] = [] if config.n_shared else [config.mlp]
    if config.attention == HEADS and not (config.d_value or config.n_kv_full or config.n_sharing):
        kinds += [("query", "key", "value"), ("output",)]
    if config.n_experts:
        kinds.append(("router",))
    biases = tuple(name for kind in kinds if draw(st.booleans()) for name in kind)
    return replace(config, biases=biases, output_bias=not config.tied and draw(st.booleans()))


@given(with_biases())
def test_every_weight_belongs_to_one_part(config: Config) -> None:
    """And a part's are as many as its formula counts."""
    assert not list(findings(model(config), config))


@given(with_biases(), st.data())
def test_a_weight_that_nobody_counts_is_found(config: Config, data: st.DataObject) -> None:
    """So is one that two parts count: a model without one of its parts, or with a copy more, is no partition."""
    whole = model(config)
    place = data.draw(st.integers(0, len(whole.parts) - 1))
    part = whole.parts[place]
    without = replace(whole, parts=(*whole.parts[:place], *whole.parts[place + 1 :]))
    more = replace(whole, parts=(*whole.parts, replace(part, stored=1, multiplied=0)))
    assert list(findings(without, config))
    assert list(findings(more, config))


def test_a_weight_of_two_parts_is_found() -> None:
    """A router beside which the very same is claimed once more."""
    config = Config(1, 1, 2, 3, n_experts=2, n_active=1, norm="rms", gated=True)
    whole = model(config)
    twice = replace(whole, parts=(*whole.parts, *(replace(part, kind="mlp") for part in whole.parts)))
    assert any("both" in found for found in findings(twice, config))
    assert all(len(pieces) == 1 for pieces in owners(whole, config).values())


@given(mixtures(), st.integers(1, 12))
def test_totals_are_those_of_the_engine(config: Config, context: int) -> None:
    """Weights stored and multiplied; bytes kept and moved of a sequence, and operations with it, in a decoding step."""
    whole, decoder = model(config), Decoder(config)
    widths = {"n_bytes_kv": str(Fraction(config.cache.n_bytes))}
    assert says("P_total", whole) == sum(prod(weight.shape) for weight in decoder.weights.values())
    decoder.start(1, context)
    held = decoder.ledger.footprint("cache.*") + decoder.ledger.footprint("states.*")
    assert says("M_seq", whole, N=context, **widths) == held
    if isinstance(config.attention, Latent) and not config.attention.absorbed:
        return  # it makes keys and values of all that is kept: expanded_decode_flops
    decoder.context = context - 1
    decoder.ledger.clear()
    decoder.decode(np.zeros(1, int))
    assert 2 * says("P", whole) == counted(decoder, MULTIPLIED)
    assert says("C_seq", whole, N=context) == counted(decoder, WITH_CONTEXT)
    if not isinstance(config.attention, Compression):
        assert says("D_seq", whole, N=context, **widths) == counted(decoder, CACHES_READ, STATE_MOVED)
    else:  # what waits is read in some steps only, and counted in the mean: waiting_bytes_read
        waits = says("waiting_bytes_read", whole, **widths)
        entries = decoder.ledger.total("loaded", "*.cache") + decoder.ledger.total("loaded", "*.entries")
        assert says("D_seq", whole, N=context, **widths) - waits == entries


@given(mixtures(), st.integers(1, 9))
def test_prompts_are_those_of_the_engine(config: Config, context: int) -> None:
    """Bytes that a prefill moves of a sequence, and operations of its tokens with each other, masked ones too.

    Where kernels skip what is masked, each token does what it does alone, after those before it.
    """
    config = absorbing(config, False)
    whole, decoder = model(config), Decoder(config)
    widths = {"n_bytes_kv": str(Fraction(config.cache.n_bytes))}
    decoder.ledger.clear()
    decoder.prefill(np.zeros(context, int))
    full = whole.of_prompts(causal=False)[named("C_prompt")]
    assert says(full, whole, N=context) * context == counted(decoder, WITH_CONTEXT)
    read = counted(decoder, CACHES_READ, STATE_MOVED)
    read += decoder.ledger.total("loaded", "*.entries") if isinstance(config.attention, Compression) else 0
    assert says("D_prompt", whole, N=context, **widths) == read
    if isinstance(config.attention, Latent):
        return  # alone, a token makes keys and values of all that is kept: expanded_decode_flops
    one_by_one = Decoder(config)
    one_by_one.start(1, context)
    for _ in range(context):
        one_by_one.decode(np.zeros(1, int))
    assert says("C_prompt", whole, N=context) * context == counted(one_by_one, WITH_CONTEXT)


@given(mixtures(), st.integers(1, 4), st.integers(1, 9))
def test_a_devices_part_is_that_of_the_engine(config: Config, devices: int, context: int) -> None:
    """Weights multiplied and held, bytes kept and moved, operations, all-reduces: of a device, in the mean over all."""
    sizes = {name: max(getattr(config, name), devices) for name in ("n_vocab", "d_ff", "d_expert")}
    sizes["sharing_width"] = sizes["d_ff"] * (config.sharing_width // config.d_ff)
    sizes["n_vocab_block"] = sizes["n_vocab"]
    config = replace(config, **sizes, d_shared=0, joint_norms=False)
    whole = model(config)
    shared = shared_by(devices, config)
    ledgers = [share.ledger for share in shared.shares]
    loaded = {"n_tensor": devices, "n_bytes_kv": str(Fraction(config.cache.n_bytes)), "N": context}

    def mean(what: Callable[[Ledger], int]) -> Fraction:
        return Fraction(sum(map(what, ledgers)), devices)

    def of_device(letter: str) -> Fraction:
        """The model's value for a device, from as much of what it depends on as is known."""
        formula = whole.formula_for(named(letter))
        depends = {symbol.name for symbol in reach(formula, whole.formulas_for(formula))}
        return says(letter, whole, **{name: value for name, value in loaded.items() if name in depends})

    weights = sum(prod(weight.shape) for share in shared.shares for weight in share.weights.values())
    if config.tied:  # tokens are looked up in the rows of whoever has them: no device needs another copy
        weights -= devices * config.n_vocab * config.d_embedding
    assert of_device("P_held") == Fraction(weights, devices)
    shared.start(1, context)
    held = mean(lambda ledger: ledger.footprint("cache.*") + ledger.footprint("states.*"))
    assert of_device("M_seq_device") == held
    if isinstance(config.attention, Latent) and not config.attention.absorbed:
        return
    shared.context = context - 1
    for ledger in ledgers:
        ledger.clear()
    shared.decode(np.zeros(1, int))
    assert 2 * of_device("P_device") == mean(lambda ledger: of(ledger, MULTIPLIED))
    assert of_device("C_seq_device") == mean(lambda ledger: of(ledger, WITH_CONTEXT))
    moved = mean(lambda ledger: of(ledger, CACHES_READ, STATE_MOVED))
    if isinstance(config.attention, Compression):
        waits = says("waiting_bytes_read", whole, n_bytes_kv=loaded["n_bytes_kv"])
        moved = waits + mean(lambda ledger: ledger.total("loaded", "*.cache") + ledger.total("loaded", "*.entries"))
    assert of_device("D_seq_device") == moved
    messages = sum(ledger.total("messages") for ledger in ledgers)
    reduces = says("n_reduces" if whole.picked(n_reduces) else "all_reduces", whole)
    assert messages == reduces * 2 * devices * (devices - 1)


# The laws in the context, for every kind


@st.composite
def kept(draw: st.DrawFn) -> frozenset[str]:
    """The letters that tell what a decoder keeps: any kinds that can stand beside each other."""
    latent, compressed = draw(st.sampled_from(((True, False), (False, True), (False, False))))
    if compressed:
        return frozenset({"n_blocks", "r_csa"})
    found = {"n_blocks", *(["d_latent"] if latent else [])}
    beside = ((), ("n_local",), ("n_global", "n_local"), ("n_global", "n_state"), ("n_global", "n_conv"))
    found |= set(draw(st.sampled_from(beside)))
    if latent:
        found -= {"n_state", "n_conv"}
        found |= {"n_index"} if "n_local" not in found and draw(st.booleans()) else set()
    else:
        if "n_local" in found and "n_global" in found and draw(st.booleans()):
            found |= {"n_kv_full", "d_head_full"} | draw(st.sets(st.sampled_from(("n_state", "n_conv"))))
        found |= {"d_value"} if draw(st.booleans()) else set()
        if draw(st.booleans()):
            found |= {f"{name}_own" for name in ("n_local", "n_global") if name in found}
            found |= {"n_global_own"} if "n_global_own" not in found and "n_local" not in found else set()
    return frozenset(found)


ANY = st.integers(1, 9)


def by_letter(letters: frozenset[str]) -> dict[Any, Formula]:
    """The sums and laws of a decoder that keeps what has these letters."""
    return {formula.quantity: formula for formula in own(letters)}


def values(draw: Any, formulas: Any) -> dict[Any, Fraction]:
    """Values for all letters below some formulas."""
    letters = {s for formula in formulas for s in formula.rhs.free_symbols}
    letters |= {s for formula in formulas for c in formula.where for s in c.relation.free_symbols}
    return {s: Fraction(draw(ANY)) for s in LETTERS if s in letters}


@given(kept(), st.data())
def test_an_answer_takes_as_long_as_its_steps(letters: frozenset[str], data: st.DataObject) -> None:
    """The sum over its steps, one by one; where the conditions hold, no step waits for its arithmetic."""
    by = by_letter(letters)
    decode = by[named("T_decode")]
    at = values(data.draw, [decode, by[named("D_seq")], by[named("C_seq")]])
    at |= {
        named(name): Fraction(data.draw(st.integers(least, 40))) for name, least in (("N", 0), ("n_new", 1), ("P", 1))
    }
    at |= {
        named("D_weights"): Fraction(data.draw(st.integers(1, 10**6))),
        named("F"): Fraction(data.draw(st.integers(1, 10**5))),
    }
    context, new = int(at[named("N")]), int(at[named("n_new")])
    moved, longest = Fraction(0), Fraction(-1)
    for step in range(1, new + 1):
        now = at | {named("N"): Fraction(context + step)}
        bytes_, flops = exact(by[named("D_seq")].rhs, now), exact(by[named("C_seq")].rhs, now)
        memory = (now[named("D_weights")] + now[named("B")] * bytes_) / now[named("W")]
        compute = now[named("B")] * (2 * now[named("P")] + flops) / now[named("F")]
        moved, longest = moved + memory, max(longest, compute - memory)
    assert exact(decode.rhs, at) == moved
    if all(exact(condition.relation, at) for condition in decode.where):
        assert longest <= 0
    elif "r_csa" not in letters:
        assert longest > 0, "the conditions say no more than is needed"


@given(kept(), st.data())
def test_a_causal_prompt_is_its_tokens_one_by_one(letters: frozenset[str], data: st.DataObject) -> None:
    """Each with what a new token meets, as the passes of prompts make keys and values of it."""
    formula = next(one for one in sums_of_prompts(letters) if one.quantity == named("C_prompt"))
    at = values(data.draw, [formula]) | {named("N"): Fraction(data.draw(st.integers(1, 40)))}
    every = Fraction(0)
    for context in range(1, int(at[named("N")]) + 1):
        for one in kinds(letters):
            if one.prompt_work is not None and one.met != NEVER:
                tokens = 1 if one.met == ONCE else exact(one.met[0], at | {named("N"): Fraction(context)})
                every += exact(value_of(one, one.prompt_work), at) * tokens
    assert at[named("N")] * exact(formula.rhs, at) == every
    assert check_steps(formula).verdict is Verdict.PROVED


@given(kept(), st.data())
def test_the_longest_context_fits_and_no_longer_one(letters: frozenset[str], data: st.DataObject) -> None:
    by = by_letter(letters)
    fitting = by.get(named("N_fit"))
    assume(fitting is not None)
    assert fitting is not None
    at = values(data.draw, [fitting, by[named("M_seq")]]) | {named("M"): Fraction(data.draw(st.integers(1, 10**5)))}
    assume(all(exact(condition.relation, at) for condition in fitting.where))
    longest = exact(fitting.rhs, at)

    def fits(context: Fraction) -> bool:
        held = exact(by[named("M_seq")].rhs, at | {named("N"): context})
        return bool(held * at[named("B")] + at[named("P_total")] * at[named("n_bytes")] <= at[named("M")])

    assert longest < 1 or fits(longest)
    assert not fits(longest + 1)


@given(kept(), st.data())
def test_beyond_the_critical_context_reading_takes_longer(letters: frozenset[str], data: st.DataObject) -> None:
    by = by_letter(letters)
    critical = by.get(named("N_critical"))
    assume(critical is not None)
    assert critical is not None
    at = values(data.draw, [critical, by[named("D_seq")], by[named("C_seq")]])
    at |= {named(name): Fraction(data.draw(st.integers(1, 10**6))) for name in ("P", "F")}
    assume(all(exact(condition.relation, at) for condition in critical.where))
    where = exact(critical.rhs, at)

    def longer(context: Fraction) -> Fraction:
        now = at | {named("N"): context}
        moved, flops = exact(by[named("D_seq")].rhs, now), exact(by[named("C_seq")].rhs, now)
        return Fraction(moved / at[named("W")] - (2 * at[named("P")] + flops) / at[named("F")])

    assert longer(where) == 0
    assert longer(where + 1) > 0
    assert longer(where * Fraction(9, 10)) < 0


EVERY_KIND = [
    *({"n_blocks"}, {"n_blocks", "n_local"}, {"n_blocks", "n_local", "n_global"}, {"n_blocks", "r_csa"}),
    *({"n_blocks", "n_global", "n_state"}, {"n_blocks", "n_local", "n_global", "n_state"}),
    *(
        {"n_blocks", "n_global", "n_conv"},
        {"n_blocks", "n_local", "n_conv"},
        {"n_blocks", "n_global", "n_state", "n_conv"},
    ),
    *({"n_blocks", "d_latent"}, {"n_blocks", "d_latent", "n_index"}, {"n_blocks", "d_latent", "n_local", "n_global"}),
    {"n_blocks", "n_local", "n_global", "n_kv_full", "d_head_full"},
    *({"n_blocks", "n_global_own"}, {"n_blocks", "n_local", "n_global", "n_local_own", "n_global_own"}),
    *({"n_blocks", "d_value"}, {"n_blocks", "n_local", "n_global", "n_kv_full", "d_head_full", "d_value"}),
]


@pytest.mark.parametrize("letters", EVERY_KIND, ids=lambda letters: "-".join(sorted(letters)))
def test_the_steps_of_every_sum_give_it(letters: set[str]) -> None:
    """The steps of every sum check as those of any formula: each rule gives the result that stands there."""
    formulas = own(frozenset(letters))
    assert len(formulas) >= 9
    for formula in formulas:
        assert check_steps(formula).verdict is Verdict.PROVED, formula.module
    assert {one.kind for one in kinds(letters)}
    assert letters <= set(TELLING)


# The kinds of decoders that questions are put to


@pytest.mark.parametrize("kind", COUNTED)
def test_the_weights_of_a_kind_are_those_of_the_engine(kind: str) -> None:
    """Its sums in letters, with other numbers each time, stored and multiplied."""
    for letter, question in ((P, "weights.multiplied"), (P_total, "weights.stored")):
        formula = next(one for one in COUNTED[kind] if one.quantity == letter)
        (probe,) = probes(f"{kind}/{question}")
        for shift in (0, 1):
            at = {name: 2 + (place + shift) % 3 for place, name in enumerate(probe.parameters)}
            at |= {"n_bytes_2": 4} if kind == "kept" else {}  # weights are counted off 32 bits
            given_ = {parameter(name): Fraction(value) for name, value in at.items()}
            assert exact(in_parameters(formula, probe, formula.rhs), given_) == probe.ask(**at)
    assert kind in PARTS or len(COUNTED[kind]) >= 2


def test_all_operations_are_counted_of_heads_alone() -> None:
    """A decoder like LLaMA is one, and the same with latent attention is none."""
    usual = {"norm": "rms", "gated": True, "activation": "silu", "positions": "rotary"}
    llama = Config(1, 2, 4, 5, **usual)
    assert model(llama).counted_as == "llama"
    assert model(replace(llama, attention=Latent(3, 2))).counted_as == ""


def test_what_no_law_says_has_a_reason() -> None:
    """An answer of DeepSeek-V4 whose entries take longer to compute with than to read."""
    with pytest.raises((ConditionViolated, NoSolution), match="longer"):
        explain("T_decode", model="deepseek-v4-flash", hardware="a10", dtype="fp16", N=10, n_new=2, B=10**5)


UNDRAWN = {
    "ends": "formats, which other tests draw",
    "routing": "who is sent where, which costs nothing",
    "caches_heads": "another cache of latent attention, which one formula counts and no sum, and its question draws",
    "offloaded": "where weights lie, of which no sum tells, and its questions draw",
    "context_length": "a limit, beyond which nothing is asked",
}


def undrawn(drawing: str) -> set[str]:
    """Fields of a configuration, and of latent attention, that a source never names."""
    named = (field.name for of in (Config, Latent) for field in fields(of))
    return {name for name in named if not re.search(rf"\b{name}\b", drawing)}


def test_every_switch_is_drawn() -> None:
    """A decoder that nobody draws is held against nothing; the twin: a switch that is left out is seen."""
    drawing = Path(strategies.__file__).read_text(encoding="utf-8")
    assert undrawn(drawing) == UNDRAWN.keys()
    assert undrawn(drawing.replace("keys_as_values", "")) == {*UNDRAWN, "keys_as_values"}
