"""States that do not grow: the engine holds them, the formulas say how large they are, other software agrees"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reference_engine import Config, Decoder
from reference_engine.config import InvalidConfig
from reference_engine.formats import F16, F32
from reference_engine.memory import Machine, OutOfMemory
from reference_engine.recurrent.convolution import Convolution
from reference_engine.recurrent.states import States
from symbolic_llm import Model, Sizing, evaluate, explain, presets
from symbolic_llm.architecture import lacking
from symbolic_llm.catalogue import catalogue
from symbolic_llm.errors import ConditionViolated, InvalidModel
from symbolic_llm.formulas.shared import there_and_back
from symbolic_llm.models.caches_and_states import sums
from symbolic_llm.notation import D_seq
from symbolic_llm.witness.comparison_at_places import comparisons
from symbolic_llm.witness.letters import probes_of

DATA = Path(__file__).parent / "data"
HYBRIDS = [row for row in json.loads((DATA / "models_odd.json").read_text())["models"] if row.get("recurrent_state")]
WILD = {row["name"]: row for row in json.loads((DATA / "models_wild.json").read_text())["models"]}
TOKENS = [3, 1, 4, 1, 5, 9, 2]


def hybrid(rule: Any, **states: Any) -> Config:
    """Two blocks with a state, or that are a convolution, and one that attends."""
    if rule == "convolution":
        made: Any = Convolution(5, 4, True, (True, True, False))
    else:
        shapes: dict[str, Any] = {"n_heads": 4, "n_groups": 2, "n_key": 3, "n_value": 5, "kernel": 4}
        made = States(rule, **(shapes | {"blocks": (True, True, False)} | states))
    return Config(
        3, 2, 4, 11, F32, F16, F32, d_model=6, norm="rms", gated=True, activation="silu", positions="rotary",
        states=made,
    )  # fmt: skip


@pytest.mark.parametrize("rule", ["delta", "mamba", "convolution"])
def test_a_state_is_all_that_a_step_needs(rule: str) -> None:
    """Token by token, with nothing but the state and the last inputs, it answers as in one pass."""
    decoder = Decoder(hybrid(rule), seed=1)
    whole = decoder.prefill(TOKENS)
    decoder.prefill(TOKENS[:2], capacity=len(TOKENS))
    for token, logits in zip(TOKENS[2:], whole[2:], strict=True):
        assert_allclose(decoder.decode(token), logits, rtol=0, atol=2e-3)  # inputs are kept in 16 bits


@pytest.mark.parametrize(
    ("rule", "lost"), [*product(["delta", "mamba"], ["states", "inputs"]), ("convolution", "inputs")]
)
def test_what_is_lost_of_it_is_noticed(rule: str, lost: str) -> None:
    """The twin: without the state, or without the inputs of the convolution, the next answer is another."""
    decoder = Decoder(hybrid(rule), seed=1)
    expected = decoder.prefill(TOKENS)[-1]
    decoder.prefill(TOKENS[:-1], capacity=len(TOKENS))
    kept = decoder.caches[0][lost].vectors
    kept.store(np.zeros(kept.shape))
    assert np.abs(decoder.decode(TOKENS[-1]) - expected).max() > 2e-3


@pytest.mark.parametrize("rule", ["delta", "mamba", "convolution"])
def test_a_state_does_not_grow(rule: str) -> None:
    """Its bytes are those of the formula, however many tokens came; the cache of the block that attends grows."""
    config, kept = hybrid(rule), {"n_kernel": 4, "n_bytes_kv": 2}
    heads = {"n_state": 2, "n_state_heads": 4, "d_state_key": 3, "d_state_value": 5, "n_bytes_state": 4}
    if rule == "convolution":
        said = evaluate("convolution_bytes", n_conv=2, d_conv=5, **kept)
    else:
        said = evaluate("state_bytes", d_conv=2 * 2 * 3 + 4 * 5, **kept, **heads)
    held, cached = set(), set()
    for n in (1, 2, 5, 7):
        decoder = Decoder(config)
        decoder.prefill(TOKENS[:n])
        held.add(sum(kept.nbytes for block in decoder.caches[:2] for kept in block.values()))
        cached.add(decoder.ledger.footprint("cache.*"))
        assert decoder.ledger.footprint("states.*") == said
    assert held == {said}
    assert len(cached) == 4


@pytest.mark.parametrize("rule", ["delta", "mamba", "convolution"])
def test_a_batch_has_a_state_for_each(rule: str) -> None:
    """Two sequences answer as each does alone, and hold twice as much."""
    decoder, prompts = Decoder(hybrid(rule), seed=2), np.array([[5, 6, 7], [8, 9, 10]])
    both = decoder.prefill(prompts)
    held = decoder.ledger.footprint("states.*")
    assert_allclose(both[1], decoder.prefill(prompts[1]), rtol=1e-6, atol=1e-6)
    assert held == 2 * decoder.ledger.footprint("states.*")


def test_shapes_that_contradict_each_other() -> None:
    """Heads that do not divide into groups."""
    config = hybrid("delta")
    with pytest.raises(InvalidConfig, match="n_groups divides the heads with states"):
        replace(config, states=replace(config.states, n_groups=3))  # type: ignore[type-var]


@pytest.mark.parametrize("row", HYBRIDS, ids=lambda row: f"{row['config']['model_type']}-{row['parameters']}")
def test_states_as_transformers_keeps_them(row: dict[str, Any]) -> None:
    """The numbers of its states; of a convolution it keeps as many inputs as there are taps, one more than needed."""
    letters = Model.from_config(row["config"]).letters
    widths = {"n_bytes_kv": 1, "n_bytes_state": 1}
    shapes = {s.name: letters[s.name] for s in catalogue()["state_bytes"].letters if s.name in letters} | widths
    recurrent, inputs = row["recurrent_state"], row["convolution_state"]
    taps = letters["n_kernel"]
    assert evaluate("state_bytes", **shapes) == recurrent + inputs * (taps - 1) / taps


def test_a_hybrid_of_today() -> None:
    """Qwen3-Next: a quarter of its blocks has a cache; its states take the room of 3,144 tokens of that."""
    model, given = "qwen3-next-80b-a3b", {"cache": "fp16"}
    assert evaluate("state_bytes", model=model, **given) == 36 * (32 * 128 * 128 * 4 + 3 * 8192 * 2)
    assert evaluate("M_seq", model=model, N=1, **given) == 24_576 + 77_266_944
    assert presets.model(model).kv_bytes_per_token(2) == 24_576
    with pytest.raises(
        ConditionViolated, match="there is no critical context: its states alone take longer to read and write"
    ):
        evaluate("N_critical", model=model, hardware="h100-sxm", dtype="fp16")


def test_a_formula_for_models_without_states_is_not_for_a_hybrid() -> None:
    """And says what is."""
    with pytest.raises(
        ConditionViolated,
        match=r"it is for models with windows in some blocks .*; use the model's own sum M_seq",
    ):
        evaluate("windowed_context_bytes", model="qwen3-next-80b-a3b", cache="fp16", N=1)
    with pytest.raises(ConditionViolated, match="it is for models with a state instead of a cache in some blocks"):
        evaluate("state_bytes", model="llama-3-8b", cache="fp16")


def test_no_other_formula_of_caches_takes_a_hybrid() -> None:
    """Whoever writes one has to say whether it holds where blocks have a state: these do."""
    hybrid_traits, cached = presets.model("qwen3.5-27b").traits, {"m_token", "a", "a_prompt"}
    taken = {
        formula.name
        for formula in map(catalogue().__getitem__, catalogue().names)
        if not lacking(formula.traits, hybrid_traits) and cached & {symbol.name for symbol in formula.stated_letters}
    }
    assert taken == set()


@pytest.mark.parametrize(
    "name",
    ["footprint", "capacity", "kv_bytes_total", "sequences_that_fit", "largest_context", "memory_time_with_cache"],
)
def test_what_is_held_of_a_hybrid_is_counted(name: str) -> None:
    """A formula that takes hybrids is put beside the engine's count of one."""
    formula = catalogue()[name]
    assert "hybrid" in {probe.subject.name for probe in probes_of(formula.measured_by, formula)}
    assert all(one.equal for one in comparisons(formula))


