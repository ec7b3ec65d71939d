"""Heads of two kinds: the engine runs them, formulas say what they keep and compute, Gemma 4 comes out whole"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reference_engine import Config, Decoder
from reference_engine.config import InvalidConfig
from reference_engine.formats import F16, F32
from symbolic_llm import Model, evaluate, explain, presets
from symbolic_llm.architecture import lacking
from symbolic_llm.catalogue import catalogue
from symbolic_llm.errors import ConditionViolated, InvalidModel
from symbolic_llm.notation import m_local, m_token, n_blocks, n_local
from symbolic_llm.witness.comparison_at_places import comparisons
from symbolic_llm.witness.decoders import model_of
from symbolic_llm.witness.letters import probes_of

WILD = json.loads((Path(__file__).parent / "data" / "models_wild.json").read_text())["models"]
GEMMA = [row for row in WILD if row["model_type"] == "gemma4"]
TOKENS = [3, 1, 4, 1, 5, 9, 2, 6]
TINY = {
    "model_type": "gemma4_text", "hidden_size": 10, "intermediate_size": 7, "num_hidden_layers": 3, "vocab_size": 11,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "global_head_dim": 8, "sliding_window": 3,
    "num_global_key_value_heads": 1, "attention_k_eq_v": True, "hidden_size_per_layer_input": 0,
}  # fmt: skip


def two_kinds(**changes: Any) -> Config:
    """Two blocks with a window, one without, whose heads are fewer and wider; experts beside an MLP in each."""
    config = Config(
        3, 4, 6, 11, F32, F16, F32, d_model=10, n_kv_heads=2, d_ff=7, norm="rms", gated=True, activation="silu",
        positions="rotary", qk_norm=True, post_norm=True, windows=(3, 3, None), n_kv_full=1, d_head_full=8,
        keys_as_values=True, n_experts=4, n_active=2, d_expert=5, beside=True,
    )  # fmt: skip
    return replace(config, **changes)


# The engine


@pytest.mark.parametrize("changes", [{}, {"keys_as_values": False}, {"n_experts": 0, "n_active": 0, "beside": False}])
def test_token_by_token_as_in_one_pass(changes: dict[str, Any]) -> None:
    """Caches of two shapes, of which one forgets."""
    decoder = Decoder(two_kinds(cache=F32, **changes), seed=1)
    whole = decoder.prefill(TOKENS)
    decoder.prefill(TOKENS[:2], capacity=len(TOKENS))
    for token, logits in zip(TOKENS[2:], whole[2:], strict=True):
        assert_allclose(decoder.decode(token), logits, rtol=0, atol=1e-9)


@pytest.mark.parametrize("lost", ["keys", "values"])
def test_keys_are_no_values(lost: str) -> None:
    """Keys in the place of values, or values in that of keys, change the answer.

    One matrix makes both, and both are kept: what is normed and rotated is not what is mixed.
    """
    decoder = Decoder(two_kinds(cache=F32), seed=1)
    expected = decoder.prefill(TOKENS)[-1]
    decoder.prefill(TOKENS[:-1], capacity=len(TOKENS))
    kept = decoder.caches[2]
    other = {"keys": "values", "values": "keys"}[lost]
    kept[lost].vectors.store(kept[other].vectors.load())
    assert np.abs(decoder.decode(TOKENS[-1]) - expected).max() > 1e-3


def test_what_stands_beside_works() -> None:
    """Without the experts, or without the MLP beside them, another answer comes out."""
    config = two_kinds()
    expected = Decoder(config, seed=1).prefill(TOKENS)
    for silenced in ("post_norm_mlp", "post_norm_experts"):
        decoder = Decoder(config, seed=1)
        for block in range(3):
            weight = decoder.weights[f"blocks.{block}.{silenced}.weight"]
            weight.store(np.zeros(weight.shape))
        assert np.abs(decoder.prefill(TOKENS) - expected).max() > 1e-3


def test_caches_are_those_of_the_formula() -> None:
    """Bytes held at contexts below and beyond the window, of a batch."""
    given = {"model": TINY, "n_bytes_kv": 2, "B": 2}
    held = []
    for n in (1, 3, 4, 8):
        decoder = Decoder(two_kinds())
        decoder.prefill(np.array([TOKENS[:n]] * 2))
        held.append(decoder.ledger.footprint("cache.*"))
        assert evaluate("kv_bytes_total", N=n, **given) == held[-1]
    assert held == [2 * 2 * 2 * (2 * min(n, 3) * 2 * 6 + n * 8) for n in (1, 3, 4, 8)]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"n_kv_full": 3}, "n_kv_full divides n_heads"),
        ({"d_head_full": 7}, "rotary positions need an even d_head_full"),
        ({"biases": ("value",)}, "what the keys make has no bias of its own"),
        ({"rope_factors": (1.0, 2.0, 3.0)}, "rope_factors are of heads of one width"),
        ({"n_experts": 0, "n_active": 0}, "an MLP beside experts needs them"),
        ({"parallel": True}, "an MLP beside experts starts from the stream"),
        ({"d_head_full": -2}, "d_head_full must be a whole number of at least 0"),
    ],
)
def test_shapes_that_contradict_each_other(changes: dict[str, Any], sentence: str) -> None:
    """In one sentence."""
    with pytest.raises(InvalidConfig, match=sentence):
        two_kinds(**changes)


# Gemma 4


@pytest.mark.parametrize("row", GEMMA, ids=lambda row: row["name"])
def test_with_tower_and_projector_it_is_the_whole_model(row: dict[str, Any]) -> None:
    """Text part, vision tower and the matrix between them have the weights that transformers counts of the whole."""
    text, vision = row["config"]["text_config"], row["config"]["vision_config"]
    d, heads = vision["hidden_size"], vision["num_attention_heads"] * vision["head_dim"]
    block = 4 * d * heads + 3 * d * vision["intermediate_size"] + 4 * d + 2 * vision["head_dim"]
    patches = 3 * vision["patch_size"] ** 2 * d + 2 * vision["position_embedding_size"] * d
    tower, projector = vision["num_hidden_layers"] * block + patches, d * text["hidden_size"]
    model = Model.from_config(row["config"])
    assert model.parameters + tower + projector == row["parameters"]
    assert model.kind == "text part of gemma4"


def test_its_text_part_alone() -> None:
    """The text part is the same as a wrapper's text_config and as a file of its own."""
    for row in GEMMA:
        alone = Model.from_config(row["config"]["text_config"])
        assert alone.parameters == Model.from_config(row["config"]).parameters
        assert alone.kind == "gemma4_text"


