"""Values of another width than keys: the engine runs them, sums tell the two apart, MiMo-V2-Flash comes out whole"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from reference_engine import Config, Decoder
from reference_engine.formats import F32
from symbolic_llm import Model, evaluate, explain, presets
from symbolic_llm.catalogue import catalogue
from symbolic_llm.errors import ConditionViolated, InvalidModel
from symbolic_llm.expressions.decide import equal
from symbolic_llm.notation import d_head, d_value
from symbolic_llm.witness.decoders import findings, model_of

WILD = json.loads((Path(__file__).parent / "data" / "models_wild.json").read_text())["models"]
(FOUND,) = (row for row in WILD if row["model_type"] == "mimo_v2_flash")
TINY = {
    "model_type": "mimo_v2_flash", "hidden_size": 10, "intermediate_size": 7, "num_hidden_layers": 3, "vocab_size": 11,
    "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 6, "v_head_dim": 3, "sliding_window": 2,
    "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 5,
}  # fmt: skip


def narrow(**changes: Any) -> Config:
    """A block with a window, whose heads have sinks, and one without, whose key/value heads are fewer."""
    config = Config(
        2, 4, 6, 11, F32, F32, F32, d_model=10, n_kv_heads=2, n_kv_full=1, d_value=3, d_ff=7, norm="rms", gated=True,
        activation="silu", positions="rotary", windows=(3, None), sinks=True, windowed_sinks=True,
    )  # fmt: skip
    return replace(config, **changes)


@pytest.mark.parametrize("changes", [{}, {"d_value": 9}, {"windowed_sinks": False}, {"qk_norm": True}])
def test_token_by_token_as_in_one_pass(changes: dict[str, Any]) -> None:
    """Caches of keys and of values that are of two widths."""
    decoder, tokens = Decoder(narrow(**changes), seed=1), [3, 1, 4, 1, 5, 9]
    whole = decoder.prefill(tokens)
    decoder.prefill(tokens[:2], capacity=len(tokens))
    for token, logits in zip(tokens[2:], whole[2:], strict=True):
        assert_allclose(decoder.decode(token), logits, rtol=0, atol=1e-9)


def test_values_are_mixed_as_wide_values_of_which_the_rest_is_nothing() -> None:
    """Narrow values give the logits of values as wide as keys, whose further entries are 0 and lead nowhere."""
    thin = Decoder(narrow(), seed=2)
    wide = Decoder(narrow(d_value=0), weights=dict(thin.weights))
    for i, (n_kv, width) in enumerate(((2, 6), (1, 6))):
        value, output = (thin.weights[f"blocks.{i}.{name}"].load() for name in ("value", "output"))
        more = np.zeros((n_kv, width, 10))
        more[:, :3] = value.reshape(n_kv, 3, 10)
        back = np.zeros((10, 4, width))
        back[:, :, :3] = output.reshape(10, 4, 3)
        for name, numbers in (("value", more.reshape(-1, 10)), ("output", back.reshape(10, -1))):
            wide.weights[f"blocks.{i}.{name}"] = wide.machine.allocate(numbers, F32)  # type: ignore[index]
    assert_allclose(thin.prefill([3, 1, 4, 1, 5]), wide.prefill([3, 1, 4, 1, 5]), atol=1e-6)


def test_sinks_of_windows_alone() -> None:
    """Sinks stand only in the blocks that have a window; without `windowed_sinks` they stand in both blocks."""
    assert [name for name in narrow().shapes if "sinks" in name] == ["blocks.0.sinks"]
    assert len([name for name in narrow(windowed_sinks=False).shapes if "sinks" in name]) == 2


@pytest.mark.parametrize("letter", ["M_seq", "C_seq"])
@pytest.mark.parametrize("lost", [{"d_value": 6}, {"n_kv_full": 2}, {"d_head_full": 3}])
def test_a_width_that_is_lost_is_noticed(letter: str, lost: dict[str, int]) -> None:
    """The twin: what is said of a model whose widths are others is not what the engine counts."""
    model, decoder = model_of(narrow(), "tiny"), Decoder(narrow())
    decoder.start(1, 9)
    held = decoder.ledger.footprint("cache.*")
    decoder.context = 8
    decoder.ledger.clear()
    decoder.decode(np.zeros(1, int))
    products = (decoder.ledger.total("flops", f"*.attention.{name}", op="matmul") for name in ("scores", "mix"))
    counted = {"M_seq": held, "C_seq": sum(products)}[letter]
    given = {"N": 9, **({"n_bytes_kv": 4} if letter == "M_seq" else {})}
    other = replace(model, letters={**model.letters, **lost})
    assert explain(letter, model=model, **given).exact == counted
    blind = letter == "C_seq" and "n_kv_full" in lost  # every query head meets keys, however many share them
    assert (explain(letter, model=other, **given).exact == counted) is blind


def test_a_part_that_takes_both_for_one_width_is_noticed() -> None:
    """The twin: grouped attention in the place of two widths does not count what is held."""
    model = model_of(narrow(), "tiny")
    grouped = catalogue()["grouped_attention_parameters"]
    parts = [
        replace(part, formula=grouped, letters={k: v for k, v in part.letters.items() if k != "d_value"})
        if part.kind == "attention"
        else part
        for part in model.parts
    ]
    assert not list(findings(model, narrow()))
    assert list(findings(replace(model, parts=tuple(parts)), narrow()))


def test_of_one_width_it_is_grouped_attention() -> None:
    """And only there."""
    both, one = (catalogue()[f"{name}_attention_parameters"].rhs for name in ("two_width", "grouped"))
    assert equal(both.xreplace({d_value: d_head}), one) is True
    assert equal(both, one) is False


# MiMo-V2-Flash


def test_it_is_as_large_as_transformers_counts() -> None:
    """And the kinds of its blocks may be said in numbers, in words, in both or not at all."""
    config = FOUND["config"]
    plain = Model.from_config(config)
    assert plain.parameters == FOUND["parameters"] == presets.model("mimo-v2-flash").parameters
    numbers = ("hybrid_layer_pattern", "moe_layer_freq")
    silent = {name: value for name, value in config.items() if name not in numbers}
    words = {
        "layer_types": [("full", "sliding")[i] + "_attention" for i in config["hybrid_layer_pattern"]],
        "mlp_layer_types": [("dense", "sparse")[i] for i in config["moe_layer_freq"]],
    }
    for said in (silent, silent | words, config | words):
        assert Model.from_config(said) == plain


def test_it_on_a_machine() -> None:
    """MiMo-V2-Flash comes out as a reader can redo it: 39 blocks keep 129 tokens with 8 heads, 9 keep all with 4."""
    given = {"model": "mimo-v2-flash", "hardware": "h200-sxm", "dtype": "fp16"}
    local, full = 39 * 8 * (192 + 128) * 2, 9 * 4 * (192 + 128) * 2
    assert evaluate("m_token", **given) == local + full == 222_720
    assert evaluate("kv_bytes_total", **given, N=8192, B=1) == 129 * local + 8192 * full
    met = 2 * 64 * (192 + 128) * (39 * 129 + 9 * 8192)
    assert evaluate("decode_product_flops", **given, N=8192, B=1) == 2 * 14_820_573_184 + met
    with pytest.raises(ConditionViolated, match="values of a different width than keys"):
        evaluate("kv_bytes_per_token", **given)
    assert evaluate("kv_heads_per_device", **given, n_tensor=2) == 4


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"attention_bias": True}, "attention_bias is True, which this package does not support"),
        (
            {"add_full_attention_sink_bias": True},
            "add_full_attention_sink_bias is True, which this package does not support",
        ),
        ({"add_swa_attention_sink_bias": False}, "add_swa_attention_sink_bias must be True in a model of this kind"),
        ({"swa_num_key_value_heads": 1}, "swa_num_key_value_heads must be 2 in a model of this kind, not 1"),
        ({"swa_v_head_dim": 6}, "swa_v_head_dim must be 3 in a model of this kind, not 6"),
        ({"num_key_value_heads": 4}, "4 heads cannot be divided into 8 groups"),
        ({"hybrid_layer_pattern": [0, 1]}, "hybrid_layer_pattern must have 0 or 1 for each of the 3 layers"),
        ({"hybrid_layer_pattern": [0, 1, 2]}, "hybrid_layer_pattern must have 0 or 1 for each of the 3 layers"),
        ({"moe_layer_freq": [True, 0, 1]}, "moe_layer_freq must be a list of whole numbers"),
        (
            {"mlp_layer_types": ["dense", "moe", "dense"]},
            "mlp_layer_types must list dense or sparse for each of the 3 layers",
        ),
        (
            {"layer_types": ["full_attention"] * 3, "hybrid_layer_pattern": [0, 0, 1]},
            "layer_types and hybrid_layer_pattern contradict each other for some layers",
        ),
        ({"n_shared_experts": 1}, "n_shared_experts is unknown for mimo_v2_flash"),
        ({"model_type": "mimo_v2"}, "transformers has no class for it"),
    ],
)
def test_what_is_refused(change: dict[str, Any], sentence: str) -> None:
    """In one sentence."""
    Model.from_config(TINY)
    with pytest.raises(InvalidModel, match=sentence):
        Model.from_config(TINY | change)


def test_a_window_that_leaves_the_token_out_is_one_wider() -> None:
    """Published files say how many tokens before it; its class adds the token itself, whatever the usual name says."""
    config = FOUND["config"]

    def window(**given: Any) -> int:
        return Model.from_config(
            {name: value for name, value in config.items() if "window" not in name} | given
        ).letters["n_window"]

    assert window() == window(sliding_window_size=128) == window(sliding_window=128, sliding_window_size=128) == 129
    assert window(sliding_window=128) == 128
    assert window(sliding_window=129, sliding_window_size=128) == 129
    with pytest.raises(InvalidModel, match="sliding_window is 100, but sliding_window_size is 128"):
        window(sliding_window=100, sliding_window_size=128)
