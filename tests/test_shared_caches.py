"""Blocks that attend to what others keep, and vectors that blocks look up: the engine runs them, E2B comes out whole"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reference_engine import Config, Decoder
from reference_engine.config import InvalidConfig
from reference_engine.formats import F32
from symbolic_llm import Model, evaluate, explain, presets
from symbolic_llm.errors import ConditionViolated
from symbolic_llm.witness.decoders import findings, model_of

TOKENS = [3, 1, 4, 1, 5, 9, 2, 6]


def sharing(**changes: Any) -> Config:
    """Windows and none in turn, of which the last three blocks keep nothing; vectors looked up in each."""
    config = Config(
        6, 4, 6, 11, F32, F32, F32, d_model=10, n_kv_heads=2, n_kv_full=1, d_ff=7, norm="rms", gated=True,
        activation="silu", positions="rotary", qk_norm=True, post_norm=True, windows=(3, None), n_sharing=3,
        sharing_width=14, d_block=5, n_vocab_block=13,
    )  # fmt: skip
    return replace(config, **changes)


@pytest.mark.parametrize("changes", [{}, {"d_block": 0}, {"n_sharing": 0, "sharing_width": 7}, {"n_sharing": 1}])
@pytest.mark.parametrize("first", [2, 5])
def test_token_by_token_as_in_one_pass(changes: dict[str, Any], first: int) -> None:
    """Whatever part of the prompt comes at once, beyond a window or not."""
    decoder = Decoder(sharing(**changes), seed=1)
    whole = decoder.prefill(TOKENS)
    decoder.prefill(TOKENS[:first], capacity=len(TOKENS))
    for token, logits in zip(TOKENS[first:], whole[first:], strict=True):
        assert_allclose(decoder.decode(token), logits, rtol=0, atol=1e-9)
    decoder.prefill(TOKENS[:first], capacity=len(TOKENS))
    assert_allclose(decoder.extend([TOKENS[first:]])[0], whole[first:], rtol=0, atol=1e-9)


def test_it_is_as_if_a_block_made_the_very_keys_and_values_of_another() -> None:
    """Two blocks of one kind, of which the second keeps nothing: with the first's matrices, and its input, the same."""
    config = Config(2, 2, 4, 7, F32, F32, F32, d_model=6, n_sharing=1, norm="rms", positions="rotary")
    thin = Decoder(config, seed=3)
    silent = {"blocks.0.output", "blocks.0.down"}  # the first block adds nothing, so both see the embedding
    for name in silent:
        thin.weights[name].store(np.zeros(thin.weights[name].shape))
    wide = Decoder(replace(config, n_sharing=0), seed=3)
    for name, weight in thin.weights.items():
        wide.weights[name].store(weight.load())
    norm = thin.weights["blocks.0.norm_1.weight"].load()
    for decoder in (thin, wide):
        decoder.weights["blocks.1.norm_1.weight"].store(norm)
    for name in ("key", "value"):
        wide.weights[f"blocks.1.{name}"].store(thin.weights[f"blocks.0.{name}"].load())
    assert_allclose(thin.prefill([3, 1, 4]), wide.prefill([3, 1, 4]))


def test_what_is_held_for_a_pass_is_given_back() -> None:
    """A prompt beyond the window has to be read again by who shares; after the pass the caches are as before it."""
    decoder = Decoder(sharing(), seed=1)
    decoder.start(1, len(TOKENS))
    before = decoder.ledger.footprint("cache.*")
    decoder.extend([TOKENS])
    assert decoder.ledger.footprint("cache.*") == before


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"n_sharing": 5}, "a block that shares has one of its kind before those that do"),
        ({"n_sharing": 6}, "a block that shares has one of its kind before those that do"),
        ({"qk_norm": False, "joint_norms": True}, "norms over all heads together are of queries and keys"),
        ({"n_vocab_block": 10}, "every token has a vector that is looked up"),
        ({"n_sharing": -1}, "n_sharing must be a whole number of at least 0"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, Any], problem: str) -> None:
    """When the description is made."""
    with pytest.raises(InvalidConfig, match=problem):
        sharing(**changes)