@pytest.mark.parametrize("subject", ["hybrid", "convolving"])
def test_a_hybrid_that_moves_its_state_once_is_noticed(subject: str) -> None:
    """The twin of the law of its time: read and not written back, the engine counts more."""
    convolves = subject == "convolving"
    model = Model.from_config(WILD["LFM2-1.2B"]["config"]) if convolves else presets.model("qwen3.5-27b")
    moved, kept = (explain(letter, model=model, cache="fp16", N=9).exact for letter in ("D_seq", "M_seq"))
    assert moved - kept == evaluate("convolution_bytes" if convolves else "state_bytes", model=model, cache="fp16")
    own = next(one for one in sums(model.kept) if one.quantity == D_seq)
    formula = replace(own, unmeasured="", measured_by=f"{subject}/decode.bytes_of_a_sequence")
    once = replace(formula, claim=formula.claim.subs(there_and_back, 1))
    assert all(one.equal for one in comparisons(formula))
    assert not all(one.equal for one in comparisons(once))


def test_a_hybrid_on_a_machine() -> None:
    """Qwen 3.5 27B in 16 bits on an H100, as a reader can redo it."""
    given = {"model": "qwen3.5-27b", "hardware": "h100-sxm", "dtype": "fp16"}
    state = 48 * (48 * 128 * 128 * 4 + 3 * (2 * 16 + 48) * 128 * 2)
    token, weights, multiplied = 16 * 2 * 4 * 256 * 2, 2 * 26_895_998_464, 2 * 25_621_954_560
    assert evaluate("footprint", **given, N=4096, B=1) == weights + 4096 * token + state
    assert evaluate("sequences_that_fit", **given, N=4096) == (80 * 10**9 - weights) // (4096 * token + state)
    moved = multiplied + 16 * (4096 * token + 2 * state)
    assert evaluate("latency_with_cache", **given, N=4096, B=16) == pytest.approx(moved / 3350e9, rel=1e-12)
    with pytest.raises(ConditionViolated, match="weights and states alone do not fit"):
        evaluate("N_fit", **given, B=200)


