"""Models loaded from files answer as PyTorch and llama.cpp do"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import DATA, ORACLES, read, write, write_gguf, write_tensors
from numpy.testing import assert_allclose, assert_array_equal

from reference_engine import Config, Decoder, Float, ModelFileError, compiled, layers, load
from reference_engine.formats import F32, NAMED, Q4_0

MODELS = ("llama-mha", "gpt2", "mixtral")
CLOSE = {"float32": 1e-4, "float64": 1e-9}


def expected(name: str, file: str = "expected.npz") -> dict[str, Any]:
    """Answers that other software gave with a model, by name."""
    with np.load(ORACLES / name / file) as found:
        return dict(found)


def error(decoder: Decoder, answers: dict[str, Any], prompts: dict[str, Any] | None = None) -> float:
    """The largest deviation of a logit, in prefills and steps; the greedy tokens have to be the same."""
    worst = 0.0
    for p in range(4):
        logits = decoder.prefill((prompts or answers)[f"p{p}_tokens"])
        assert logits.shape == answers[f"p{p}_prefill_logits"].shape
        worst = max(worst, np.abs(logits - answers[f"p{p}_prefill_logits"]).max())
        greedy = [int(logits[-1].argmax())]
        for step in answers[f"p{p}_decode_logits"]:
            row = decoder.decode(greedy[-1])
            worst = max(worst, np.abs(row - step).max())
            greedy.append(int(row.argmax()))
        assert greedy == list(answers[f"p{p}_greedy"])
    return worst


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_answers_as_pytorch_does(name: str, dtype: str) -> None:
    """Every logit of prefill and decode, the greedy tokens, the keys and values."""
    decoder, answers = load(ORACLES / name, dtype=dtype), expected(name)
    assert error(decoder, answers) < CLOSE[dtype]
    for p in range(4):
        assert decoder.prefill(answers[f"p{p}_tokens"]).dtype == dtype
        for letter, kind in (("K", "keys"), ("V", "values")):
            held = np.stack([cache[kind].vectors.load()[0].transpose(1, 0, 2) for cache in decoder.caches])
            assert_allclose(held, answers[f"p{p}_{letter}_after_prefill"], rtol=0, atol=CLOSE[dtype])


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("llama-mha", {"rope_pairs": "neighbours"}),
        ("llama-mha", {"rope_theta": 9e3}),
        ("llama-mha", {"norm_epsilon": 1e-3}),
        ("gpt2", {"activation": "gelu"}),
        ("mixtral", {"renormalise": False}),
        ("mixtral", {"n_active": 1}),
    ],
)
def test_a_wrong_switch_is_noticed(name: str, fault: dict[str, Any]) -> None:
    """The twins: with one switch set wrong, the answers are farther off than the test above allows."""
    decoder, answers = load(ORACLES / name, dtype="float64"), expected(name)
    wrong = Decoder(replace(decoder.config, **fault), machine=decoder.machine, weights=decoder.weights)
    assert np.abs(wrong.prefill(answers["p3_tokens"]) - answers["p3_prefill_logits"]).max() > CLOSE["float32"]


def test_a_batch_answers_as_its_sequences_do() -> None:
    """Tokens with two axes, steps with one."""
    decoder, prompts = load(ORACLES / "llama-mha", dtype="float64"), np.array([[5, 6, 7], [8, 9, 10]])
    logits, step = decoder.prefill(prompts), decoder.decode([1, 2])
    assert_allclose(logits[1], decoder.prefill(prompts[1]), rtol=1e-9, atol=1e-9)
    assert_allclose(step[1], decoder.decode(2), rtol=1e-9, atol=1e-9)


# GGUF


def test_gguf_answers_as_llama_cpp_does() -> None:
    """32-bit floats: llama.cpp's own logits."""
    answers = expected("llama-mha", "expected-llamacpp.npz")
    for dtype in CLOSE:
        assert error(load(ORACLES / "llama-mha/model-f32.gguf", dtype=dtype), answers, expected("llama-mha")) < 1e-4


