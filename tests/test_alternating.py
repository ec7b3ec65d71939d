"""Streams of which a block computes one: the engine runs Gemma 3n as transformers does, and E2B comes out whole"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tensors import numbers
from tiny_models import engine_of

from reference_engine import Decoder
from reference_engine.altup import Alternating
from reference_engine.config import InvalidConfig
from reference_engine.formats import F64
from reference_engine.memory import Machine
from reference_engine.parallel import TensorParallel
from symbolic_llm import Model, evaluate
from symbolic_llm.errors import InvalidModel
from symbolic_llm.witness.decoders import findings, model_of

DATA = json.loads((Path(__file__).parent / "data" / "alternating.json").read_text())
TOKENS, ROWS = DATA["tokens"], DATA["models"]


BLOCK = {
    "input_layernorm.weight": "norm_1.weight",
    "post_attention_layernorm.weight": "post_norm_1.weight",
    "pre_feedforward_layernorm.weight": "norm_2.weight",
    "post_feedforward_layernorm.weight": "post_norm_2.weight",
    **{f"self_attn.{name[0]}_proj.weight": name for name in ("query", "key", "value", "output")},
    **{f"self_attn.{name[0]}_norm.weight": f"{name}_norm.weight" for name in ("query", "key")},
    **{f"mlp.{name}_proj.weight": name for name in ("gate", "up", "down")},
    "altup.modality_router.weight": "streams.router",
    "altup.prediction_coefs.weight": "streams.predicted",
    "altup.correction_coefs.weight": "streams.corrected",
    "altup.router_norm.weight": "streams_router_norm.weight",
    "altup.correct_output_scale": "streams_scale.weight",
    "laurel.linear_left.weight": "learned.up",
    "laurel.linear_right.weight": "learned.down",
    "laurel.post_laurel_norm.weight": "streams_learned_norm.weight",
    "per_layer_input_gate.weight": "looked.gate",
    "per_layer_projection.weight": "looked.down",
    "post_per_layer_input_norm.weight": "looked_norm.weight",
}
ENDS = {"model.embed_tokens.weight": "embedding", "model.norm.weight": "norm.weight"}
ENDS |= {"model.per_layer_projection_norm.weight": "looked_norm.weight"}


def described(row: dict[str, Any], **switches: Any) -> Decoder:
    """The model of the engine with the weights that transformers was given.

    What transformers multiplies with a constant is in weights here: the embeddings' scales, the square root of a head's
    width that scores are not divided by there, and the share of the width in what routes.
    """
    config = replace(engine_of(row["config"]), weights=F64, vectors=F64, cache=F64, norm_epsilon=1e-6)
    config = replace(config, value_norms=True, sparse_gates=tuple(row["config"]["activation_sparsity_pattern"]))
    d, narrow, made = config.d_model, config.d_block, dict[str, Any]()
    for of, name in enumerate(sorted(row["names"])):
        tensor = numbers(of, row["names"][name]) + ("norm" in name)
        _, _, rest = name.partition("model.layers.")
        block, _, inner = rest.partition(".")
        if rest:
            made[f"blocks.{block}.{BLOCK[inner]}"] = tensor
        elif name in ENDS:
            made[ENDS[name]] = tensor
        elif "altup" in name:  # altup_projections and altup_unembed_projections, from 0 on
            end = "closed" if "unembed" in name else "opened"
            made[f"streams.{end}.{int(name.split('.')[2]) + 1}"] = tensor
        else:
            is_table = "embed" in name
            ours, scale, axis = ("embedding", narrow**0.5, 1) if is_table else ("up", d**-0.5, 0)
            pieces = np.split(tensor, config.n_blocks, axis)
            made |= {f"blocks.{i}.looked.{ours}": piece * scale for i, piece in enumerate(pieces)}
    made["embedding"] *= d**0.5
    made["norm.weight"] /= d**0.5  # the output matrix is not scaled
    for name in made:
        made[name] = made[name] * (config.d_head**0.5 if name.endswith("query_norm.weight") else 1)
        made[name] = made[name] / (d if name.endswith("router_norm.weight") else 1)
    assert set(config.shapes) == set(made)
    machine = Machine()
    weights = {name: machine.allocate(w, F64) for name, w in made.items()}
    return Decoder(replace(config, **switches), machine=machine, weights=weights)


def capped(logits: Any, cap: float = 30.0) -> Any:
    """Logits as transformers caps them at the end."""
    return cap * np.tanh(logits / cap)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['config']['altup_num_inputs']} streams")
def test_logits_of_transformers(row: dict[str, Any]) -> None:
    """With and without blocks that share, cut gates and tokens beyond the table: at once, step by step, by parts."""
    decoder, logits = described(row), row["logits"]
    assert decoder.config.n_parameters == row["parameters"] == Model.from_config(row["config"]).parameters
    assert_allclose(capped(decoder.prefill(TOKENS)), logits, rtol=0, atol=1e-5)
    decoder.prefill(TOKENS[:1], capacity=len(TOKENS))
    for token, right in zip(TOKENS[1:], logits[1:], strict=True):
        assert_allclose(capped(decoder.decode(token)), right, rtol=0, atol=1e-5)
    for parts in ((5, 8, 13), (4, 5, 13), (12, 13)):
        decoder.prefill(TOKENS[: parts[0]], capacity=len(TOKENS))
        for first, last in pairwise(parts):
            found = capped(decoder.extend([TOKENS[first:last]])[0])
            assert_allclose(found, logits[first:last], rtol=0, atol=1e-5)


@pytest.mark.parametrize("changes", [{"value_norms": False}, {"sparse_gates": (0.0,)}, {"windows": (9, None)}])
def test_blocks_that_do_otherwise_are_noticed(changes: dict[str, Any]) -> None:
    """The twin: then the logits are others."""
    found = described(ROWS[0], **changes).prefill(TOKENS)
    assert np.abs(capped(found) - ROWS[0]["logits"]).max() > 1e-3


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"norm": "layer"}, "streams that alternate are of blocks that look up a vector, and have RMS norms"),
        ({"alternating": Alternating(0, 3)}, "there is a stream, and a rank"),
        ({"sparse_gates": (1.0,)}, "sparse_gates are shares below 1"),
        ({"sparse_gates": ()}, "sparse_gates say it of at least one block"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, Any], problem: str) -> None:
    """When the description is made."""
    with pytest.raises(InvalidConfig, match=problem):
        replace(engine_of(ROWS[0]["config"]), **changes)


def test_what_is_cut_off_of_all_gates_is_not_shared_out() -> None:
    """A device would need the mean over the gates of all."""
    config = replace(engine_of(ROWS[0]["config"]), sparse_gates=(0.5,))
    with pytest.raises(ValueError, match="cannot be shared out"):
        TensorParallel(config, 2)
    plain = replace(config, sparse_gates=(0.0,), weights=F64)
    assert TensorParallel(plain, 2).devices == 2


@pytest.mark.parametrize("other", [Alternating(3, 3), Alternating(4, 2), None])
def test_streams_that_are_others_are_noticed(other: Alternating | None) -> None:
    """The twin: the parts of a decoder are none of one with other streams, or another learned residual."""
    config = engine_of(ROWS[0]["config"])
    made = model_of(config, "tiny")
    assert not list(findings(made, config))
    assert list(findings(made, replace(config, n_vocab_block=13, alternating=other)))


# Gemma 3n


def test_gemma_3n_e2b_by_hand() -> None:
    """A reader can redo the counts of Gemma 3n E2B: streams, residuals, embeddings of blocks and the rest.

    Of its 30 blocks 20 keep keys and values, and 4 of these keep them of all tokens.
    """
    d, n = 2048, 30
    streams = n * (4 * d + 4 * 4 * (4 + 1) + 3 * d) + 6 * d * d
    learned, looked = n * 2 * d * 64, n * (262_144 * 256 + 3 * d * 256 + d) + 256
    attention = 20 * (2 * d * 2048 + 2 * d * 512 + 2 * 256) + 10 * (2 * d * 2048 + 256)
    rest = 262_400 * d + n * 3 * d * 8192 + (4 * n + 1) * d
    given = {"model": "gemma-3n-e2b", "dtype": "fp16"}
    assert evaluate("P_total", **given) == streams + learned + looked + attention + rest == 4_435_182_688
    assert evaluate("m_token", **given) == 20 * 2 * 512 * 2
    assert evaluate("kv_bytes_total", **given, N=8192, B=1) == 2 * 512 * 2 * (16 * 512 + 4 * 8192)
    assert evaluate("router_parameters", **given) == 4 * d  # what routes in it are its streams


def test_without_what_makes_it_small_it_is_another() -> None:
    """No field of it is passed over; a list of widths is one width, or refused."""
    config = ROWS[0]["config"]
    sizes = {Model.from_config(config).parameters}
    for change in (
        {"hidden_size_per_layer_input": 5},
        {"vocab_size_per_layer_input": 13},
        {"num_kv_shared_layers": 0},
        {"altup_num_inputs": 3},
        {"laurel_rank": 4},
    ):
        sizes.add(Model.from_config(config | change).parameters)
    assert len(sizes) == 6
    same = Model.from_config(config | {"intermediate_size": [config["intermediate_size"]] * 5})
    assert same.parameters == Model.from_config(config).parameters
    for widths, problem in (
        ([10, 9] * 2 + [10], "lists several widths, and the formulas take one"),
        ([10], "an entry for each of the 5 layers, not 1"),
    ):
        with pytest.raises(InvalidModel, match=problem):
            Model.from_config(config | {"intermediate_size": widths})