def test_a_convolution_by_hand() -> None:
    """Token by token, with loops: a gate, a sum over the last inputs, a gate, as transformers writes it for LFM2."""
    config = replace(hybrid("convolution"), cache=F32)
    decoder = Decoder(config, seed=3)
    weights = {name: weight.load() for name, weight in decoder.weights.items()}
    x = np.random.default_rng(1).normal(size=(1, 6, config.d_model))
    decoder.start(1, 6)
    found = decoder.config.states.mix(decoder._layers, 0, decoder.caches[0], x)
    width, taps = 5, weights["blocks.0.state_taps.weight"]
    before, after, values = [], [], []
    for token in x[0]:
        made = weights["blocks.0.state_in"] @ token + weights["blocks.0.state_in.bias"]
        for third, into in enumerate((before, after, values)):
            into.append(made[third * width : (third + 1) * width])
    for place in range(6):
        mixed = weights["blocks.0.state_taps.bias"].copy()
        for back in range(4):  # the last tap meets the newest input
            if place >= back:
                mixed += taps[3 - back] * before[place - back] * values[place - back]
        out = weights["blocks.0.state_out"] @ (after[place] * mixed) + weights["blocks.0.state_out.bias"]
        assert_allclose(found[0, place], out, rtol=1e-6, atol=1e-6)


def test_room_that_does_not_suffice_is_given_back() -> None:
    """Memory for the inputs of a block and not for its states: the decoder is as it was."""
    decoder = Decoder(hybrid("delta"))
    held = decoder.ledger.footprint()
    small = Decoder(hybrid("delta"), machine=Machine(capacity=held + 100))
    with pytest.raises(OutOfMemory):
        small.start(1, 1)
    assert small.ledger.footprint() == held


def test_convolutions_on_a_machine() -> None:
    """LFM2-1.2B in 16 bits on H100s, as a reader can redo it: a step, a prompt, an answer, one of four devices."""
    model = Model.from_config(WILD["LFM2-1.2B"]["config"])
    given: dict[str, Any] = {"model": model, "hardware": "h100-sxm", "dtype": "fp16"}
    d, token, kept = 2048, 6 * 2 * 8 * 64 * 2, 10 * 2 * 2048 * 2
    attention, convolution, mlp, output = 2 * d * 64 * (32 + 8), 4 * d * d, 3 * d * 8192, 65_536 * d
    multiplied = 6 * attention + 10 * convolution + 16 * mlp + output
    assert explain("P", model=model).exact == multiplied
    assert multiplied + 10 * 3 * d + 6 * 2 * 64 + 33 * d == model.parameters == 1_170_340_608
    assert evaluate("convolution_bytes", model=model, cache="fp16") == kept
    moved = 2 * multiplied + 16 * (4096 * token + 2 * kept)
    assert evaluate("latency_with_cache", **given, N=4096, B=16) == pytest.approx(moved / 3350e9, rel=1e-12)
    assert evaluate("sequences_that_fit", **given, N=4096) == (80 * 10**9 - 2 * model.parameters) // (
        4096 * token + kept
    )
    causal = sum(2 * multiplied + 4 * 6 * 32 * 64 * context for context in range(1, 101))
    assert explain("prefill_product_flops", model=model, N=100, B=1, N_logits=100).exact == causal
    steps = sum(2 * multiplied + (1000 + step) * token + 2 * kept for step in range(1, 51))
    assert evaluate("T_decode", **given, N=1000, n_new=50, B=1) == pytest.approx(steps / 3350e9, rel=1e-12)
    of_device = {"model": model, "n_tensor": 4}
    assert explain("P_device", **of_device).exact == Fraction(multiplied, 4)
    assert explain("D_seq_device", **of_device, N=500, cache="fp16").exact == Fraction(500 * token + 2 * kept, 4)
    shared = Fraction(multiplied + 10 * 3 * d, 4)  # its rows of the embedding, matrices and taps; norms are whole
    assert explain("P_held", **of_device).exact == shared + 6 * 2 * 64 + 33 * d