def test_gemma_4_on_a_machine() -> None:
    """26B A4B in 16 bits on an H100, as a reader can redo it."""
    given = {"model": "gemma-4-26b-a4b", "hardware": "h100-sxm", "dtype": "fp16"}
    local, full = 25 * 2 * 8 * 256 * 2, 5 * 2 * 2 * 512 * 2
    assert evaluate("m_token", **given) == local + full == 225_280
    kept = 1024 * local + 8192 * full
    assert evaluate("kv_bytes_total", **given, N=8192, B=1) == kept
    met = 4 * 16 * (25 * 256 * 1024 + 5 * 512 * 8192)
    multiplied = 2 * 3_821_830_144
    assert evaluate("decode_product_flops", **given, N=8192, B=1) == multiplied + met
    step = (multiplied + kept) / 3350e9
    assert evaluate("latency_with_cache", **given, N=8192, B=1) == pytest.approx(step, rel=1e-12)
    weights = 2 * 25_233_141_760
    assert evaluate("footprint", **given, N=8192, B=1) == weights + kept
    assert evaluate("sequences_that_fit", **given, N=8192) == (80 * 10**9 - weights) // kept


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"num_kv_shared_layers": 1},
            "num_kv_shared_layers is 1, but no earlier layer has a cache of the same kind to share",
        ),
        (
            {"num_kv_shared_layers": 3},
            "num_kv_shared_layers is 3, but the first of 3 layers must have a cache of its own",
        ),
        ({"use_bidirectional_attention": "all"}, "use_bidirectional_attention must be one of vision, not 'all'"),
        ({"attention_bias": True}, "attention_bias is True, which this package does not support"),
        (
            {"num_hidden_layers": 1},
            "only some blocks may have a window when blocks without one have heads of another kind",
        ),
        (
            {"layer_types": ["full_attention"] * 3},
            "only some blocks may have a window when blocks without one have heads of another kind",
        ),
        ({"layer_types": ["sliding_attention"]}, "layer_types must have an entry for each of the 3 layers, not 1"),
        ({"num_global_key_value_heads": 3}, "4 heads cannot be divided into 3 groups"),
        ({"enable_moe_block": True}, "the field num_experts is missing"),
        (
            {"per_layer_config": {"0": {}}},
            "per_layer_config must give each layer without a window the same head_dim and num_key_value_heads",
        ),
    ],
)
def test_what_is_refused(change: dict[str, Any], sentence: str) -> None:
    """In one sentence."""
    config = {name: value for name, value in (TINY | change).items() if value is not ...}
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config(config)