@pytest.mark.parametrize("letter", ["M_seq", "D_seq", "C_seq"])
@pytest.mark.parametrize("lost", [{"n_local_own": 3}, {"n_global_own": 3}, {"n_local": 2}, {"n_global": 2}])
def test_a_number_of_blocks_that_is_another_is_noticed(letter: str, lost: dict[str, int]) -> None:
    """The twin: fewer blocks keep than read, and a sum with another number of either is not what the engine counts."""
    model, decoder = model_of(sharing(), "tiny"), Decoder(sharing())
    decoder.start(1, 9)
    held = decoder.ledger.footprint("cache.*")
    decoder.context = 8
    decoder.ledger.clear()
    decoder.decode(np.zeros(1, int))
    work = sum(decoder.ledger.total("flops", f"*.attention.{name}", op="matmul") for name in ("scores", "mix"))
    counted = {"M_seq": held, "D_seq": decoder.ledger.total("loaded", "*.attention.cache"), "C_seq": work}[letter]
    given = {"N": 9, **({"n_bytes_kv": 4} if letter != "C_seq" else {})}
    other = replace(model, letters={**model.letters, **lost})
    assert explain(letter, model=model, **given).exact == counted
    is_kept = any(name.endswith("own") for name in lost)
    assert (explain(letter, model=other, **given).exact == counted) is (is_kept is not (letter == "M_seq"))


def test_a_block_that_is_said_to_have_keys_is_noticed() -> None:
    """The twin: the parts of a decoder of which no block shares are none of one of which some do."""
    whole = model_of(sharing(n_sharing=0, sharing_width=7), "tiny")
    assert not list(findings(model_of(sharing(), "tiny"), sharing()))
    assert list(findings(whole, sharing()))


# Gemma 4


def test_they_are_as_large_as_their_files() -> None:
    """The two files differ by their text parts, by two projections into their width, and by what is read of neither.

    Hugging Face counts 5,123,178,051 and 7,996,156,490 weights. A file has keys and values of blocks that share, which
    transformers passes over, and a scale for each layer, which is none of its parameters. The towers are the same:
    vectors of 768 numbers of what is seen, and of 1,536 of what is heard, are brought to the model's width.
    """
    rest = {}
    for name, total in (("gemma-4-e2b", 5_123_178_051), ("gemma-4-e4b", 7_996_156_490)):
        at = presets.model(name).letters
        unread = at["n_blocks"]
        for blocks, heads, width in (
            (at["n_local"] - at["n_local_own"], at["n_kv_heads"], at["d_head"]),
            (at["n_global"] - at["n_global_own"], at["n_kv_full"], at["d_head_full"]),
        ):
            unread += blocks * (2 * at["d_model"] * heads * width + width)
        rest[name] = total - presets.model(name).parameters - unread - (768 + 1536) * at["d_model"]
    assert rest["gemma-4-e2b"] == rest["gemma-4-e4b"] == 472_189_216


def test_gemma_4_e2b_on_a_machine() -> None:
    """Gemma 4 E2B comes out as a reader can redo it: 12 blocks keep a window, 3 all; 28 and 7 read them."""
    given = {"model": "gemma-4-e2b", "dtype": "fp16"}
    local, full = 2 * 256 * 2, 2 * 512 * 2
    assert evaluate("m_token", **given) == 12 * local + 3 * full == 18_432
    assert evaluate("kv_bytes_total", **given, N=8192, B=1) == 512 * 12 * local + 8192 * 3 * full
    assert explain("D_seq", **given, N=8192).exact == 512 * 28 * local + 8192 * 7 * full
    met = 4 * 8 * (28 * 256 * 512 + 7 * 512 * 8192)
    assert evaluate("decode_product_flops", **given, N=8192, B=1) == 2 * 2_279_473_152 + met
    with pytest.raises(ConditionViolated, match="caches of their own"):
        evaluate("kv_bytes_per_token", **given)


def test_without_what_makes_it_small_it_is_another() -> None:
    """No field of the three is passed over."""
    config: dict[str, Any] = {
        "model_type": "gemma4_text", "hidden_size": 10, "intermediate_size": 7, "num_hidden_layers": 4,
        "vocab_size": 11, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 6, "global_head_dim": 8,
        "sliding_window": 3, "hidden_size_per_layer_input": 5, "vocab_size_per_layer_input": 13,
        "num_kv_shared_layers": 2, "use_double_wide_mlp": True,
        "layer_types": ["sliding_attention", "full_attention"] * 2,
    }  # fmt: skip
    sizes = {Model.from_config(config).parameters}
    for change in (
        {"hidden_size_per_layer_input": 0},
        {"vocab_size_per_layer_input": 11},
        {"num_kv_shared_layers": 0},
        {"use_double_wide_mlp": False},
    ):
        sizes.add(Model.from_config(config | change).parameters)
    assert len(sizes) == 5
