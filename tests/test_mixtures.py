"""Bytes of weights as sums over parts: mixtures that llama.cpp names, files with several formats"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import write_gguf

from reference_engine.probes.counts import Selection
from reference_engine.probes.ledger_selections import MATRICES
from symbolic_llm import Model, Operations, Plan, Sizing, catalogue, check, evaluate, explain, presets, solve
from symbolic_llm.checks.report import own_findings
from symbolic_llm.checks.verdict import Verdict
from symbolic_llm.cli import main
from symbolic_llm.errors import UnknownName
from symbolic_llm.models import format_mixtures
from symbolic_llm.models.format_mixtures import MIXTURES, mixed
from symbolic_llm.models.stored_formats import Stored
from symbolic_llm.witness.decoders import loaded

# What llama-bench prints of files: the bytes of all tensors, and how many numbers these hold. Both files have a tensor
# of 64 factors by which rotations are slowed, in fp32, which is no weight.
PRINTED = {
    ("llama-3-8b", "q4_k_m"): (4_912_898_304, 8_030_261_312),
    ("llama-3-70b", "q4_k_m"): (42_512_531_712, 70_553_706_560),
}


@pytest.mark.parametrize(("model", "name"), PRINTED)
def test_a_mixture_has_the_bytes_of_its_files(model: str, name: str) -> None:
    """To the byte, as another program counts them."""
    nbytes, numbers = PRINTED[model, name]
    assert presets.model(model).parameters == numbers - 64
    assert evaluate("weight_bytes", model=model, weights=name) == nbytes - 64 * 4


@pytest.mark.parametrize("name", MIXTURES)
def test_a_mixture_lies_between_its_formats(name: str) -> None:
    """More than its smallest format and less than its largest, whatever the model; more bits, more bytes."""
    for model in ("llama-3-8b", "mixtral-8x7b", "qwen3-30b-a3b", "gemma-2-2b"):
        mean = evaluate("weight_bytes", model=model, weights=name) / presets.model(model).parameters
        assert float(format_mixtures._BYTES[MIXTURES[name].most]) < mean < 1.0625
    sizes = [evaluate("weight_bytes", model="llama-3-8b", weights=f"q{bits}_k_m") for bits in (3, 4, 5)]
    assert sizes == sorted(sizes)


def test_the_blocks_with_more_bits() -> None:
    """Of 32: the first four, the last four, and every third between."""
    assert [i for i in range(32) if format_mixtures._more(i, 32)] == [
        0,
        1,
        2,
        3,
        6,
        9,
        12,
        15,
        18,
        21,
        24,
        27,
        28,
        29,
        30,
        31,
    ]


def test_rows_that_fill_no_block_are_stored_in_shorter_ones() -> None:
    """A width of 896, as Qwen2.5-0.5B has: no multiple of 256, one of 32."""
    assert [format_mixtures._fitting(name, 896) for name in ("q4_k", "q6_k", "q5_k", "q3_k")] == [
        "q5_0",
        "q8_0",
        "q5_1",
        "q4_0",
    ]
    assert format_mixtures._fitting("q4_k", 100) == "fp16"
    assert format_mixtures._fitting("q4_k", 1024) == "q4_k"


@pytest.mark.parametrize("model", ["deepseek-v3", "qwen3.5-27b", "falcon-7b", "gpt-oss-20b"])
def test_a_model_whose_matrices_are_not_known_is_refused(model: str) -> None:
    """In one sentence, and without a model too."""
    with pytest.raises(UnknownName, match="it is unknown which tensors of") as caught:
        evaluate("weight_bytes", model=model, weights="q4_k_m")
    assert str(caught.value).count("\n") == 0
    with pytest.raises(
        UnknownName, match="is a mixture of number formats, whose bytes depend on the model: give model="
    ):
        evaluate("memory_time", weights="q4_k_m", P_read=1, W=1)


def test_reports_take_mixtures(capsys: pytest.CaptureFixture[str]) -> None:
    """The sizing, the operations, a plan and the command line; each says which formats they are."""
    asked: dict[str, Any] = {"weights": "q4_k_m", "dtype": "fp16"}
    report = Sizing("llama-3-8b", "rtx-4090", context=4096, **asked)
    assert "q4_k and q6_k, vectors in fp32: 4.913 GB" in repr(report)
    rows = {row.key: row.value for row in report.rows}
    held = evaluate("weight_bytes", model="llama-3-8b", weights="q4_k_m")
    assert rows["held"] == held + evaluate("kv_bytes_total", model="llama-3-8b", cache="fp16", B=1, N=4096)
    step = Operations("llama-3-8b", "rtx-4090", context=4096, **asked)
    read = explain("D_weights", model="llama-3-8b", weights="q4_k_m").exact
    assert sum(line.nbytes for line in step.lines if "scores" not in line.name) == read
    assert Plan("llama-3-8b", hardware="rtx-4090", prompt=100, output=10, **asked).choices
    assert main(["evaluate", "weight_bytes", "--model", "llama-3-8b", "--weights", "Q4_K_M"]) == 0
    assert capsys.readouterr().out.startswith(f"{held} byte")


# Bytes that a step reads, part by part


def test_a_step_reads_experts_in_their_format() -> None:
    """gpt-oss 120B by hand: four experts of each block in 4.25 bits, all else that is multiplied in two bytes."""
    experts, d, heads = 36 * 3 * 2880 * 2880, 2880, 64 * (64 + 8) * 2
    others = 2 * (36 * (d * heads + 128 * d) + 201_088 * d)
    each = Fraction(17, 32)
    step = explain("memory_time", model="gpt-oss-120b", hardware="h100-sxm", dtype="bf16", B=1)
    assert step.exact * 3350 * 10**9 == others + 4 * experts * each
    assert step.notes == ()
    every = explain("D_weights_all", model="gpt-oss-120b").exact
    assert every == others + 128 * experts * each
    prompt = explain("D_weights_prompt", model="gpt-oss-120b", B=1, N=1).exact
    assert prompt == others + 4 * experts * each


def test_a_number_that_is_given_goes_before_a_files_formats() -> None:
    """Then all weights are in it; and a format that is asked for goes before them too."""
    given: dict[str, Any] = {"model": "gpt-oss-120b", "B": 1}
    two = explain("D_weights", **given, n_bytes=2).exact
    assert two == 2 * explain("P_read", **given).exact == explain("D_weights", **given, weights="fp16").exact
    assert two != explain("D_weights", **given).exact


def test_a_mean_is_said_where_it_is_taken() -> None:
    """Of a gain by another format, which takes all weights to be in one; devices share what is read in all formats."""
    given: dict[str, Any] = {"model": "gpt-oss-120b", "hardware": "h100-sxm", "dtype": "bf16", "B": 1}
    (note,) = explain("quantization_gain", **given, n_bytes_2=0.5, T_overhead="1 ms").notes
    assert note == (
        "times use 0.5585 B per weight, the mean of the file; the weights that one token reads have 0.9743 B"
    )
    alone = explain("latency_with_cache", **given, N=100)
    assert alone.notes == ()
    assert explain("tensor_parallel_latency", **given, N=100, n_tensor=1).exact == alone.exact


def test_the_sums_are_checked_like_any_formula() -> None:
    """Step by step and unit by unit; the twin, with a part in another format, is refuted by its steps."""
    stored = presets.model("gpt-oss-20b").stored
    assert stored is not None
    sums = presets.model("gpt-oss-20b").bytes_of_parts(stored)
    of_passes, of_layers = (
        ("D_weights", "D_weights_prompt", "D_weights_all"),
        ("M_layer", "D_layer", "P_layer", "n_movable"),
    )
    assert [formula.quantity.name for formula in sums] == [*of_passes, *of_layers]
    for formula in sums:
        findings = {finding.check: finding.verdict for finding in own_findings(formula)}
        assert findings["steps"] is findings["dimensions"] is Verdict.PROVED
        wrong = replace(formula, claim=formula.claim.func(formula.claim.lhs, 2 * formula.claim.rhs))
        assert {finding.check: finding.verdict for finding in own_findings(wrong)}["steps"] is Verdict.REFUTED


def test_one_format_is_a_sum_of_parts_too() -> None:
    """Every part in fp16 is P_read weights of two bytes, for every preset; the twin: one part in fp32 is not."""
    for name in presets.names("models"):
        model = presets.model(name)
        places = {part.place for part in model.parts}
        alike = Stored("fp16 everywhere", None, None, tuple((place, Fraction(2)) for place in places))
        unlike = Stored("", None, None, tuple((place, Fraction(2 + 2 * (place == "attention"))) for place in places))
        for batch in (1, 7):
            letters = {"model": name, "B": batch, "weights": "fp16", "cache": "fp16"}
            whole = explain("P_read", model=name, B=batch).exact * 2 if "n_experts" in model.letters else None
            whole = explain("P_read", model=name).exact * 2 if whole is None else whole
            (one, *_), (other, *_) = model.bytes_of_parts(alike), model.bytes_of_parts(unlike)
            assert explain(one, **_known(one, letters)).exact == whole
            assert explain(other, **_known(other, letters)).exact > whole


def _known(formula: Any, letters: dict[str, Any]) -> dict[str, Any]:
    """Without the batch where a formula has none."""
    experts = any(used.name == "distinct_experts" for used in formula.uses)
    return {name: value for name, value in letters.items() if name != "B" or experts}


MIXTRAL: dict[str, Any] = {
    "block_count": 2,
    "embedding_length": 64,
    "feed_forward_length": 96,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
    "attention.layer_norm_rms_epsilon": 1e-5,
    "context_length": 100,
    "rope.dimension_count": 16,
    "rope.freq_base": 10000.0,
    "expert_count": 4,
    "expert_used_count": 2,
    "vocab_size": 50,
}


def mixtral(path: Path, experts: Any) -> Path:
    """A file with experts of floats of one width, all else in four bytes."""
    rng = np.random.default_rng(1)

    def drawn(*shape: int, kind: Any = np.float32) -> Any:
        return rng.normal(size=shape).astype(kind) / 8

    tensors: dict[str, Any] = {"token_embd.weight": drawn(50, 64), "output.weight": drawn(50, 64)}
    tensors["output_norm.weight"] = np.ones(64, np.float32)
    for i in range(2):
        at = f"blk.{i}."
        for name, rows in (("attn_q", 64), ("attn_k", 32), ("attn_v", 32), ("attn_output", 64), ("ffn_gate_inp", 4)):
            tensors[f"{at}{name}.weight"] = drawn(rows, 64)
        for name in ("attn_norm", "ffn_norm"):
            tensors[f"{at}{name}.weight"] = np.ones(64, np.float32)
        for name, shape in (("gate", (4, 96, 64)), ("up", (4, 96, 64)), ("down", (4, 64, 96))):
            tensors[f"{at}ffn_{name}_exps.weight"] = drawn(*shape, kind=experts)
    return write_gguf(path, "llama", MIXTRAL, tensors)


@pytest.mark.parametrize("experts", [np.float16, np.float32])
def test_a_file_with_several_formats_is_read_as_the_engine_reads_it(tmp_path: Path, experts: Any) -> None:
    """A step of one sequence: the bytes of the matrices that it loads, two experts of each block among them."""
    path = mixtral(tmp_path / "mixed.gguf", experts)
    decoder = loaded(path)
    decoder.prefill(np.array([1, 2, 3]))
    decoder.ledger.clear()
    decoder.decode(np.array([4]))
    counted = sum(Selection("loaded", MATRICES).of(decoder.ledger))
    assert explain("D_weights", model=path, B=1).exact == counted
    assert evaluate("weight_bytes", model=path) == sum(decoder.ledger.held[f"weights.{n}"] for n in decoder.weights)
    mean = presets.model(path).bytes_stored(presets.model(path).stored)
    assert mean is not None
    wrong = explain("P_read", model=path, B=1).exact * mean
    assert (wrong == counted) == (experts is np.float32)


def test_a_mixture_is_solved_for_what_is_open() -> None:
    """The largest context that fits beside a mixture, as the sum of its parts leaves room for it."""
    room = solve("context_that_fits", model="llama-3-8b", hardware="rtx-4090", weights="q4_k_m", cache="fp16", B=1)
    held = evaluate("weight_bytes", model="llama-3-8b", weights="q4_k_m")
    assert room.value == (24 * 10**9 - held) // 131_072
    assert mixed(presets.model("llama-3-8b"), "q4_k_m").n_bytes == held


def test_every_law_that_reads_weights_takes_their_sum() -> None:
    """No time of a step or a prefill takes all weights to be in one format, where devices do not share them."""
    equations = [formula for formula in catalogue() if formula.quantity is not None]
    reading = {f.name for f in equations if {"W", "n_bytes"} <= {letter.name for letter in f.letters}}
    devices = {
        f.name for f in catalogue() if f.chapter in ("devices", "chunked_prefill", "speculation", "disaggregation")
    }
    one_format = {"batch_crossover", "token_crossover", "precision_invariance", "quantization_gain", "product_time"}
    one_format |= {"quantization_gain_bound", "quantization_gain_limit", "shared_prefix_crossover"}
    assert reading - devices - one_format == set()
    assert check(catalogue()["memory_time"]).verdict is Verdict.PROVED
    assert isinstance(Model.from_config(presets.tables.config("gpt-oss-20b")).stored, Stored)