# What formulas are for it


def test_a_formula_for_heads_of_one_kind_says_which_is_for_two() -> None:
    """And those for two kinds refuse the others."""
    given: dict[str, Any] = {"model": "gemma-4-31b", "dtype": "fp16"}
    of_one_kind = "it is for models with no states, no index, no compressed runs, caches of their own and heads of one"
    with pytest.raises(ConditionViolated, match=of_one_kind):
        evaluate("kv_bytes_per_token", **given)
    assert evaluate("kv_heads_per_device", model="gemma-4-31b", n_tensor=2) == 8  # of the blocks with a window


def test_no_other_formula_of_caches_takes_it() -> None:
    """Whoever writes one has to say whether it holds where a token's bytes and operations go by other means."""
    traits, cached = presets.model("gemma-4-31b").traits, {"m_token", "a", "a_prompt"}
    taken = {
        formula.name
        for formula in map(catalogue().__getitem__, catalogue().names)
        if not lacking(formula.traits, traits) and cached & {symbol.name for symbol in formula.stated_letters}
    }
    of_windows = {name for name in taken if name.startswith("windowed_")}
    of_windows |= {"local_kv_bytes_per_token"} & taken
    of_prompts = {"prompt_attention_flops", "prompt_context_flops", "prompt_bytes_read"}  # nothing is hidden
    assert taken == of_windows | of_prompts | {"decode_traffic", "page_bytes"}


@pytest.mark.parametrize(
    "name", ["kv_bytes_total", "footprint", "sequences_that_fit", "memory_time_with_cache", "page_bytes"]
)
def test_what_is_held_of_it_is_counted(name: str) -> None:
    """A formula that takes such models is put beside the engine's count of one."""
    formula = catalogue()[name]
    assert "twofold" in {probe.subject.name for probe in probes_of(formula.measured_by, formula)}
    assert all(one.equal for one in comparisons(formula))


def test_one_mean_for_both_is_noticed() -> None:
    """The twin: windows save by the share of blocks, as where all heads are alike. The engine counts others."""
    formula = catalogue()["windowed_context_bytes"]
    shares = {m_local: m_token * n_local / n_blocks}
    planted = replace(formula, claim=formula.claim.xreplace(shares))
    assert not all(one.equal for one in comparisons(planted))


def test_a_value_that_is_not_kept_is_noticed() -> None:
    """The twin: one matrix makes keys and values, so half the bytes might do. They do not."""
    model, decoder = model_of(two_kinds(qk_norm=False), "tiny"), Decoder(two_kinds(qk_norm=False))
    decoder.start(1, 9)
    held = explain("M_seq", model=model, N=9, n_bytes_kv=2).exact
    assert held == decoder.ledger.footprint("cache.*")
    assert explain("M_seq", model=model, N=9, n_bytes_kv=1).exact != held
