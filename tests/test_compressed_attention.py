"""Compressed runs of tokens: the engine runs them as other software does, the formulas say what they weigh and keep"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tiny_models import engine_of

from reference_engine import Decoder
from reference_engine.config import Config, InvalidConfig
from reference_engine.formats import F16, F64
from reference_engine.memory import Machine
from reference_engine.parallel.tensor import TensorParallel
from reference_engine.routing import Routing

DATA = Path(__file__).parent / "data"
LOGITS = json.loads((DATA / "compressed.json").read_text())
TOKENS = LOGITS["tokens"]


# The engine, and other software


def numbers(of: int, shape: list[int]) -> Any:
    """What the tensor of that number holds, as the data says."""
    k = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64)
    x = (k + np.uint64(7919 * of)) * np.uint64(2654435761) % np.uint64(2**32)
    x ^= x >> np.uint64(15)
    x = x * np.uint64(2246822519) % np.uint64(2**32)
    x ^= x >> np.uint64(13)
    return (x / 2**32 - 0.5).reshape(shape)


_COMPRESSOR = {"kv_proj.weight": "values", "gate_proj.weight": "gates", "position_bias": "places.weight"}
_COMPRESSOR |= {"kv_norm.weight": "norm.weight"}
_MIXING = {"fn": "", "base": "_base.weight", "scale": "_scale.weight"}
BLOCK = {
    "input_layernorm.weight": "norm_1.weight",
    "post_attention_layernorm.weight": "norm_2.weight",
    "self_attn.q_a_proj.weight": "query_down",
    "self_attn.q_a_norm.weight": "query_down_norm.weight",
    "self_attn.q_b_proj.weight": "query",
    "self_attn.kv_proj.weight": "key_value",
    "self_attn.kv_norm.weight": "key_value_norm.weight",
    "self_attn.sinks": "sinks",
    "self_attn.o_a_proj.weight": "output_down",
    "self_attn.o_b_proj.weight": "output",
    **{f"self_attn.compressor.{name}": f"entry_{ours}" for name, ours in _COMPRESSOR.items()},
    **{f"self_attn.compressor.indexer.{name}": f"index_{ours}" for name, ours in _COMPRESSOR.items()},
    "self_attn.compressor.indexer.q_b_proj.weight": "index_query",
    "self_attn.compressor.indexer.scorer.weights_proj.weight": "index_weight",
    **{f"attn_hc.{name}": f"mixing_1{ours}" for name, ours in _MIXING.items()},
    **{f"ffn_hc.{name}": f"mixing_2{ours}" for name, ours in _MIXING.items()},
    "mlp.gate.weight": "router",
    **{f"mlp.shared_experts.{name}_proj.weight": f"shared.{name}" for name in ("gate", "up", "down")},
}
ENDS = {
    "model.embed_tokens.weight": "embedding",
    "model.norm.weight": "norm.weight",
    "lm_head.weight": "output",
    **{f"model.hc_head.hc_{name}": f"mixing{ours}" for name, ours in _MIXING.items()},
}


def described(row: dict[str, Any], **switches: Any) -> Decoder:
    """The model of the engine with the weights that transformers was given."""
    made: dict[str, Any] = {}
    config = replace(engine_of(row["config"]), weights=F64, vectors=F64, cache=F64, **switches)
    for of, name in enumerate(sorted(row["names"])):
        tensor = numbers(of, row["names"][name]) + ("norm" in name)
        _, _, rest = name.partition("model.layers.")
        block, _, inner = rest.partition(".")
        if name in ENDS:
            made[ENDS[name]] = tensor
        elif inner.startswith("mlp.experts."):
            for expert, each in enumerate(tensor):
                at = f"blocks.{block}.experts.{expert}."
                halves = dict(zip(("gate", "up"), np.split(each, 2), strict=True))
                made |= {at + part: w for part, w in ({"down": each} if "down" in inner else halves).items()}
        else:
            made[at] = tensor.reshape(config.shapes[at := f"blocks.{block}.{BLOCK[inner]}"])
    assert set(config.shapes) == set(made)
    machine = Machine()
    return Decoder(config, machine=machine, weights={name: machine.allocate(w, F64) for name, w in made.items()})


def kinds(row: dict[str, Any]) -> str:
    """Which blocks a model has, in short."""
    return "-".join(one.partition("_")[0] for one in row["config"]["layer_types"])


@pytest.mark.parametrize("row", LOGITS["models"], ids=kinds)
def test_logits_of_transformers(row: dict[str, Any]) -> None:
    """A window alone, short runs with an index, long runs, and all in one: at once, token by token, part by part."""
    decoder, logits = described(row), row["logits"]
    assert decoder.config.n_parameters == row["parameters"]
    assert_allclose(decoder.prefill(TOKENS), logits, rtol=0, atol=1e-5)
    decoder.prefill(TOKENS[:1], capacity=len(TOKENS))
    for token, right in zip(TOKENS[1:], logits[1:], strict=True):
        assert_allclose(decoder.decode(token), right, rtol=0, atol=1e-5)
    for parts in ((5, 8, 13), (4, 5, 13), (1, 7, 13), (12, 13)):
        decoder.prefill(TOKENS[: parts[0]], capacity=len(TOKENS))
        for first, last in pairwise(parts):
            assert_allclose(decoder.extend([TOKENS[first:last]])[0], logits[first:last], rtol=0, atol=1e-5)


def test_a_cache_that_grows_keeps_all() -> None:
    """Room for more entries is made, and what waits for its run stays."""
    row = LOGITS["models"][-1]
    fixed, growing = described(row), described(row)
    growing.growing = True
    fixed.prefill(TOKENS[:2], capacity=len(TOKENS))
    growing.prefill(TOKENS[:2])
    for token in TOKENS[2:]:
        assert_allclose(growing.decode(token), fixed.decode(token), rtol=0, atol=1e-12)


_OF_SHAPES = {
    "runs are longer": {"sparse_run": 3},
    "long runs are shorter": {"heavy_run": 3},
    "all are picked": {"picked": 99},
    "one fewer is picked": {"picked": 1},
    "entries are rotated otherwise": {"rope_theta": 100.0},
}


@pytest.mark.parametrize(
    "fault", [*_OF_SHAPES, "chosen by scores", "one round", "no limit", "softmax", "longer window"]
)
def test_blocks_that_do_otherwise_are_noticed(fault: str) -> None:
    """The twin: then the logits are others, or the weights do not even fit."""
    row = LOGITS["models"][-1]
    config = engine_of(row["config"])
    assert config.compression is not None
    assert config.streams is not None
    wrong: dict[str, Any] = {
        "chosen by scores": {"routing": replace(config.routing, hashed=(False,))},
        "softmax": {"routing": replace(config.routing, scoring="softmax")},
        "one round": {"streams": replace(config.streams, rounds=1)},
        "no limit": {"mlp_limit": 0.0},
        "longer window": {"windows": (6,)},
    }.get(fault) or {"compression": replace(config.compression, **_OF_SHAPES[fault])}
    try:
        found = described(row, **wrong).prefill(TOKENS)
    except ValueError:
        assert fault in ("runs are longer", "long runs are shorter")
        return
    assert np.abs(found - row["logits"]).max() > 1e-3


@pytest.mark.parametrize("lost", ["window", "entries", "pending", "index_entries", "index_pending"])
def test_what_is_lost_is_noticed(lost: str) -> None:
    """The twin of what a step needs: with vectors in other places, the next logits are others."""
    row = LOGITS["models"][1]
    decoder = described(row)
    decoder.prefill(TOKENS[:-2], capacity=len(TOKENS))  # the next token fills a run
    for block in decoder.caches:
        kept = block[lost].vectors
        kept.store(kept.load()[:, ::-1])
    decoder.decode(TOKENS[-2])
    assert np.abs(decoder.decode(TOKENS[-1]) - row["logits"][-1]).max() > 1e-3


@pytest.mark.parametrize("row", LOGITS["models"], ids=kinds)
def test_what_the_cache_of_transformers_holds(row: dict[str, Any]) -> None:
    """As many entries. Of the window one vector less, since the next token brings its own; of what waits, less too."""
    decoder = described(row)
    decoder.prefill(TOKENS)
    held = dict.fromkeys(("window", "entries", "pending"), 0)
    for block in decoder.caches:
        for name, cache in block.items():
            held[name.removeprefix("index_")] += cache.nbytes // 8
    window = row["config"]["sliding_window"]
    assert held["entries"] == row["held"]["entries"]
    assert held["window"] * (window - 1) == row["held"]["window"] * window
    assert held["pending"] >= row["held"]["pending"]


SMALL = LOGITS["models"][-1]["config"]


def test_a_step_reads_what_is_picked_and_all_of_long_runs() -> None:
    """By hand, in 16 bits, at 12 tokens: a window of 5 in four blocks, 2 of 6 entries twice, 3 long runs once."""
    decoder = Decoder(replace(engine_of(SMALL), weights=F16, vectors=F16, cache=F16))
    decoder.prefill([TOKENS[:12]] * 2, capacity=13)
    decoder.ledger.clear()
    decoder.decode([5, 6])
    loaded = {end: decoder.ledger.total("loaded", f"*.attention.{end}") for end in ("cache", "entries", "index.cache")}
    assert loaded == {
        "cache": 2 * 2 * 4 * 5 * 8,
        "entries": 2 * 2 * (2 * 2 + 3) * 8,
        "index.cache": 2 * 2 * 2 * 6 * 6,
    }
    assert decoder.ledger.total("loaded", "*.pending") == 0  # token 13 fills no run


CONFIG = engine_of(SMALL)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"q_rank": 0}, "compressed attention needs compressed queries and a rotated part"),
        ({"windows": (5, None)}, "compressed attention has a window in every block"),
        ({"d_rope": 10}, "no more is rotated than a head or an entry has"),
        ({"n_groups": 3}, "n_groups divides the heads of compressed attention"),
        ({"positions": None}, "compressed attention needs rotary positions"),
        ({"kinds": ()}, "compression says it of at least one block"),
        ({"sparse_run": 0}, "runs have tokens"),
        ({"post_norm": True}, "several streams have blocks of one plain kind"),
        ({"routing": Routing(scoring="tanh")}, "scoring is one of softmax, sigmoid, root_softplus"),  # type: ignore[arg-type]
        ({"routing": Routing(hashed=())}, "hashed says it of at least one block"),
        ({"mlp_limit": -1.0}, "mlp_limit is not negative"),
    ],
)
def test_shapes_that_contradict_each_other(change: dict[str, Any], sentence: str) -> None:
    """Each in a sentence."""
    assert CONFIG.compression is not None
    of_compression = {name: value for name, value in change.items() if not hasattr(Config, name)}
    of_compression = {name: value for name, value in of_compression.items() if name in vars(CONFIG.compression)}
    if of_compression:
        change = {"compression": replace(CONFIG.compression, **of_compression)}
    with pytest.raises(InvalidConfig, match=sentence):
        replace(CONFIG, **change)


def test_several_devices_do_not_share_them() -> None:
    """In one sentence."""
    with pytest.raises(ValueError, match="compressed runs of tokens and several residual streams are not shared out"):
        TensorParallel(CONFIG, 2)