def test_packed_weights_answer_as_their_numbers_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Q4_0: the logits of the numbers that the packed weights stand for, whoever packed them; in machine code, too."""
    answers, decoder = expected("llama-mha", "expected-q4_0.npz"), load(ORACLES / "llama-mha", dtype="float64")
    assert error(load(ORACLES / "llama-mha/model-q4_0.gguf", dtype="float64"), answers) < 1e-9
    for large in (compiled.LARGE, 1):
        monkeypatch.setattr(compiled, "LARGE", large)
        assert error(load(ORACLES / "llama-mha/model-q4_0.gguf"), answers) < 1e-4
    machine, tensors = decoder.machine, read(ORACLES / "llama-mha")[1]
    packed = {name: Q4_0.pack(tensors[name]) for name in tensors if f"packed:{name}" in answers}
    assert len(packed) == 22
    for name, records in packed.items():
        assert_array_equal(records.view(np.uint8), answers[f"packed:{name}"])
    repacked = {
        name: weight if name == "embedding" or "norm" in name else machine.allocate(weight.load(), Q4_0)
        for name, weight in decoder.weights.items()
    }
    assert error(Decoder(decoder.config, machine=machine, weights=repacked, growing=True), answers) < 1e-9


def interleaved(rows: Any, heads: int) -> Any:
    """The order in which llama.cpp wants the rows of llama's queries and keys."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, -1).swapaxes(1, 2).reshape(rows.shape)