@pytest.mark.parametrize("name", ["LFM2-1.2B", "LFM2-8B-A1B"])
@pytest.mark.parametrize("devices", [1, 2, 4, 8])
def test_every_row_of_a_model_with_convolutions_has_a_value(name: str, devices: int) -> None:
    """At a context that computing takes longer with than reading; of a request too."""
    model = Model.from_config(WILD[name]["config"])
    rows = [*Sizing(model, "h100-sxm", context=100, batch=3, devices=devices).rows]
    rows += Sizing(model, "h100-sxm", context=100, prompt=100, new=7, tpot="20 ms").rows
    assert [row.label for row in rows if row.value is None] == []
    assert "convolution inputs per sequence" in {row.label for row in rows}


LFM2 = {
    "model_type": "lfm2", "hidden_size": 12, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 7,
    "num_hidden_layers": 3, "layer_types": ["conv", "full_attention", "conv"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"layer_types": ["conv"] * 3}, "must have both attention blocks and convolution blocks"),
        (
            {"layer_types": ["conv", "full_attention"]},
            "layer_types must list conv or full_attention for each of the 3 layers",
        ),
        (
            {"layer_types": ["conv", "sliding_attention", "conv"]},
            "layer_types must list conv or full_attention for each of the 3",
        ),
        ({"full_attn_idxs": [0, 1]}, "layer_types and full_attn_idxs list different blocks"),
        ({"layer_types": None, "full_attn_idxs": [7]}, "must have both attention blocks and convolution blocks"),
        ({"conv_dim": 24}, "conv_dim must be 12 in a model of this kind, not 24"),
        ({"block_dim": 24}, "block_dim must be 12 in a model of this kind"),
        ({"block_use_swiglu": False}, "block_use_swiglu must be true in a model of this kind"),
        ({"conv_L_cache": 0}, "conv_L_cache must be between 1 and"),
        ({"block_ffn_dim_multiplier": "2"}, "block_ffn_dim_multiplier must be a number, not '2'"),
        ({"block_ffn_dim_multiplier": None}, "block_ffn_dim_multiplier must be a number, not null"),
        ({"block_ffn_dim_multiplier": True}, "block_ffn_dim_multiplier must be a number, not True"),
        (
            {"block_ffn_dim_multiplier": float("nan")},
            "block_ffn_dim_multiplier must be above 0 and at most .*, not nan",
        ),
        (
            {"block_ffn_dim_multiplier": float("inf")},
            "block_ffn_dim_multiplier must be above 0 and at most .*, not inf",
        ),
        ({"block_ffn_dim_multiplier": -1}, "block_ffn_dim_multiplier must be above 0 and at most .*, not -1"),
        ({"block_ffn_dim_multiplier": 1e-9}, "block_auto_adjust_ff_dim leaves its MLPs no width"),
        ({"conv_groups": 2}, "conv_groups is unknown for lfm2"),
        ({"model_type": "lfm2_moe", "layer_types": None}, "the field layer_types is missing"),
        ({"model_type": "lfm2_moe", "num_experts": 2}, "a token cannot be routed to 4 of 2 experts"),
        ({"model_type": "lfm2_moe", "block_multiple_of": 64}, "block_multiple_of is unknown for lfm2_moe"),
    ],
)
def test_what_is_refused_of_lfm2(change: dict[str, Any], sentence: str) -> None:
    """In one sentence; without the change it is read."""
    assert Model.from_config(LFM2).letters["d_conv"] == 12
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config(LFM2 | change)


def test_a_width_is_rounded_up() -> None:
    """Two thirds of what is said, stretched, and then a multiple, as in its class."""
    read = [Model.from_config(LFM2 | {"block_ff_dim": 1000, "block_ffn_dim_multiplier": by}) for by in (1, 1.16, 9)]
    assert [model.letters["d_ff"] for model in read] == [768, 1024, 6144]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"layer_types": ["linear_attention"] * 4}, "must have both attention blocks and blocks with a state"),
        (
            {"layer_types": ["sliding_attention"] * 4},
            "layer_types must list full_attention or linear_attention for each of the 4",
        ),
        ({"linear_num_key_heads": 3}, "heads with a state cannot be divided into 3 groups"),
        ({"attention_bias": True}, "attention_bias is True, which this package does not support"),
        ({"attn_output_gate": False}, "attn_output_gate must be true in a model of this kind"),
        ({"mamba_ssm_dtype": "int4"}, "mamba_ssm_dtype must be one of float32, float16, bfloat16, not 'int4'"),
    ],
)
def test_what_is_refused_of_a_hybrid(change: dict[str, Any], sentence: str) -> None:
    """In one sentence."""
    config = next(row["config"] for row in HYBRIDS if row["config"]["model_type"] == "qwen3_next")
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config({**config, "num_hidden_layers": 4, **change})