def test_gpt2_in_gguf(tmp_path: Path) -> None:
    """GPT-2's weights under llama.cpp's names give the same logits."""
    tensors = read(ORACLES / "gpt2")[1]
    names = {"attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
    names |= {"ln_1": "attn_norm", "ln_2": "ffn_norm"}
    renamed = {"token_embd.weight": tensors["transformer.wte.weight"]}
    renamed["position_embd.weight"] = tensors["transformer.wpe.weight"]
    renamed |= {f"output_norm.{kind}": tensors[f"transformer.ln_f.{kind}"] for kind in ("weight", "bias")}
    for i in range(3):
        for theirs, ours in names.items():
            weight, bias = (tensors[f"transformer.h.{i}.{theirs}.{kind}"] for kind in ("weight", "bias"))
            renamed |= {f"blk.{i}.{ours}.weight": weight.T, f"blk.{i}.{ours}.bias": bias}
    facts = {"embedding_length": 64, "block_count": 3, "feed_forward_length": 256, "context_length": 64}
    facts |= {"attention.head_count": 4, "attention.layer_norm_epsilon": 1e-5}
    path = write_gguf(tmp_path / "gpt2.gguf", "gpt2", facts, renamed)
    assert error(load(path, dtype="float64"), expected("gpt2")) < 1e-6


@pytest.mark.parametrize("fused", [True, False])
def test_mixtral_in_gguf(fused: bool, tmp_path: Path) -> None:
    """A Mixtral in GGUF is a llama with experts, in one tensor per layer or per expert; its logits are the same."""
    tensors, renamed = read(ORACLES / "mixtral")[1], {}
    renamed["token_embd.weight"] = tensors["model.embed_tokens.weight"]
    renamed["output_norm.weight"], renamed["output.weight"] = tensors["model.norm.weight"], tensors["lm_head.weight"]
    for i in range(2):
        at = f"model.layers.{i}."
        renamed[f"blk.{i}.attn_q.weight"] = interleaved(tensors[at + "self_attn.q_proj.weight"], 4)
        renamed[f"blk.{i}.attn_k.weight"] = interleaved(tensors[at + "self_attn.k_proj.weight"], 2)
        renamed[f"blk.{i}.attn_v.weight"] = tensors[at + "self_attn.v_proj.weight"]
        renamed[f"blk.{i}.attn_output.weight"] = tensors[at + "self_attn.o_proj.weight"]
        renamed[f"blk.{i}.attn_norm.weight"] = tensors[at + "input_layernorm.weight"]
        renamed[f"blk.{i}.ffn_norm.weight"] = tensors[at + "post_attention_layernorm.weight"]
        renamed[f"blk.{i}.ffn_gate_inp.weight"] = tensors[at + "block_sparse_moe.gate.weight"]
        for ours, theirs in (("gate", "w1"), ("up", "w3"), ("down", "w2")):
            experts = [tensors[f"{at}block_sparse_moe.experts.{e}.{theirs}.weight"] for e in range(4)]
            if fused:
                renamed[f"blk.{i}.ffn_{ours}_exps.weight"] = np.stack(experts)
            else:
                renamed |= {f"blk.{i}.ffn_{ours}.{e}.weight": expert for e, expert in enumerate(experts)}
    facts = {"embedding_length": 64, "block_count": 2, "feed_forward_length": 96, "attention.head_count": 4}
    facts |= {"attention.head_count_kv": 2, "attention.key_length": 16, "expert_count": 4, "expert_used_count": 2}
    facts |= {"attention.layer_norm_rms_epsilon": 1e-5, "rope.freq_base": 1e6}
    path = write_gguf(tmp_path / "mixtral.gguf", "llama", facts, renamed)
    assert error(load(path, dtype="float64"), expected("mixtral")) < 1e-6
    assert load(path).config.context_length == 0  # no limit, where the file states none


# Other ways to keep the same model


def test_fused_experts_are_taken_apart(tmp_path: Path) -> None:
    """All experts of a layer in one tensor, gate first then up, as newer releases store them."""
    config, tensors = read(ORACLES / "mixtral")
    for i in range(2):
        at, fused = f"model.layers.{i}.block_sparse_moe.", f"model.layers.{i}.mlp."
        w1, w2, w3 = ([tensors.pop(f"{at}experts.{e}.w{w}.weight") for e in range(4)] for w in (1, 2, 3))
        tensors[f"{fused}experts.gate_up_proj"] = np.concatenate([np.stack(w1), np.stack(w3)], axis=1)
        tensors[f"{fused}experts.down_proj"] = np.stack(w2)
        tensors[f"{fused}gate.weight"] = tensors.pop(f"{at}gate.weight")
    assert error(load(write(tmp_path / "model", config, tensors), dtype="float64"), expected("mixtral")) < 1e-9


def test_gpt2_without_its_prefix(tmp_path: Path) -> None:
    """Some directories leave it out, and keep masks and a copy of the embedding."""
    config, tensors = read(ORACLES / "gpt2")
    tensors = {name.removeprefix("transformer."): numbers for name, numbers in tensors.items()}
    tensors |= {"h.0.attn.bias": np.ones((1, 1, 64, 64), np.float32), "lm_head.weight": tensors["wte.weight"]}
    assert error(load(write(tmp_path / "model", config, tensors), dtype="float64"), expected("gpt2")) < 1e-9


def test_a_model_in_several_files(tmp_path: Path) -> None:
    """Found through the index."""
    config, tensors = read(ORACLES / "llama-mha")
    shards: dict[str, dict[str, Any]] = {"a.safetensors": {}, "b.safetensors": {}}
    for number, (name, numbers) in enumerate(tensors.items()):
        shards["ab"[number % 2] + ".safetensors"][name] = numbers
    for file, shard in shards.items():
        write_tensors(tmp_path / file, shard)
    index = {"weight_map": {name: file for file, shard in shards.items() for name in shard}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert error(load(tmp_path, dtype="float64"), expected("llama-mha")) < 1e-9


@pytest.mark.parametrize("kind", ["qwen2", "qwen3"])
def test_qwen(kind: str, tmp_path: Path) -> None:
    """Biases of queries, keys and values; norms of queries and keys: the decoder that has these weights."""
    switches: dict[str, Any] = {"biases": ("query", "key", "value")} if kind == "qwen2" else {"qk_norm": True}
    config = Config(
        2, 4, 6, 11, F32, Float(64), F32, d_model=20, n_kv_heads=2, d_ff=9, norm="rms", norm_epsilon=1e-6,
        activation="silu", gated=True, positions="rotary", rope_theta=1e6, tied=True, **switches,
    )  # fmt: skip
    drawn = Decoder(config, seed=3)
    words = {"query": "self_attn.q_proj", "key": "self_attn.k_proj", "value": "self_attn.v_proj"}
    words |= {"output": "self_attn.o_proj", "query_norm": "self_attn.q_norm", "key_norm": "self_attn.k_norm"}
    words |= {"gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj"}
    words |= {"norm_1": "input_layernorm", "norm_2": "post_attention_layernorm"}
    tensors = {"model.embed_tokens.weight": "embedding", "model.norm.weight": "norm.weight"}
    for i in range(2):
        for ours, theirs in words.items():
            tensors |= {f"model.layers.{i}.{theirs}.weight": f"blocks.{i}.{ours}"}
            tensors |= {f"model.layers.{i}.{theirs}.bias": f"blocks.{i}.{ours}.bias"}
    held = {theirs: drawn.weights.get(ours) or drawn.weights.get(f"{ours}.weight") for theirs, ours in tensors.items()}
    described = {
        "model_type": kind, "hidden_size": 20, "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 6,
        "num_key_value_heads": 2, "intermediate_size": 9, "vocab_size": 11, "rope_theta": 1e6, "hidden_act": "silu",
        "rms_norm_eps": 1e-6, "tie_word_embeddings": True, "sliding_window": 4096, "use_sliding_window": False,
    }  # fmt: skip
    path = write(tmp_path / "m", described, {n: w.load().astype(np.float32) for n, w in held.items() if w is not None})
    loaded = load(path, dtype="float64")
    assert loaded.config == config
    assert_array_equal(loaded.prefill([1, 2, 3]), drawn.prefill([1, 2, 3]))


@pytest.mark.parametrize(
    ("change", "switches"),
    [
        ({"rope_scaling": {"type": "linear", "factor": 4.0}}, {"rope_factors": (4.0,) * 8}),
        ({"model_type": "mistral", "sliding_window": 5}, {"windows": (5,)}),
        ({"model_type": "qwen3", "sliding_window": 5, "use_sliding_window": True}, {"windows": (None,) * 3}),
    ],
)
def test_what_a_description_means(change: dict[str, Any], switches: dict[str, Any], tmp_path: Path) -> None:
    """Scaled rotations and sliding windows."""
    from reference_engine.files import hub

    config, _ = read(ORACLES / "llama-mha")
    del config["rope_parameters"], config["architectures"]
    found = hub.read_config(hub.Values("config.json", config | change), F32)
    for name, value in switches.items():
        assert getattr(found, name) == value


DESCRIBED = json.loads((DATA / "described.json").read_text())


def scattered(t: int, shape: list[int]) -> Any:
    """The numbers of the tensor t, as the data's `_doc` has them."""
    x = (np.arange(1, 1 + int(np.prod(shape)), dtype=np.uint64) + np.uint64(7919 * t)) * np.uint64(2654435761) % 2**32
    x ^= x >> np.uint64(15)
    x = x * np.uint64(2246822519) % 2**32
    x ^= x >> np.uint64(13)
    return (4 * (x / 2**32) - 2).astype(np.float32).reshape(shape)


def described(row: dict[str, Any], path: Path) -> Decoder:
    """The model of a row, from a directory."""
    tensors = {name: scattered(t, shape) for t, (name, shape) in enumerate(row["tensors"].items())}
    return load(write(path, row["config"], tensors), dtype="float64")


def from_usual(config: dict[str, Any]) -> str:
    """The fields of a description that are not usual, as the name of a test."""
    usual = ("vocab_size", "hidden_size", "num_hidden_layers", "intermediate_size", "num_attention_heads")
    return " ".join(str(value) if name == "model_type" else name for name, value in config.items() if name not in usual)


@pytest.mark.parametrize("row", DESCRIBED["models"], ids=lambda row: from_usual(row["config"]))
def test_a_description_means_what_transformers_makes_of_it(row: dict[str, Any], tmp_path: Path) -> None:
    """Windows switched, listed and standing, biases, widths, defaults: every logit, in one pass and step by step."""
    decoder, tokens = described(row, tmp_path / "m"), DESCRIBED["tokens"]
    assert_allclose(decoder.prefill(tokens), row["logits"], rtol=0, atol=2e-4)
    decoder.prefill(tokens[:2])
    for token, logits in zip(tokens[2:], row["logits"][2:], strict=True):
        assert_allclose(decoder.decode(token), logits, rtol=0, atol=2e-4)


@pytest.mark.parametrize("row", DESCRIBED["models"], ids=lambda row: from_usual(row["config"]))
def test_another_meaning_is_noticed(row: dict[str, Any], tmp_path: Path) -> None:
    """The twin: without its windows or with others, or with another base or activation, the answers are others."""
    decoder, tokens = described(row, tmp_path / "m"), DESCRIBED["tokens"]
    windowed = any(window and window < len(tokens) for window in decoder.config.windows)
    faults: list[dict[str, Any]] = [{"windows": (None,)} if windowed else {"windows": (None, 3)}]
    faults += [{"rope_theta": 10.0}] if decoder.config.positions == "rotary" else [{"activation": "silu"}]
    for fault in faults:
        wrong = Decoder(replace(decoder.config, **fault), machine=decoder.machine, weights=decoder.weights)
        assert np.abs(wrong.prefill(tokens) - row["logits"]).max() > 1e-2


LLAMA_3 = next(row for row in DESCRIBED["models"] if "llama3" in str(row["config"]))
IN_GGUF = {
    "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip


def frequencies(config: dict[str, Any]) -> Any:
    """The tensor rope_freqs.weight that llama.cpp's converter makes of a Llama 3: by wavelengths, in 32 bits."""
    scaling, width = config["rope_scaling"], config["hidden_size"] // config["num_attention_heads"]
    old, low, high = (
        scaling[name] for name in ("original_max_position_embeddings", "low_freq_factor", "high_freq_factor")
    )
    found = []
    for pair in range(width // 2):
        wavelength = 2 * np.pi * config["rope_theta"] ** (2 * pair / width)
        smooth = (old / wavelength - low) / (high - low)
        between = 1 / ((1 - smooth) / scaling["factor"] + smooth)
        found.append(1 if wavelength < old / high else scaling["factor"] if wavelength > old / low else between)
    return np.array(found, np.float32)


def llama_3(path: Path, **others: Any) -> Decoder:
    """The Llama 3 of `described.json` as llama.cpp reads it."""
    config, tensors = LLAMA_3["config"], {}
    for t, (name, shape) in enumerate(LLAMA_3["tensors"].items()):
        block = re.fullmatch(r"model\.layers\.(\d+)\.(.+)\.weight", name)
        ours = f"blk.{block[1]}.{IN_GGUF[block[2]]}" if block else IN_GGUF[name.removesuffix(".weight")]
        heads = {"q_proj": config["num_attention_heads"], "k_proj": config["num_key_value_heads"]}.get(
            name.split(".")[-2]
        )
        numbers = scattered(t, shape)
        tensors[f"{ours}.weight"] = interleaved(numbers, heads) if heads else numbers
    facts = {
        "embedding_length": config["hidden_size"], "block_count": config["num_hidden_layers"],
        "feed_forward_length": config["intermediate_size"], "attention.head_count": config["num_attention_heads"],
        "attention.head_count_kv": config["num_key_value_heads"], "attention.layer_norm_rms_epsilon": 1e-6,
        "rope.freq_base": config["rope_theta"],
    }  # fmt: skip
    return load(write_gguf(path, "llama", facts, tensors | others), dtype="float64")


def test_a_llama_3_in_gguf_answers_as_transformers_does(tmp_path: Path) -> None:
    """A Llama 3 in GGUF gives the logits of its config with the rotary scaling.

    A tensor of the file holds what its frequencies are divided by; the twins have none or a wrong one.
    """
    factors = frequencies(LLAMA_3["config"])
    decoder = llama_3(tmp_path / "m.gguf", **{"rope_freqs.weight": factors})
    assert_allclose(decoder.prefill(DESCRIBED["tokens"]), LLAMA_3["logits"], rtol=0, atol=2e-4)
    for fault in ({}, {"rope_freqs.weight": factors[::-1]}, {"rope_freqs.weight": 1 / factors}):  # the twins
        wrong = llama_3(tmp_path / "m.gguf", **fault)
        assert np.abs(wrong.prefill(DESCRIBED["tokens"]) - LLAMA_3["logits"]).max() > 1e-2
    for fault in (np.ones((1, 2), np.float32), np.ones(3, np.float32)):
        with pytest.raises(ModelFileError, match=r"rope_freqs\.weight is not a vector of a head|rope_factors"):
            llama_3(tmp_path / "m.gguf", **{"rope_freqs.weight": fault})


def test_llama_3_stretches_the_slow_rotations_only() -> None:
    """Frequencies that turn often within the old context stay, slow ones are divided, and some lie between."""
    from reference_engine.files import hub

    config, _ = read(ORACLES / "llama-mha")
    scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    config |= {"rope_parameters": scaling | {"original_max_position_embeddings": 128, "rope_theta": 1e4}}
    factors = hub.read_config(hub.Values("config.json", config), F32).rope_factors
    frequencies = 1e4 ** (-np.arange(0, 16, 2) / 16)
    turns = 128 * frequencies / (2 * np.pi)
    assert len(factors) == 8
    for factor, turn in zip(factors, turns, strict=True):
        between = (1 - (turn - 1) / 3) / 8 + (turn - 1) / 3
        assert factor == pytest.approx(1 if turn > 4 else 8 if turn < 1 else 1 / between)
    assert sum(factor not in (1, 8) for factor in map(round, factors)) > 1 or {1.0, 8.0} < set(factors)


# What is counted


def test_weights_are_held_as_they_are_stored(tmp_path: Path) -> None:
    """Bytes off-chip are those of the file: four, two or 18/32 for a weight; and so are those that are loaded."""
    config, tensors = read(ORACLES / "llama-mha")
    halved = write(tmp_path / "half", config, tensors, bf16=True)
    for path, vectors, each in (
        (ORACLES / "llama-mha", 4, NAMED["F32"].n_bytes),
        (halved, 2, NAMED["BF16"].n_bytes),
        (ORACLES / "llama-mha/model-q4_0.gguf", 4, NAMED["Q4_0"].n_bytes),
    ):
        decoder = load(path)
        ledger = decoder.ledger
        assert ledger.footprint("weights.blocks.1.up") == 160 * 64 * each
        assert ledger.footprint("weights.norm.weight") == 64 * vectors
        assert ledger.footprint("weights.embedding") == 97 * 64 * vectors
        decoder.prefill([1, 2, 3])
        assert ledger.total("loaded", "blocks.1.mlp.up") == 160 * 64 * each
        assert ledger.total("loaded", "embedding") == 3 * 64 * vectors
    exact = load(ORACLES / "llama-mha", dtype="float64").prefill([1, 2, 3])
    assert 1e-3 < np.abs(load(halved, dtype="float64").prefill([1, 2, 3]) - exact).max() < 1


@pytest.mark.parametrize("name", ["llama-mha", "llama-mha/model-q4_0.gguf", "gpt2", "mixtral"])
def test_weights_lie_in_the_file_and_come_in_pieces(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No weight is copied when it is loaded; however small the pieces, logits and totals stay."""
    whole = load(ORACLES / name)
    for weight in whole.weights.values():
        base = weight._packed
        while isinstance(base.base, np.ndarray):
            base = base.base
        assert isinstance(base, np.memmap)
    logits = whole.prefill([1, 2, 3])
    monkeypatch.setattr(layers, "TILE", 1000)
    pieces = load(ORACLES / name)
    assert_allclose(pieces.prefill([1, 2, 3]), logits, rtol=1e-4, atol=1e-4)
    assert pieces.ledger.entries == whole.ledger.entries


ROWS = json.loads((DATA / "flops.json").read_text())["models"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['family']}-{row['params']}")
def test_flops_and_parameters_are_those_pytorch_counts(row: dict[str, Any]) -> None:
    """Matrix products of a prefill and of a step, parameters, bytes of the cache."""
    llama = row["family"] == "llama"
    switches: dict[str, Any] = {"norm": "rms", "gated": True, "activation": "silu", "positions": "rotary"}
    if not llama:
        biases = ("query", "key", "value", "output", "up", "down")
        switches = {"norm": "layer", "biases": biases, "positions": "learned", "n_positions": 128}
    config = Config(
        row["n_layers"], row["n_heads"], row["head_dim"], row["vocab"], F32, F32, F32, d_model=row["d_model"],
        n_kv_heads=row["n_kv_heads"], d_ff=row["d_ff"], tied=row["tied"], **switches,
    )  # fmt: skip
    decoder = Decoder(config, growing=True)
    assert config.n_parameters == row["params"]
    assert decoder.ledger.footprint("weights.*") == 4 * row["params"]
    decoder.prefill(np.zeros((row["B"], row["N"]), int))
    assert decoder.ledger.matmul_flops() == row["prefill"]
    decoder.prefill(np.zeros((row["B"], row["L"]), int))
    decoder.ledger.clear()
    decoder.decode(np.zeros(row["B"], int))
    assert decoder.ledger.matmul_flops() == row["decode"]
    assert decoder.ledger.footprint("cache.*") == row["kv_cache_bytes_fp32_after_decode"]


def test_all_rows_are_there() -> None:
    """Ten llamas and five GPT-2s."""
    assert [row["family"] for row in ROWS] == ["llama"] * 10 + ["gpt2"] * 5


@pytest.mark.parametrize(("package", "path"), [("safetensors", "gpt2"), ("gguf", "llama-mha/model-f32.gguf")])
def test_a_missing_package_is_named(package: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error for a missing package says in a sentence what to install."""
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"install the package {package}"):
        load(ORACLES / path)
